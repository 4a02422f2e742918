import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Locator } from "playwright-core";
import { formatMoney } from "../../../console/src/kit/format.ts";
import type { UsageExploration } from "../../../contract/usage.ts";
import { checkAccessibility, checkBothThemes } from "../../support/accessibility.ts";
import { DEVICES, goWithin, launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type ConsoleGateway, startConsoleGateway } from "../../support/console-gateway.ts";
import type { Gateway } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";
import { stayAt } from "../../support/staying.ts";
import { type PastUsage, restartWithPast } from "../../support/usage-history.ts";

/** The usage explorer, on thirty days of two keys and five models. */

setDefaultTimeout(60_000);

const MODELS = [
  ["anthropic/claude-opus-4-6", 5_200],
  ["anthropic/claude-sonnet-4-6", 3_100],
  ["openai/gpt-5.4", 2_600],
  ["openai/gpt-5.4-mini", 800],
  ["google/gemini-3-flash", 450],
] as const;

let browser: TestBrowser;
let running: ConsoleGateway;
let gateway: Gateway;
let account: string;
let keys: { production: string; nightly: string };
let past: PastUsage[];

beforeAll(async () => {
  [browser, running] = await Promise.all([launchBrowser(), startConsoleGateway()]);
  const { admin } = running.gateway;
  account = (await admin<{ id: string }>("POST", "/accounts", { email: "usage@example.com", credit: "250" })).id;
  const key = async (name: string) => (await admin<{ id: string }>("POST", "/keys", { account, name })).id;
  keys = { production: await key("Production"), nightly: await key("Nightly report") };
  past = pastOf(account, keys);
  gateway = await restartWithPast(running.gateway, past);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await running?.[Symbol.asyncDispose]();
});

/** Forty days: busier in the week than at its end, and growing; the nightly report uses two models. */
function pastOf(of_account: string, { production, nightly }: typeof keys): PastUsage[] {
  return Array.from({ length: 40 }, (_, days_ago) => days_ago).flatMap((days_ago) => {
    const weekday = new Date(Date.now() - days_ago * 86_400_000).getUTCDay();
    const pace = (weekday % 6 === 0 ? 0.35 : 1) * (1 - days_ago / 60) * (1 + ((days_ago * 7) % 5) / 12);
    return MODELS.flatMap(([model, price], index) => {
      const requests = Math.round(pace * (140 + index * 155));
      const row = { account: of_account, model, days_ago };
      const day = { ...row, key: production, requests, cost_micro: requests * price, failures: index === 2 ? 3 : 0 };
      const night = { ...row, key: nightly, requests: 12, cost_micro: 12 * price };
      return index < 2 ? [day, night] : [day];
    });
  });
}

const sum = (rows: readonly PastUsage[]) => rows.reduce((total, { cost_micro }) => total + cost_micro, 0);
const dollars = (micro: number) => formatMoney(micro, "USD", "en-US");

const memberAt = (path: string) => stayAt(browser, gateway, path, { role: "member", account });

async function isFocused(element: Locator): Promise<boolean> {
  return (await element.and(element.page().locator(":focus")).count()) === 1;
}

test("thirty days by day and model add up, and every choice is in the address", async () => {
  const page = await memberAt("/usage");
  const total = page.getByText("Spend", { exact: true }).first().locator("..");
  const month = past.filter(({ days_ago }) => days_ago < 30);
  await total.getByText(dollars(sum(month))).waitFor();
  await page.getByRole("img", { name: /Spend by day and model/ }).waitFor();
  await page.getByText("50 of 150 rows").waitFor();
  await checkBothThemes(page);
  await screenshot(page, "usage");

  await page.getByLabel("Range").selectOption("7d");
  await page.getByLabel("Group by").selectOption("key");
  await page.waitForURL(/by=key/);
  const week = past.filter(({ days_ago }) => days_ago < 7);
  await total.getByText(dollars(sum(week))).waitFor();
  const rows = page.getByRole("table", { name: "Usage" }).getByRole("row");
  await page.getByRole("list", { name: "Spend by key" }).getByText("Production").waitFor();
  expect(await rows.count()).toBe(3);
  await checkBothThemes(page);

  await page.getByRole("combobox", { name: "Key" }).click();
  await page.keyboard.type("nightly");
  await page.getByRole("option", { name: /^Nightly report/ }).click();
  const nightly = week.filter(({ key }) => key === keys.nightly);
  await total.getByText(dollars(sum(nightly))).waitFor();
  await page.getByRole("combobox", { name: "Model" }).fill("opus");
  await page.keyboard.press("Enter");
  await total.getByText(dollars(sum(nightly.filter(({ model }) => model.includes("opus"))))).waitFor();
  const { searchParams } = new URL(page.url());
  expect(Object.fromEntries(searchParams)).toEqual({
    range: "7d",
    by: "key",
    key: keys.nightly,
    model: "anthropic/claude-opus-4-6",
  });
  await page.reload();
  await total.getByText(dollars(sum(nightly.filter(({ model }) => model.includes("opus"))))).waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await total.getByText(dollars(sum(month))).waitFor();
});

