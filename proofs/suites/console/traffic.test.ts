import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { checkAccessibility, checkBothThemes } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type ConsoleGateway, startConsoleGateway } from "../../support/console-gateway.ts";
import type { Gateway } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { FORGET_TRAFFIC } from "../../support/showcase.ts";
import { signIn } from "../../support/sign-in.ts";
import { stayAt } from "../../support/staying.ts";

/** The whole gateway at a glance: three accounts, six models, a vendor's failures, over a week. */

setDefaultTimeout(60_000);

const ACCOUNTS = [
  { email: "research@example.com", calls: 30 },
  { email: "support-desk@example.com", calls: 18 },
  { email: "a-rather-long-department-name.emea@subsidiary.example.com", calls: 9 },
];
const MODELS = [
  ...["anthropic/claude-opus-4-6", "anthropic/claude-sonnet-4-6", "openai/gpt-5.4", "google/gemini-3-flash"],
  ...["openai/gpt-5.4-down", "openai/gpt-5.4-flaky"],
];
const HOUR_MS = 3_600_000;
/** Calls of an account without money. */
const REFUSED = 3;

let browser: TestBrowser;
let running: ConsoleGateway;
let gateway: Gateway;
let accounts: { readonly id: string; readonly email: string }[];

beforeAll(async () => {
  [browser, running] = await Promise.all([launchBrowser(), startConsoleGateway()]);
  const { gateway: first } = running;
  accounts = [];
  for (const { email, calls } of ACCOUNTS) {
    const { id } = await first.admin<{ id: string }>("POST", "/accounts", { email, credit: "250" });
    const { key } = await first.admin<{ key: string }>("POST", "/keys", { account: id, name: "Production" });
    accounts.push({ id, email });
    for (let call = 0; call < calls; call += 1) await ask(first, key, MODELS[call % MODELS.length] ?? "", call);
  }
  const { id: empty } = await first.admin<{ id: string }>("POST", "/accounts", { email: "empty@example.com" });
  const { key } = await first.admin<{ key: string }>("POST", "/keys", { account: empty, name: "Without money" });
  for (let call = 0; call < REFUSED; call += 1) await ask(first, key, MODELS[0] ?? "", call);
  await first.stop();
  spread(first.data);
  gateway = await first.restart();
  await counted();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await running?.[Symbol.asyncDispose]();
});

const CALLS = REFUSED + ACCOUNTS.reduce((sum, { calls }) => sum + calls, 0);

/** Waits until the gateway has counted all calls: it does so every few seconds. */
async function counted(): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    const { total } = await gateway.admin<{ total: { requests: number } }>("GET", "/usage/traffic");
    if (total.requests === CALLS) return;
    await Bun.sleep(500);
  }
  throw new Error("the calls were not counted");
}

async function ask({ url }: Gateway, key: string, model: string, call: number): Promise<void> {
  const content = "pilgrim ".repeat(40 + ((call * 37) % 11) * 60);
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 400, messages: [{ role: "user", content }] }),
  });
  await response.text();
}

