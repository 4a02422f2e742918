import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { violationsOn } from "../../support/axe.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { ROOT, runToEnd } from "./support/npm.ts";

/** The documents as a site: built as the package has them, every link followed, and looked at in a browser, served by a gateway. */

setDefaultTimeout(60_000);

const SITE = join(ROOT, "dist/site");
const BASE = "/docs/guide/";

/** Pages by their address, with the anchors and links that they have. */
const pages = new Map<string, { readonly anchors: Set<string>; readonly links: string[] }>();
let files: string[] = [];
let gateway: Gateway;
let browser: TestBrowser;

beforeAll(async () => {
  await runToEnd([join(ROOT, "bin/camino-bun"), join(ROOT, "scripts/build-site.ts")], ROOT);
  files = (await readdir(SITE, { recursive: true })).filter((path) => path.endsWith(".br"));
  for (const path of files.filter((each) => each.endsWith(".html.br"))) {
    const html = brotliDecompressSync(await Bun.file(join(SITE, path)).bytes()).toString();
    pages.set(BASE + path.replace(/(^|(?<=\/))index\.html\.br$|\.html\.br$/, ""), await linksIn(html));
  }
  [gateway, browser] = await Promise.all([startGateway(), launchBrowser()]);
}, 300_000);

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

async function linksIn(html: string): Promise<{ anchors: Set<string>; links: string[] }> {
  const anchors = new Set<string>();
  const links: string[] = [];
  const rewriter = new HTMLRewriter()
    .on("[id]", { element: (element) => void anchors.add(element.getAttribute("id") ?? "") })
    .on("a[href]", { element: (element) => void links.push(element.getAttribute("href") ?? "") });
  await rewriter.transform(new Response(html)).text();
  return { anchors, links };
}

/** Why a link leads nowhere; null where it leads to a page and to an anchor of it, or is the address of another site. */
function wrong(from: string, link: string): string | null {
  const url = URL.parse(link.replaceAll("&amp;", "&"), `http://site${from}`);
  if (url === null) return "is no address";
  if (url.host !== "site")
    return /^https?:$/.test(url.protocol) && url.hostname.includes(".") ? null : "is no address of a site";
  const to = pages.get(url.pathname);
  if (to === undefined) return files.includes(`${url.pathname.slice(BASE.length)}.br`) ? null : "is no page";
  const anchor = decodeURIComponent(url.hash.slice(1));
  return anchor === "" || to.anchors.has(anchor) ? null : "has no such anchor";
}

