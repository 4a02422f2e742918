import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { checkAccessibility, checkBothThemes } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";

/** The check of accessibility finds what it is for, also on pages that are nearly alike. */

/** The first test checks a page five times, each time as long as nothing else of a test takes. */
setDefaultTimeout(180_000);

let browser: TestBrowser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
});

const STYLES = `
  html { background: #fff; color: #222 }
  html[data-theme=dark] { background: #111; color: #eee }
  .faint { color: #bbb }
  .faint-in-dark { color: #555 }`;

/** A page whose theme follows the system's, as the console's does. */
async function open(body: string) {
  const { page } = await browser.visit("http://127.0.0.1:1", { alone: true });
  await page.setContent(
    `<!doctype html><html lang="en"><head><title>Page</title><style>${STYLES}</style></head><body><main><h1>Page</h1>${body}</main></body></html>`,
  );
  await page.evaluate(`{
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const wear = () => { document.documentElement.dataset.theme = dark.matches ? "dark" : "light" };
    dark.addEventListener("change", wear);
    wear();
  }`);
  return page;
}

test("a text that cannot be read is found where an alike page could be read before, in each theme", async () => {
  const good = await open("<p class='plain'>A text.</p>");
  await checkBothThemes(good);
  await checkBothThemes(good);
  const faint = await open("<p class='plain'>A text.</p><p class='faint'>Another text.</p>");
  await expect(checkAccessibility(faint)).rejects.toThrow("color-contrast");
  const dark = await open("<p class='plain'>A text.</p><p class='faint-in-dark'>Another text.</p>");
  await expect(checkBothThemes(dark)).rejects.toThrow("color-contrast");
  // What has failed is checked again.
  await expect(checkAccessibility(faint)).rejects.toThrow("color-contrast");
});

test("a rule that is not about colours is checked on every page", async () => {
  await checkAccessibility(await open("<button>Go</button>"));
  await expect(checkAccessibility(await open("<button></button>"))).rejects.toThrow("button-name");
});