/** Moves the requests apart, over six days, and a quarter of them into the last day. Only their times change. */
function spread(data: string): void {
  using database = new Database(join(data, "camino.db"));
  const guards = database
    .query<{ name: string; sql: string }, []>("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    .all();
  database.transaction(() => {
    for (const { name } of guards) database.run(`DROP TRIGGER ${name}`);
    const requests = database.query<{ seq: number }, []>("SELECT seq FROM requests ORDER BY seq").all();
    for (const [at, { seq }] of requests.entries()) {
      const back_ms = at % 4 === 0 ? ((at * 5) % 23) * HOUR_MS : (24 + ((at * 7) % 120)) * HOUR_MS;
      database.run("UPDATE requests SET created_ms = created_ms - ?1, ended_ms = ended_ms - ?1 WHERE seq = ?2", [
        back_ms,
        seq,
      ]);
    }
    for (const statement of FORGET_TRAFFIC) database.run(statement);
    for (const { sql } of guards) database.run(sql);
  })();
}

const administratorAt = (path: string) => stayAt(browser, gateway, path);

test("an administrator chooses all accounts, sees who spent most and what failed, and finds its way down", async () => {
  const page = await administratorAt("/usage?account=all");
  expect(await page.getByRole("combobox", { name: "Group by" }).inputValue()).toBe("account");
  const table = page.getByRole("table", { name: "Traffic by account" });
  for (const { email } of accounts) await table.getByRole("link", { name: email }).waitFor();
  await page.getByRole("img", { name: /Spend by day and account/ }).waitFor();
  await page.getByText(/^Times are in /).waitFor();
  await checkBothThemes(page);
  await page.getByRole("heading", { name: "Usage" }).click();
  await screenshot(page, "traffic");

  await page.getByLabel("Group by").selectOption("Vendor");
  const vendors = page.getByRole("table", { name: "Traffic by vendor" });
  await vendors.getByRole("link", { name: "openai" }).click();
  await page.getByRole("table", { name: "Traffic by route" }).getByRole("link", { name: "openai fail-400" }).click();
  const errors = page.getByRole("table", { name: "Traffic by error" });
  await errors.getByRole("rowheader", { name: "invalid_request" }).or(errors.getByRole("rowheader")).first().waitFor();
  expect(new URL(page.url()).searchParams.get("route")).toBe("openai fail-400");

  await page.getByLabel("Range").selectOption("Last 24 hours");
  await page.getByLabel("Measure").selectOption("Time to first byte");
  await page.getByRole("img", { name: /Time to first byte by hour/ }).waitFor();
});

test("the overview of all accounts shows the last day, and each leader leads to its figures", async () => {
  const page = await administratorAt("/");
  await page
    .getByRole("button", { name: /Account/ })
    .first()
    .click();
  await page.getByRole("option", { name: /All accounts/ }).click();
  await page.getByText("All accounts, the last 24 hours.").waitFor();
  const leaders = page.getByRole("list", { name: "Who spent most" });
  await leaders.getByRole("link", { name: "research@example.com" }).waitFor();
  await page.getByRole("list", { name: "Vendors that failed" }).getByText("openai").waitFor();
  await page.getByRole("table", { name: "Latest requests" }).waitFor();
  await checkAccessibility(page);
  await screenshot(page, "overview-all");
  await leaders.getByRole("link", { name: "research@example.com" }).click();
  await page.getByText("available", { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get("account")).toBe(accounts[0]?.id ?? "");
});

test("the requests of all accounts name their accounts, and none is cut off at any width", async () => {
  const page = await administratorAt("/requests?account=all");
  const table = page.getByRole("table", { name: "Requests" });
  await table.getByRole("columnheader", { name: "Account" }).waitFor();
  await table.getByRole("link", { name: "research@example.com" }).first().waitFor();
  await checkBothThemes(page);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download CSV" }).click(),
  ]);
  const lines = (await Bun.file(await download.path()).text()).trim().split("\r\n");
  expect(lines).toHaveLength(1 + CALLS - REFUSED);
  expect(lines[0]).toStartWith("id,client_request_id,created_at,ended_at,account,account_email,key,key_name,endpoint,");
  for (const width of [390, 1280, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate<number>("Math.max(0, document.documentElement.scrollWidth - innerWidth)");
    expect([width, overflow]).toEqual([width, 0]);
  }
  await table.getByRole("link", { name: "research@example.com" }).first().click();
  await table.getByRole("columnheader", { name: "Account" }).waitFor({ state: "detached" });
});

test("refused requests are found, with why and whose they were, and as a file", async () => {
  const page = await administratorAt("/requests?account=all");
  await page.getByLabel("Status").selectOption("Refused");
  const table = page.getByRole("table", { name: "Refused requests" });
  const row = table.getByRole("row").filter({ hasText: "insufficient_balance" });
  await row.getByRole("link", { name: "empty@example.com" }).waitFor();
  expect(await row.getByText("402", { exact: true }).count()).toBe(1);
  expect(await row.getByRole("cell", { name: String(REFUSED), exact: true }).count()).toBe(1);
  await checkBothThemes(page);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download CSV" }).click(),
  ]);
  expect(await Bun.file(await download.path()).text()).toContain(",402,insufficient_balance,3,req_");
  await page.getByLabel("Status").selectOption("Failed");
  await page.getByRole("table", { name: "Requests" }).getByText("failed").first().waitFor();
});

