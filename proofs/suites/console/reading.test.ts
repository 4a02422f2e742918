import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { checkBothThemes } from "../../support/accessibility.ts";
import { DEVICES, launchBrowser, type TestBrowser, type VisitOptions } from "../../support/browser.ts";
import { type Showcase, startShowcase } from "../../support/showcase.ts";
import { type PersonOptions, signIn } from "../../support/sign-in.ts";

/** What makes lists and forms easy to read: figures of one kind, heads that stay, filters that fold, buttons in sight, receipts on paper. */

setDefaultTimeout(60_000);

let browser: TestBrowser;
let showcase: Showcase;

beforeAll(async () => {
  browser = await launchBrowser({ scrollbars: "classic" });
  showcase = await startShowcase();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await showcase?.[Symbol.asyncDispose]();
});

async function visit(path: string, options: VisitOptions & { person?: PersonOptions } = {}): Promise<Page> {
  const { gateway, account } = showcase;
  const { person = {}, ...visiting } = options;
  const visitor = await browser.visit(gateway.url, visiting);
  await signIn(visitor, gateway, { account, ...person });
  await visitor.page.goto(`/console${path}`);
  await visitor.page.locator("main h1").waitFor();
  return visitor.page;
}

/** The texts of a table's column, by its head. */
async function column(page: Page, table: string, head: string): Promise<string[]> {
  const cells = page.getByRole("table", { name: table, exact: true }).locator(`tbody td[data-label="${head}"]`);
  await cells.first().waitFor();
  return await cells.allTextContents();
}

test("all figures of a column have the same decimals, and are exact on hover, also while the page scrolls beneath the pointer", async () => {
  const page = await visit("/usage?by=model&range=90d");
  const spend = await column(page, "Usage", "Spend");
  expect(spend.length).toBe(4);
  expect(new Set(spend.map((text) => text.split(".")[1]?.length)).size).toBe(1);
  for (const tokens of await column(page, "Usage", "Tokens in")) expect(tokens).toMatch(/^[\d,]+$/);
  for (const share of await column(page, "Usage", "Share")) expect(share).toMatch(/^\d+\.\d%$/);
  await page.getByRole("table", { name: "Usage" }).locator("data").first().hover();
  const hint = page.getByRole("tooltip").getByText(/^\d+\.\d{6} USD · [\d,]+ micro$/);
  await hint.waitFor();
  await page.evaluate(`new Promise((scrolled) => {
    document.body.style.minHeight = "200vh";
    addEventListener("scroll", () => requestAnimationFrame(scrolled), { once: true });
    scrollBy(0, 2);
  })`);
  await hint.waitFor();
});

test("a table's head stays in the window, and a page does not move sideways when it becomes longer than the window", async () => {
  const page = await visit("/usage?range=90d");
  const head = page.getByRole("table", { name: "Usage" }).locator("thead");
  await head.waitFor();
  const rows = page.getByRole("table", { name: "Usage" }).locator("tbody tr");
  await rows.nth(40).scrollIntoViewIfNeeded();
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  const box = await head.boundingBox();
  expect(box?.y ?? -1).toBeGreaterThanOrEqual(0);
  expect(box?.y ?? 0).toBeLessThan(10);
  const left = async (path: string): Promise<number> => {
    await page.goto(`/console${path}`);
    const title = page.locator("main h1");
    await title.waitFor();
    await page.waitForLoadState("networkidle");
    return (await title.boundingBox())?.x ?? -1;
  };
  expect(await left("/keys")).toBe(await left("/usage?range=90d"));
});

test("at the width of a small window, tables are tables still", async () => {
  const page = await visit("/requests");
  await page.setViewportSize({ width: 1024, height: 768 });
  await page.getByRole("table", { name: "Requests" }).locator("tbody tr").first().waitFor();
  const layout = page.getByRole("group", { name: "Requests" });
  expect(await layout.getAttribute("data-layout")).not.toBe("cards");
  expect(await page.getByRole("columnheader", { name: "Charge" }).isVisible()).toBe(true);
});