test("the table is sorted by its columns' heads, shows all rows on request, and leads to requests", async () => {
  const page = await memberAt("/usage?by=model");
  const first = page.getByRole("table", { name: "Usage" }).getByRole("rowheader").first();
  await page.getByRole("button", { name: "Requests", exact: true }).click();
  await page.waitForURL(/sort=-requests/);
  expect(await first.textContent()).toBe("google/gemini-3-flash");
  await page.getByRole("button", { name: "Model", exact: true }).click();
  await page.waitForURL(/sort=group/);
  expect(await first.textContent()).toBe("anthropic/claude-opus-4-6");
  await goWithin(page, "/console/usage?range=90d&by=day,model&sort=-day");
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByRole("table", { name: "Usage" }).getByRole("row").nth(200).waitFor();
  expect(await page.getByRole("table", { name: "Usage" }).getByRole("rowheader").count()).toBe(200);
  await goWithin(page, "/console/usage?by=model");
  await page.getByRole("table", { name: "Usage" }).getByRole("link", { name: "openai/gpt-5.4", exact: true }).click();
  await page.waitForURL(/\/requests\?model=openai%2Fgpt-5.4$/);
});

test("the file has the values of the page, exact to the micro unit", async () => {
  const page = await memberAt("/usage?range=7d&by=day,key");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^usage-day-key-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
  const [header = "", ...lines] = (await Bun.file(await download.path()).text()).trim().split("\r\n");
  const column = header.split(",").indexOf("cost_micro");
  const total = lines.reduce((all, line) => all + Number(line.split(",")[column]), 0);
  expect(lines).toHaveLength(14);
  expect(total).toBe(sum(past.filter(({ days_ago }) => days_ago < 7)));
});

test("custom days, an invalid range, and days without use are shown", async () => {
  const page = await memberAt("/usage?range=today&by=day");
  await page.getByRole("img", { name: /Spend by day/ }).waitFor();
  await page.getByLabel("Range").selectOption("custom");
  const today = new Date().toISOString().slice(0, 10);
  expect(await page.getByLabel("From").inputValue()).toBe(today);
  await page.getByLabel("From").fill("2020-01-01");
  await page.getByText("A report has at most 366 days.").waitFor();
  await page.getByLabel("To", { exact: true }).fill("2020-01-31");
  await page.getByText("Nothing was used").waitFor();
  await checkBothThemes(page);
});

test("an amount is exact when the keyboard stops at it, and a phone shows the whole page", async () => {
  const page = await memberAt("/usage");
  await page.setViewportSize(DEVICES.phone);
  const spend = page.getByText("Spend", { exact: true }).first().locator("..").locator("data").first();
  await spend.waitFor();
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByRole("combobox", { name: "Model" }).focus();
  for (let stop = 0; stop < 3 && !(await isFocused(spend)); stop += 1) await page.keyboard.press("Tab");
  const month = sum(past.filter(({ days_ago }) => days_ago < 30));
  await page
    .getByRole("tooltip")
    .getByText(`${month.toLocaleString("en-US")} micro`)
    .waitFor();
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await checkAccessibility(page);
});

test("what stored answers saved stands beside the spend, of an account and not of a part of it", async () => {
  const email = "stored@example.com";
  const { id } = await gateway.admin<{ id: string }>("POST", "/accounts", { email, credit: "25" });
  const { key } = await gateway.admin<{ key: string }>("POST", "/keys", { account: id, name: "Bot" });
  for (let calls = 0; calls < 4; calls += 1)
    await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "x-camino-cache": "10m" },
      body: JSON.stringify({
        model: "openai/gpt-5.4",
        messages: [{ role: "user", content: "How far is it to go? ".repeat(60) }],
      }),
    }).then((answer) => answer.text());
  // The counts are written within seconds.
  const sums = async () =>
    (await gateway.admin<UsageExploration>("GET", `/usage/explore?account=${id}`)).cache ?? { hits: 0, misses: 0 };
  for (let { hits, misses } = await sums(); hits + misses < 4; { hits, misses } = await sums()) await Bun.sleep(200);
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await signIn(visitor, gateway, { role: "member", account: id });
  await page.goto("/console/usage");
  const tile = page.getByText("Saved by stored answers").locator("..");
  await tile.getByText("found for 75% of 4 requests that asked").waitFor();
  await checkBothThemes(page);
  const stored = page.getByRole("region", { name: "Stored answers" });
  await stored.getByText(/B, encrypted; all accounts together may have/).waitFor();
  await stored.getByRole("button", { name: "Remove them" }).click();
  const asked = page.getByRole("dialog", { name: "Remove this account's stored answers?" });
  await asked.getByText("are charged in full").waitFor();
  await asked.getByRole("button", { name: "Remove stored answers" }).click();
  await page.getByText("1 stored answer removed").waitFor();
  await stored.waitFor({ state: "detached" });
  await goWithin(page, "/console/usage?model=openai%2Fgpt-5.4");
  // The view before had the other tiles too, and is shown until this one's report has come.
  await tile.waitFor({ state: "detached" });
  await page.getByText("Tokens out").first().waitFor();
});