test("the health page has the vendors' calls of the last day or week, also from before the gateway was started", async () => {
  const page = await administratorAt("/admin/health");
  const vendors = page.getByRole("region", { name: "Vendors" });
  await vendors.getByRole("link", { name: "anthropic" }).waitFor();
  await vendors.getByRole("img", { name: "anthropic: none failed" }).waitFor();
  await page.getByLabel("Period of the vendors").selectOption("Last 7 days");
  await vendors.getByRole("img", { name: /^openai: the worst was .* of \d+ failed$/ }).waitFor();
  await vendors.getByText(/% failed; .*provider_error \d+.*|% failed; .*model_unavailable \d+/).waitFor();
  await vendors.scrollIntoViewIfNeeded();
  await checkBothThemes(page);
  await screenshot(page, "vendor-history");
});

test("the table is had as a file, which the browser downloads", async () => {
  const page = await administratorAt("/usage?account=all&by=model");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^traffic-model-.*\.csv$/);
  const text = await Bun.file(await download.path()).text();
  expect(text.split("\r\n")[0]).toStartWith("model,name,requests,answered,failed");
  expect(text).toContain("anthropic/claude-opus-4-6,,");
});

test.each(["vendor", "route"])(
  "latencies and tokens per second over time are had of each %s, as a table and as a file too",
  async (by) => {
    const page = await administratorAt(`/usage?account=all&by=${by}&measure=first_byte`);
    await page.getByRole("img", { name: /^Time to first byte by day\. / }).waitFor();
    const caption = `Time to first byte on average by day and ${by}`;
    const chart = page.getByRole("img", { name: new RegExp(`^${caption}\\. The most is`) });
    await chart.waitFor();
    await checkBothThemes(page);
    const part = page
      .locator("div")
      .filter({ has: page.getByRole("heading", { level: 3, name: caption }) })
      .last();
    await part.getByRole("button", { name: "Show as a table" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      part.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`time-to-first-byte-on-average-by-day-and-${by}.csv`);
    const [head = "", ...days] = (await Bun.file(await download.path()).text()).trim().split("\r\n");
    expect(head).toMatch(by === "vendor" ? /^Time,(?=.*anthropic)(?=.*openai)/ : /^Time,(?=.*anthropic [\w-]+)/);
    expect(days).toHaveLength(7);
    for (const day of days) expect(day).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z(,\d*)+$/);
    await page.getByLabel("Measure").selectOption("Tokens per second");
    await page.getByRole("img", { name: new RegExp(`^Tokens per second by day and ${by}`) }).waitFor();
  },
);

test("hours, days and months are those of the viewer's time zone", async () => {
  const visitor = await browser.visit(gateway.url, { zone: "Asia/Tokyo" });
  await signIn(visitor, gateway);
  const { page } = visitor;
  await page.goto("/console/usage?account=all&by=model&range=30d");
  await page.getByText("Times are in Asia/Tokyo.").waitFor();
  await page.getByRole("button", { name: "Show as a table" }).click();
  const days = await page.evaluate<string[]>("[...document.querySelectorAll('table time')].map((day) => day.dateTime)");
  expect(days).toHaveLength(30);
  // Midnight in Tokyo.
  for (const day of days) expect(day).toEndWith("T15:00:00.000Z");
});

test("a chart of spend is a file of amounts with all of their digits", async () => {
  const page = await administratorAt("/usage?account=all&by=model");
  await page.getByRole("button", { name: "Show as a table" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("spend-by-day-and-model.csv");
  const rows = (await Bun.file(await download.path()).text()).trim().split("\r\n").slice(1);
  const { total } = await gateway.admin<{ total: { charge_micro: number } }>("GET", "/usage/traffic?by=model");
  const amounts = rows.flatMap((row) => row.split(",").slice(1)).map((amount) => Math.round(Number(amount) * 1e6));
  expect(amounts.reduce((sum, micro) => sum + micro, 0)).toBe(total.charge_micro);
});

test("a member's usage shows traffic of the own account alone, without the margin, and no choice of all", async () => {
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway, { role: "member", account: accounts[1]?.id ?? "" });
  const { page } = visitor;
  await page.goto("/console/usage?account=all&view=traffic");
  const table = page.getByRole("table", { name: "Traffic by model" });
  await table.getByRole("link", { name: "openai/gpt-5.4", exact: true }).waitFor();
  expect(await page.locator("main").textContent()).not.toContain("Margin");
  expect(await page.getByLabel("Group by").getByRole("option").allTextContents()).not.toContain("Account");
  await page.getByText("18", { exact: true }).first().waitFor();
  await page.getByRole("tab", { name: "Billing" }).click();
  await page.getByText("Days begin at midnight UTC.").waitFor();
});
