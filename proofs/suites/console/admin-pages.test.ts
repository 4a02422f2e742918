import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { checkAccessibility } from "../../support/accessibility.ts";
import { type AdminScene, populate, startAdminScene } from "../../support/admin-scene.ts";
import { DEVICES, goTo, goWithin, launchBrowser, type TestBrowser } from "../../support/browser.ts";
import type { Gateway } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** Every administrators' page: accessible, on a phone, in the dark, when a call fails, and hidden from members. */

setDefaultTimeout(60_000);

interface Shown {
  readonly path: (studio: string) => string;
  readonly heading: string;
  /** Resolves when the page has loaded. */
  readonly ready: (page: Page) => Promise<void>;
}

const seen = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor();

// The lists of models have a row for each that is bundled, all of one make: a few of them are looked at.
const PAGES: Readonly<Record<string, Shown>> = {
  accounts: { path: () => "/admin/accounts", heading: "Accounts", ready: seen("Payments team") },
  account: {
    path: (studio) => `/admin/accounts/${studio}`,
    heading: "Example Studio",
    ready: seen("Latest ledger entries"),
  },
  users: { path: () => "/admin/users", heading: "Users", ready: seen("Bo Chen") },
  invitations: { path: () => "/admin/users?tab=invitations", heading: "Users", ready: seen("grace@example.com") },
  vendors: { path: () => "/admin/vendors", heading: "Vendors", ready: seen("Mistral AI") },
  vendor: { path: () => "/admin/vendors/anthropic", heading: "Anthropic", ready: seen("acme/thinker") },
  prices: { path: () => "/admin/prices?q=acme", heading: "Prices", ready: seen("acme/swift-1") },
  price: {
    path: () => "/admin/prices?q=haiku&model=anthropic/claude-haiku-4-5",
    heading: "Prices",
    ready: seen("As bundled"),
  },
  routes: { path: () => "/admin/routes?q=acme", heading: "Routes", ready: seen("acme/swift-1") },
  limits: { path: () => "/admin/limits", heading: "Limits", ready: seen("Notebooks EU") },
  health: { path: () => "/admin/health", heading: "Health", ready: seen("SQLite, embedded") },
  audit: { path: () => "/admin/audit?actor=admin-token", heading: "Audit log", ready: seen("changed the key") },
};

let browser: TestBrowser;
let scene: AdminScene;
let gateway: Gateway;
let studio: string;

beforeAll(async () => {
  [browser, scene] = await Promise.all([launchBrowser(), startAdminScene()]);
  gateway = scene.gateway;
  ({ studio } = await populate(gateway));
  const member = await gateway.admin<{ link: string }>("POST", "/invitations", {
    email: "bo@example.com",
    account: studio,
  });
  const accepted = await fetch(`${gateway.url}/console/api/session/link`, {
    method: "POST",
    body: JSON.stringify({
      token: member.link.split("#token=")[1],
      name: "Bo Chen",
      password: "a-long-enough-password",
    }),
  });
  expect(accepted.status).toBe(200);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await scene?.[Symbol.asyncDispose]();
});

/** Adds the page's name to an error. */
async function at(name: string, look: () => Promise<void>): Promise<void> {
  try {
    await look();
  } catch (thrown) {
    throw new Error(`on the page ${name}: ${thrown instanceof Error ? thrown.message : thrown}`, { cause: thrown });
  }
}

/** The page's width, once the browser has drawn it anew: media queries are evaluated again only then. */
const WIDTH = `new Promise((told) => requestAnimationFrame(() => requestAnimationFrame(
  () => told(document.documentElement.scrollWidth))))`;

const LOOKS = [
  { theme: "light", device: "desktop" },
  { theme: "dark", device: "phone" },
] as const;

/** A few pages to a test: one test of all would take as long as a test may where the machine is busy. */
const PARTS = Array.from({ length: Math.ceil(Object.keys(PAGES).length / 3) }, (_, part) =>
  Object.keys(PAGES).slice(3 * part, 3 * part + 3),
);

