import { onTestFinished } from "bun:test";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { unpackChromium } from "./chromium.ts";

/**
 * A real browser for tests of the console. One per test file, started in `beforeAll` beside a gateway of
 * test/support/gateway.ts, and closed in `afterAll`:
 *
 *     const browser = await launchBrowser();
 *     const visitor = await browser.visit(gateway.url, { theme: "dark" });
 *     await visitor.page.goto("/console/");
 *
 * A visitor is somebody at a browser of their own, with their own cookies, and leaves when the test ends. They are watched: a
 * page that throws, writes an error to its console, breaks its own content policy or asks another server for anything fails
 * the test. Beside it: checkAccessibility (accessibility.ts) and screenshot (screenshot.ts).
 */
export interface TestBrowser extends AsyncDisposable {
  /** Only inside of a test, which it belongs to. */
  visit(origin: string, options?: VisitOptions): Promise<Visitor>;
}

export interface VisitOptions {
  readonly theme?: "light" | "dark";
  readonly device?: keyof typeof DEVICES;
  readonly locale?: string;
  /** Problems that this test provokes. */
  readonly expected?: readonly RegExp[];
}

export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What has gone wrong so far, in words. */
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

export async function launchBrowser(): Promise<TestBrowser> {
  const { executable, fonts_file } = await unpackChromium();
  const browser = await chromium.launch({
    executablePath: executable,
    args: FLAGS,
    env: { PATH: process.env.PATH ?? "", FONTCONFIG_FILE: fonts_file },
  });
  return {
    visit: (origin, options) => visit(browser, origin, options),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function visit(browser: Browser, origin: string, options: VisitOptions = {}): Promise<Visitor> {
  const { theme = "light", device = "desktop", locale = "en-US", expected = [] } = options;
  const context = await browser.newContext({
    baseURL: origin,
    viewport: DEVICES[device],
    // Sharper pictures cost time that only pictures are worth.
    deviceScaleFactor: process.env.SCREENSHOTS ? 2 : 1,
    colorScheme: theme,
    // Pictures and checks of a page that still moves would differ from run to run.
    reducedMotion: "reduce",
    locale,
    timezoneId: "UTC",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const problems: string[] = [];
  context.on("page", (page) => watch(page, origin, problems));
  const page = await context.newPage();
  const unexpected = () => problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
  onTestFinished(async () => {
    await context.close();
    if (unexpected().length > 0) throw new Error(`the visit went wrong:\n${unexpected().join("\n")}`);
  });
  return { page, context, problems: unexpected };
}

/** A refusal of the API is an answer; the browser notes each of them in the page's console all the same. */
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
