import { onTestFinished } from "bun:test";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { unpackChromium } from "./chromium.ts";

/**
 * A real browser for tests of the console, taken in `beforeAll` beside a gateway of proofs/support/gateway.ts, and given back in
 * `afterAll`. Test files that share a process share the browser: starting one costs a second of processor time.
 *
 *     const browser = await launchBrowser();
 *     const visitor = await browser.visit(gateway.url, { theme: "dark" });
 *     await visitor.page.goto("/console/");
 *
 * A visitor has a browser window with cookies of its own, and leaves when the test ends. Visitors are watched: a
 * page that throws, writes an error to its console, breaks its own content policy or asks another server for anything fails
 * the test. Beside it: checkAccessibility (accessibility.ts) and screenshot (screenshot.ts).
 *
 * A later visitor gets the window of an earlier one, cleared of cookies, storage and everything else but the console's
 * files, which are cached and compiled: the first visit of a window costs half a second of processor time more. Files that share a
 * browser share windows where their gateways had the same port (gateway.ts).
 */
export interface TestBrowser extends AsyncDisposable {
  /** Opens a window for a visitor. Only inside of a test, with whose end the visitor leaves. */
  visit(origin: string, options?: VisitOptions): Promise<Visitor>;
  /**
   * The file's visitor who stays from test to test, on the page where the last test has left them, with what `enter` did once: sign in, and
   * open the console. For tests of one page after the other (`goTo`), where a new document and a new session for each would be most of what
   * they cost. Only inside of a test, whose problems are those of the test.
   */
  stay(origin: string, enter: (visitor: Visitor) => Promise<unknown>): Promise<Visitor>;
}

export interface VisitOptions {
  readonly theme?: "light" | "dark";
  readonly device?: keyof typeof DEVICES;
  readonly locale?: string;
  /** The visitor's time zone. Default: UTC. */
  readonly zone?: string;
  /** Problems that the test provokes. */
  readonly expected?: readonly RegExp[];
  /** Uses a window for this visitor only: for first visits, and for virtual devices that cannot be removed. */
  readonly alone?: boolean;
}

export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The problems so far, as sentences. */
  problems(): readonly string[];
}

export const DEVICES = {
  desktop: { width: 1280, height: 860 },
  phone: { width: 390, height: 844 },
} as const;

/** Runs as root in containers, talks to nobody but the pages' servers. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
];

/** How long something on a page may take to appear. */
const PATIENCE_MS = 15_000;

/** `scrollbars`: "classic" ones take room as on a desktop, in a browser of the file's own. Default: they lie over the page, as on a phone. */
export async function launchBrowser({ scrollbars = "overlay" }: LaunchOptions = {}): Promise<TestBrowser> {
  const own = scrollbars === "classic" ? await startBrowser(["--hide-scrollbars"]) : null;
  const browser = own ?? (await takeBrowser());
  const windows = new Set<BrowserContext>();
  let staying: Promise<Staying> | null = null;
  return {
    visit: (origin, options) => visit({ browser, windows }, origin, options),
    stay: async (origin, enter) => {
      staying ??= startStay(browser, origin, enter).catch((thrown: unknown) => {
        staying = null;
        throw thrown;
      });
      const { visitor, problems } = await staying;
      onTestFinished(() => {
        const found = problems.splice(0);
        if (found.length > 0) throw new Error(`the visit went wrong:\n${found.join("\n")}`);
      });
      return visitor;
    },
    [Symbol.asyncDispose]: async () => {
      const stayed = await staying?.catch(() => null);
      if (stayed) windows.add(stayed.visitor.context);
      await Promise.all([...windows].map((context) => context.close().catch(() => {})));
      await own?.close();
      await giveBack();
    },
  };
}

export interface LaunchOptions {
  readonly scrollbars?: "classic" | "overlay";
}

interface Staying {
  readonly visitor: Visitor;
  readonly problems: string[];
}

async function startStay(
  browser: Browser,
  origin: string,
  enter: (visitor: Visitor) => Promise<unknown>,
): Promise<Staying> {
  const page = await openWindow(browser, origin, {});
  const problems: string[] = [];
  watch(page, origin, problems);
  const visitor = { page, context: page.context(), problems: () => problems };
  await enter(visitor);
  return { visitor, problems };
}

let shared: Promise<Browser> | null = null;
/** How many files run in this process, of which each takes a browser once (scripts/suites.ts). */
const FILES = Number(process.env.TEST_BROWSER_FILES ?? 1);
let given_back = 0;

/** The process's browser; a new one where there is none, or where it has died. */
async function takeBrowser(): Promise<Browser> {
  const known = await shared?.catch(() => null);
  if (known?.isConnected()) return known;
  shared = startBrowser();
  return await shared;
}

/** Closes the browser behind the last file. Where a file did not come as far as to take it, it ends with the process. */
async function giveBack(): Promise<void> {
  given_back += 1;
  if (given_back >= FILES) await (await shared?.catch(() => null))?.close();
}