test.each(PARTS.map((names) => [names.join(", "), names] as const))(
  "accessible, light and dark, wide and narrow: %s",
  async (_list, names) => {
    const { page } = await browser.stay(gateway.url, async (visitor) => {
      await signIn(visitor, gateway);
      await visitor.page.goto("/console/settings");
      await visitor.page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    });
    const looks = [...LOOKS];
    for (const name of names) {
      const { path, heading, ready } = PAGES[name] as Shown;
      await at(name, async () => {
        await goWithin(page, `/console${path(studio)}`);
        await page.getByRole("heading", { name: heading, level: 1, includeHidden: true }).waitFor();
        await ready(page);
        expect(await page.title()).toEndWith("· Camino");
        for (const { theme, device } of looks) {
          await page.emulateMedia({ colorScheme: theme });
          await page.locator(`html[data-theme=${theme}]`).waitFor();
          await page.setViewportSize(DEVICES[device]);
          expect(await page.evaluate(WIDTH)).toBeLessThanOrEqual(DEVICES[device].width);
          await checkAccessibility(page);
        }
        // The next page opens in the look in which this page was left, which halves the number of changes.
        looks.reverse();
        // proofs/suites/console/admin-vendors.test.ts takes the picture of Health, while requests run.
        if (name !== "health") await screenshot(page, `admin-${name}`);
      });
    }
  },
);

test("no page exists for members, and none requests data that members may not see", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await signIn(visitor, gateway, { role: "member", account: studio });
  for (const [name, { path }] of Object.entries(PAGES)) {
    await at(name, async () => {
      await page.goto(`/console${path(studio)}`);
      await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    });
  }
  const own = ["/console/api/session", "/console/api/session/methods"];
  expect(asked.filter((path) => path.startsWith("/console/api/") && !own.includes(path))).toEqual([]);
});

/** The list that each page reads. */
const LISTS: Readonly<Record<string, string>> = {
  "/admin/accounts": "accounts?*",
  "/admin/users": "users?*",
  "/admin/vendors": "vendors",
  "/admin/vendors/anthropic": "vendors/anthropic",
  "/admin/prices": "prices",
  "/admin/routes": "routes",
  "/admin/limits": "limits",
  "/admin/health": "health",
  "/admin/audit": "audit-log?*",
};

test("every page says why it could not be loaded, and tries again", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await signIn(visitor, gateway);
  const refusal = {
    error: { message: "This is only a test.", type: "invalid_request_error", code: "no", param: null },
  };
  for (const [nth, [path, list]] of Object.entries(LISTS).entries()) {
    await at(path, async () => {
      const url = `${gateway.url}/console/api/${list}`;
      await page.route(url, (call) => call.fulfill({ status: 400, json: refusal }));
      if (nth === 0) await page.goto(`/console${path}`);
      else await goWithin(page, `/console${path}`);
      const alert = page.getByRole("alert").filter({ hasText: "This is only a test." });
      await alert.waitFor();
      await page.unroute(url);
      await alert.getByRole("button", { name: "Try again" }).click();
      await alert.waitFor({ state: "hidden" });
    });
  }
});

test("an object that does not exist gets a page that says so, with a way back", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await signIn(visitor, gateway);
  await page.goto("/console/admin/accounts/acct_none");
  await page.getByText("There is no such account").waitFor();
  await checkAccessibility(page);
  await page.getByRole("link", { name: "All accounts" }).click();
  await page.getByLabel("E-mail, name or id").fill("nobody at all");
  await page.getByText("No account matches").waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe("nobody at all");
  await page.goto("/console/admin/vendors/none");
  await page.getByText("There is no such vendor").waitFor();
  for (const page_path of ["users", "vendors", "prices", "routes", "limits"]) {
    await goTo(page, `/console/admin/${page_path}?q=nobody`);
    await page.getByText(/^No \w+ matches$/).waitFor();
  }
});

test("everything is reached by keyboard: from the page to a row, its link, its sort and back", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await signIn(visitor, gateway);
  await page.goto("/console/");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await page.keyboard.press("a");
  await page.keyboard.press("a");
  await page.getByRole("heading", { name: "Accounts", level: 1 }).waitFor();
  await page.getByRole("link", { name: "Payments team" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("example.com");
  await page.getByRole("button", { name: "Balance" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("th[aria-sort=descending]").getByText("Balance").waitFor();
  const first = page.locator("tbody [data-row-link]").first();
  expect(await first.textContent()).toBe("Payments team");
  await first.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Example Studio", level: 1 }).waitFor();
  await page.getByRole("button", { name: "More actions" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
});