describe("the site", () => {
  test("has every document, and every link in it leads somewhere", () => {
    const lost: string[] = [];
    let followed = 0;
    for (const [from, { links }] of pages)
      for (const link of links) {
        followed += 1;
        const reason = wrong(from, link);
        if (reason !== null) lost.push(`${from}: ${link} ${reason}`);
      }
    expect(lost).toEqual([]);
    expect(pages.size).toBeGreaterThan(60);
    expect(followed).toBeGreaterThan(2000);
  });

  test("takes little room in the package", async () => {
    const sizes = await Promise.all(files.map(async (path) => (await stat(join(SITE, path))).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2_000_000);
  });

  test("names the licences of what its pages have inside", () => {
    expect(files).toContain("licences.md.br");
  });
});

describe("for programs", () => {
  const read = async (path: string) => await (await fetch(`${gateway.url}${path}`)).text();

  test("every page says where its Markdown is, and llms.txt lists each of them once", async () => {
    const list = await read(`${BASE}llms.txt`);
    const links = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
    const twins = [...pages.keys()].flatMap((page) =>
      page.endsWith("/404") ? [] : [`${page}${page.endsWith("/") ? "index" : ""}.md`],
    );
    expect(links.toSorted()).toEqual(twins.toSorted());
    expect(list.indexOf("how-to/reset-a-password")).toBeLessThan(list.indexOf("(/docs/guide/api.md)"));
    expect(await read(`${BASE}api`)).toContain(`<link rel="alternate" type="text/markdown" href="${BASE}api.md">`);
  });

  test("a page's Markdown is its text", async () => {
    const answer = await fetch(`${gateway.url}${BASE}how-to/reset-a-password.md`);
    expect(answer.headers.get("content-type")).toStartWith("text/markdown");
    expect(await answer.text()).toStartWith("# Reset a password\n");
  });
});

describe("in a browser, from a gateway", () => {
  test.each([
    ["reset password", "reset-a-password"],
    ["lost secret", "recover-from-a-lost-secret"],
    ["nginx", "put-nginx-in-front"],
    ["own vendor", "add-a-vendor"],
    ["why failed", "find-out-why-a-call-failed"],
    ["upgrade", "upgrade"],
    ["prometheus", "monitor-with-prometheus"],
    ["export csv", "export-usage-as-csv"],
    ["change price", "change-a-price-on-a-date"],
    ["backup", "back-up-and-restore"],
    ["claude code", "use-claude-code"],
  ])("the search for %p finds its recipe first", async (words, recipe) => {
    const { page } = await browser.visit(gateway.url);
    await page.goto(`${BASE}how-to/`);
    await page
      .getByRole("button", { name: /search/i })
      .first()
      .click();
    await page.locator("#localsearch-input").fill(words);
    const first = page.locator("#localsearch-list a").first();
    await first.waitFor();
    expect((await first.getAttribute("href"))?.replace(/#.*/, "")).toBe(`${BASE}how-to/${recipe}`);
  });

  test.each(["light", "dark"] as const)("a page is read, searched and left by a link (%s)", async (theme) => {
    const { page } = await browser.visit(gateway.url, { theme });
    await page.goto(`${BASE}operations`);
    await page.getByRole("heading", { level: 1, name: "Operations" }).waitFor();
    await page
      .getByRole("button", { name: /search/i })
      .first()
      .click();
    await page.locator("#localsearch-input").fill("TimeoutStopSec");
    const [first] = await page.locator("#localsearch-list a").all();
    await page.locator("#localsearch-list a").first().waitFor();
    expect(first === undefined || (await first.getAttribute("href"))?.startsWith(BASE)).toBe(true);
    await page.locator("#localsearch-list a").first().click();
    await page.waitForURL(/operations|compatibility|systemd/);
  });

  test("on a telephone the contents are behind a button", async () => {
    const { page } = await browser.visit(gateway.url, { device: "phone" });
    await page.goto(BASE);
    await page.getByRole("heading", { level: 1, name: "Camino" }).waitFor();
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "Troubleshooting" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Troubleshooting by symptom" }).waitFor();
  });

  test.each(["desktop", "phone"] as const)(
    "the API reference finds an endpoint by words and by its path, %s",
    async (device) => {
      const { page } = await browser.visit(gateway.url, { device });
      await page.goto("/docs");
      if (device === "phone") await page.getByText("Contents", { exact: true }).click();
      const contents = page.getByRole("navigation", { name: "Operations" });
      const found = contents.getByRole("link").filter({ visible: true });
      for (const words of ["translations", "post /v1/audio/tra"]) {
        await contents.getByRole("searchbox").fill(words);
        await contents.getByRole("link", { name: "Translations" }).waitFor();
        expect(await found.allTextContents()).toContain("post Translations");
        expect(await found.count()).toBeLessThan(4);
      }
      expect(await contents.getByRole("heading").allTextContents()).toEqual(["Audio"]);
      await contents.getByRole("searchbox").fill("");
      expect(await found.count()).toBeGreaterThan(40);
    },
  );

  test.each([
    ["the start", BASE],
    ["a long page", `${BASE}operations`],
    ["recipes", `${BASE}how-to/`],
    ["the API reference", "/docs"],
  ])(
    "%s can be used by everybody, light and dark, wide and on a phone",
    async (_, path) => {
      for (const [theme, device] of [
        ["light", "desktop"],
        ["dark", "desktop"],
        ["light", "phone"],
      ] as const) {
        const { page } = await browser.visit(gateway.url, { theme, device });
        await page.goto(path);
        await page.locator("h1").first().waitFor();
        expect(await violationsOn(page)).toEqual([]);
        const beyond = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        expect({ device, beyond: Math.max(0, beyond) }).toEqual({ device, beyond: 0 });
      }
      // The reference is one page of a thousand parts.
    },
    300_000,
  );

  test("what is not there is a page that says so", async () => {
    const answer = await fetch(`${gateway.url}${BASE}no-such-page`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain("404");
  });
});