test("on a phone a range of time is told by its ends, and by its name while it has none", async () => {
  const page = await visit("/requests?time=custom&from=2026-01-01", { device: "phone" });
  await page.getByRole("button", { name: "Filters (1)" }).waitFor();
  await page.getByRole("button", { name: /^Clear the filter From Jan 1/ }).click();
  await page.getByRole("button", { name: "Clear the filter From … to …" }).click();
  await page.getByRole("button", { name: "Filters", exact: true }).waitFor();
});

test("on a phone filters fold into a button, with a chip for each that is set", async () => {
  const page = await visit("/requests?model=acme/swift-1&status=answered", { device: "phone" });
  const fold = page.getByRole("button", { name: "Filters (2)" });
  await fold.waitFor();
  expect(await page.getByLabel("Endpoint").isVisible()).toBe(false);
  const first = page.getByRole("table", { name: "Requests" }).locator("tbody tr").first();
  expect((await first.boundingBox())?.y ?? 9999).toBeLessThan(DEVICES.phone.height);
  await checkBothThemes(page);
  await page.getByRole("button", { name: "Clear the filter Answered" }).click();
  await page.getByRole("button", { name: "Filters (1)" }).click();
  await page.getByLabel("Endpoint").waitFor();
  expect(new URL(page.url()).searchParams.get("status")).toBe(null);
  await checkBothThemes(page);
});

test("a receipt is printed without the navigation and its buttons, in dark ink", async () => {
  const page = await visit("/requests", { theme: "dark" });
  await page.getByRole("table", { name: "Requests" }).getByRole("link").first().click();
  await page.getByRole("button", { name: "Print" }).waitFor();
  await page.emulateMedia({ media: "print" });
  expect(await page.getByRole("navigation").count()).toBe(0);
  expect(await page.getByRole("button").count()).toBe(0);
  await page.getByRole("table", { name: "Token classes and what they cost" }).waitFor();
  const ink = `getComputedStyle(document.querySelector("main h1")).color`;
  expect(await page.evaluate<string>(ink)).toBe("rgb(29, 31, 30)");
  await page.emulateMedia({ media: "screen" });
});

test("the buttons of a long form stay in sight, and a vendor's defaults are in its fields", async () => {
  const page = await visit("/admin/configuration/model/new");
  await page.setViewportSize({ width: 1024, height: 600 });
  const button = page.getByRole("button", { name: "Preview the change" });
  const box = await button.boundingBox();
  expect((box?.y ?? 9999) + (box?.height ?? 0)).toBeLessThanOrEqual(600);
  await page.goto("/console/keys/new");
  const create = await page.getByRole("button", { name: "Create key", exact: true }).boundingBox();
  expect((create?.y ?? 9999) + (create?.height ?? 0)).toBeLessThanOrEqual(600);
  await page.goto("/console/admin/configuration/vendor/new");
  await page.getByRole("textbox", { name: "Connect" }).waitFor();
  const defaults: (string | null)[] = [];
  for (const name of ["Connect", "First byte", "Between chunks", "Total"])
    defaults.push(await page.getByRole("textbox", { name, exact: true }).getAttribute("placeholder"));
  expect(defaults).toEqual(["3s", "2m", "1m", "30m"]);
});

test("keys that nobody has used for 90 days are told to administrators, and found", async () => {
  const old = await showcase.gateway.admin<{ id: string }>("POST", "/keys", {
    account: showcase.account,
    name: "Forgotten",
  });
  using database = new Database(join(showcase.gateway.data, "camino.db"));
  database.run("UPDATE keys SET created_ms = created_ms - 200 * 86400000 WHERE id = ?", [old.id]);
  const page = await visit("/");
  const advice = page.getByRole("region", { name: "Needs attention" });
  await advice.getByText(/1 active key unused for 90 days/).waitFor();
  await checkBothThemes(page);
  await advice.getByRole("link", { name: "1 active key" }).click();
  await page.getByRole("table", { name: "Keys" }).getByRole("link", { name: "Forgotten" }).waitFor();
  expect(await page.getByRole("table", { name: "Keys" }).locator("tbody tr").count()).toBe(1);
});
