import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { unpackChromium } from "../../support/chromium.ts";

/** A browser window on the console of a running gateway, signed in, for commands that look at it (README.md). */
export interface OpenConsole extends AsyncDisposable {
  readonly page: Page;
  /** A window of the same browser in which nobody has signed in. */
  readonly stranger: Page;
}

export interface Entry {
  readonly url: string;
  readonly admin_token: string;
  /** The account that the visitor belongs to, by id or e-mail. Default: one of their own. */
  readonly account?: string;
  readonly role?: "administrator" | "member";
  readonly account_role?: string;
}

const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
let visitors = 0;

/** Signs a new user in by an invitation, and opens the console in a new browser. Throws where the gateway refuses the invitation. */
export async function openConsole(entry: Entry): Promise<OpenConsole> {
  const { executable, fonts_file } = await unpackChromium();
  const env = { PATH: process.env.PATH ?? "", FONTCONFIG_FILE: fonts_file };
  // As on a desktop, where a bar takes room beside what scrolls.
  const ignoreDefaultArgs = ["--hide-scrollbars"];
  const browser = await chromium.launch({ executablePath: executable, args: FLAGS, env, ignoreDefaultArgs });
  try {
    const stranger = await (await browser.newContext(windowOf(entry.url))).newPage();
    return { page: await enter(browser, entry), stranger, [Symbol.asyncDispose]: () => browser.close() };
  } catch (thrown) {
    await browser.close();
    throw thrown;
  }
}

function windowOf(url: string): BrowserContextOptions {
  return {
    baseURL: url,
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
    locale: "en-US",
    timezoneId: "UTC",
    permissions: ["clipboard-read", "clipboard-write"],
  };
}

async function enter(browser: Browser, { url, admin_token, role = "administrator", ...more }: Entry): Promise<Page> {
  const context = await browser.newContext(windowOf(url));
  visitors += 1;
  const invited = await context.request.post(`${url}/console/api/invitations`, {
    headers: { authorization: `Bearer ${admin_token}` },
    data: { email: `looks-${visitors}-${process.pid}@example.com`, role, ...more },
  });
  if (!invited.ok()) throw new Error(`${url} refused the invitation: ${invited.status()} ${await invited.text()}`);
  const { link } = (await invited.json()) as { link: string };
  const data = { token: link.split("#token=")[1], name: "Ana Lima", password: "a-long-enough-password" };
  const came = await context.request.post(`${url}/console/api/session/link`, { data });
  if (!came.ok()) throw new Error(`${url} refused the sign-in: ${came.status()} ${await came.text()}`);
  return await context.newPage();
}

/**
 * Whether a page has what it shows: its heading, and nothing that still loads. Evaluated in the page. The grey lines of
 * console/src/kit/states.tsx stand for what is loading.
 */
export const SETTLED = `(() => {
  const main = document.querySelector("main");
  return main?.querySelector("h1") != null && main.querySelector(".skeleton, .animate-spin") === null;
})()`;