async function startBrowser(without: readonly string[] = []): Promise<Browser> {
  const { executable, fonts_file } = await unpackChromium();
  return await chromium.launch({
    executablePath: executable,
    args: FLAGS,
    ignoreDefaultArgs: [...without],
    env: { PATH: process.env.PATH ?? "", FONTCONFIG_FILE: fonts_file },
  });
}

/** Windows that the next visitor may have, by their origin, language and time zone. */
const free = new Map<string, Page[]>();

/** A file's part of the browser. */
interface Windows {
  readonly browser: Browser;
  /** Windows with a visitor. */
  readonly windows: Set<BrowserContext>;
}

async function visit({ browser, windows }: Windows, origin: string, options: VisitOptions = {}): Promise<Visitor> {
  const { expected = [], alone = false, locale, zone } = options;
  const alike = JSON.stringify([origin, locale, zone]);
  const page = (alone ? null : await takeFree(browser, alike, options)) ?? (await openWindow(browser, origin, options));
  const context = page.context();
  windows.add(context);
  const problems: string[] = [];
  const watchNew = (opened: Page) => watch(opened, origin, problems);
  watchNew(page);
  context.on("page", watchNew);
  const unexpected = () => problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
  onTestFinished(async () => {
    const again = !alone && (await clear(page, origin).catch(() => false));
    context.off("page", watchNew);
    windows.delete(context);
    if (again) free.set(alike, [...(free.get(alike) ?? []), page]);
    else await context.close();
    if (unexpected().length > 0) throw new Error(`the visit went wrong:\n${unexpected().join("\n")}`);
  });
  return { page, context, problems: unexpected };
}

/** An earlier visitor's window, in the look that the next one wants. */
async function takeFree(browser: Browser, alike: string, options: VisitOptions): Promise<Page | null> {
  const page = free.get(alike)?.pop();
  // Of a browser that has died nothing is left.
  if (page === undefined || page.isClosed() || page.context().browser() !== browser) return null;
  const { theme = "light", device = "desktop" } = options;
  await page.setViewportSize(DEVICES[device]);
  await page.emulateMedia({ colorScheme: theme });
  return page;
}

async function openWindow(browser: Browser, origin: string, options: VisitOptions): Promise<Page> {
  const { theme = "light", device = "desktop", locale = "en-US", zone = "UTC" } = options;
  const context = await browser.newContext({
    baseURL: origin,
    viewport: DEVICES[device],
    // Sharper drawing costs time, and only screenshots need it.
    deviceScaleFactor: process.env.SCREENSHOTS ? 2 : 1,
    colorScheme: theme,
    // Pictures and checks of a page that still moves would differ from run to run. A change of theme or width, too, takes no time then.
    reducedMotion: "reduce",
    locale,
    timezoneId: zone,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return context.newPage();
}

/**
 * Goes to another page of the console as a link does, without loading the document anew, which costs half a second of processor
 * time, and as much again until what runs in it is compiled.
 */
export async function goWithin(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)})`);
}

/** Goes within the document to a page of another kind, and waits until the heading of the page before is gone. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`new Promise((left) => {
    const before = document.querySelector("main h1");
    history.pushState(null, "", ${JSON.stringify(path)});
    const look = () => (before?.isConnected ? requestAnimationFrame(look) : left());
    look();
  })`);
}

/** Events that a test may listen to. The listeners are removed before the next visitor. */
const HEARD = ["console", "pageerror", "request", "requestfinished", "requestfailed", "response", "dialog", "download"];

/** Clears a window for the next visitor (proofs/suites/console/sign-in-page.test.ts); false where a new window is cheaper. */
async function clear(page: Page, origin: string): Promise<boolean> {
  const context = page.context();
  if (page.isClosed() || page.url() === "about:blank") return false;
  await context.unrouteAll({ behavior: "ignoreErrors" });
  await page.unrouteAll({ behavior: "ignoreErrors" });
  for (const other of context.pages()) if (other !== page) await other.close();
  // On a file that is no page, no script runs that could store data again.
  await page.goto(`${origin}${QUIET}`);
  await page.evaluate("localStorage.clear(); sessionStorage.clear()");
  await context.clearCookies();
  for (const event of HEARD) page.removeAllListeners(event);
  await page.mouse.move(0, 0);
  return true;
}

/** Blocks the first paint until the theme is known, and is a few lines long. */
const QUIET = "/console/theme.js";

/** The message that the browser writes to the page's console for each refusal of the API, which is no problem. */
const REFUSAL = /^Failed to load resource: the server responded with a status of 4\d\d /;

function watch(page: Page, origin: string, problems: string[]): void {
  page.on("console", (message) => {
    if (message.type() !== "error") return;
    const of_api = /^\/(console\/api|v1)\//.test(pathOf(message.location().url));
    if (!(of_api && REFUSAL.test(message.text()))) problems.push(`error in the console: ${message.text()}`);
  });
  page.on("pageerror", (error) => void problems.push(`the page threw: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) problems.push(`a request left the origin: ${url}`);
  });
}

function pathOf(url: string): string {
  return URL.parse(url)?.pathname ?? "";
}
