import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { PriceList } from "../../../contract/prices.ts";
import { checkBothThemes } from "../../support/accessibility.ts";
import { goTo, launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { numbersIn } from "../../support/read-numbers.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** The catalogue with credentials for several vendors, none of which is called. */

const NAMES = [
  ...["OPENAI", "ANTHROPIC", "GEMINI", "MISTRAL", "XAI", "DEEPSEEK", "GROQ", "COHERE", "MOONSHOT", "TOGETHER"],
  ...["FIREWORKS", "NVIDIA", "CEREBRAS", "PERPLEXITY", "DASHSCOPE", "ZAI", "MINIMAX", "UPSTAGE"],
];
const CREDENTIALS = Object.fromEntries(NAMES.map((name) => [`${name}_API_KEY`, "sk-not-a-real-credential"]));

/** Beside the bundled models, one whose price changes. */
const CONFIG = JSON.stringify({
  vendors: { sim: { base_url: "http://127.0.0.1:1/v1", protocol: ["chat-completions", "decisions"] } },
  models: {
    "sim/changing": {
      display_name: "Changing",
      price: [
        { input: 2, output: 8, cache_read: 0.2 },
        { from: "2099-01-01", input: 1, output: 4, tiers: [{ above_input_tokens: 200_000, input: 3, output: 12 }] },
      ],
    },
    "sim/decider": { kind: "decision", price: { input: 0.4 } },
    "sim/org/nested": { display_name: "Nested", price: { input: 0.000_001, output: 0.000_002 } },
  },
});

let browser: TestBrowser;
let gateway: Gateway;
let account: string;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([launchBrowser(), startGateway({ env: CREDENTIALS, config: CONFIG })]);
  const made = await gateway.newKey({
    name: "Assistant",
    aliases: [{ name: "smart", model: "anthropic/claude-sonnet-5" }],
    prefix_aliases: [{ prefix: "claude-", model: "anthropic/claude-sonnet-5" }],
  });
  account = made.account;
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

/** The member at a page of models. All tests but the phone's are one visit, which passes by another page in between. */
async function memberAt(path: string): Promise<Page> {
  const { page } = await browser.stay(gateway.url, async (visitor) => {
    await signIn(visitor, gateway, { role: "member", account });
    await visitor.page.goto("/console/settings");
    await visitor.page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  });
  if (new URL(page.url()).pathname !== "/console/settings") await goTo(page, "/console/settings");
  await goTo(page, `/console${path}`);
  return page;
}

const rowsOf = (page: Page) => page.getByRole("table", { name: "Models" }).locator("tbody tr");
const namesIn = (page: Page) => rowsOf(page).getByRole("rowheader").locator(".font-mono").allTextContents();

test("a long catalogue begins with its first rows, shows all when asked, and is searched from the keyboard", async () => {
  const page = await memberAt("/models");
  await page.getByText(/^\d{3} models$/).waitFor();
  expect(await rowsOf(page).count()).toBe(60);
  await page.getByRole("button", { name: /^Show all \d{3}$/ }).click();
  expect(await rowsOf(page).count()).toBeGreaterThan(100);

  await page.keyboard.press("/");
  await page.keyboard.type("claude");
  await page.waitForURL(/q=claude/);
  const named = await namesIn(page);
  expect(named.length).toBeGreaterThan(2);
  expect(named.every((id) => id.includes("claude"))).toBe(true);
});

test("a model that is charged by characters shows what they cost, and not that its tokens are free", async () => {
  const page = await memberAt("/models?q=tts-1");
  const row = rowsOf(page).filter({ hasText: "openai/tts-1-hd" });
  await row.getByText("a million characters").waitFor();
  expect(await row.locator("td[data-label='Other units'] data").textContent()).toBe("$30.00");
  expect(await row.locator("td[data-label=Input]").textContent()).toStartWith("–");
  const others = await memberAt("/models?q=claude");
  await rowsOf(others).first().waitFor();
  expect(await others.getByRole("columnheader", { name: "Other units" }).count()).toBe(0);
  const { data } = await gateway.admin<PriceList>("GET", "/prices");
  const priced = data.find(({ model }) => model === "openai/tts-1-hd");
  expect(priced?.effective.units_micro).toEqual({ input_characters: 30_000_000 });
});

test("the catalogue is filtered and sorted, and the address keeps filters and sort", async () => {
  const page = await memberAt("/models");
  await page.getByRole("button", { name: "Vision" }).click();
  await page.getByRole("button", { name: "Thinking" }).click();
  await page.waitForURL(/can=vision%2Cthinking/);
  await screenshot(page, "models");
  await page.getByLabel("Vendor").selectOption({ label: "OpenAI" });
  await page.getByLabel("Price").selectOption("1");
  await page.getByRole("button", { name: "Input", exact: true }).click();
  await page.waitForURL(/sort=-input/);
  const filtered = new URL(page.url()).searchParams;
  expect(Object.fromEntries(filtered)).toEqual({
    can: "vision,thinking",
    vendor: "openai",
    price: "1",
    sort: "-input",
  });
  const prices = await numbersIn(rowsOf(page).locator("td[data-label=Input] data"));
  expect(prices.length).toBeGreaterThan(1);
  expect(prices.every((price) => price <= 1_000_000)).toBe(true);
  expect(prices).toEqual(prices.toSorted((a, b) => b - a));
  await checkBothThemes(page);

  await page.getByLabel("Kind", { exact: true }).selectOption("decision");
  await page.getByText("No model matches").waitFor();
  await checkBothThemes(page);
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await page.getByText(/^\d{3} models$/).waitFor();
});

test("prices are compared side by side", async () => {
  const page = await memberAt("/models?vendor=anthropic");
  const boxes = page.getByRole("checkbox", { name: /^Compare / });
  await boxes.nth(0).check();
  expect(await page.getByRole("button", { name: "Compare" }).isDisabled()).toBe(true);
  await boxes.nth(1).check();
  await boxes.nth(2).check();
  await page.getByText("3 models chosen").waitFor();
  await page.getByRole("button", { name: "Compare" }).click();
  const table = page.getByRole("dialog").getByRole("table");
  expect(await table.getByRole("columnheader").count()).toBe(3);
  expect(
    await table
      .getByRole("row", { name: /^Cached input/ })
      .locator("data")
      .count(),
  ).toBe(3);
  await checkBothThemes(page);
  await screenshot(page, "models-compared");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("dialog").getByRole("button", { name: "Download CSV" }).click(),
  ]);
  const rows = (await Bun.file(await download.path()).text()).trim().split("\r\n");
  expect(rows[0]).toMatch(/^(,anthropic\/[\w.-]+){3}$/);
  expect(rows[1]).toMatch(/^Input(,\d+(\.\d+)?){3}$/);
});

test("a model's page shows prices, limits, controls, names, and how to call it in every style", async () => {
  const page = await memberAt("/models?q=sonnet 5");
  await page.getByRole("link", { name: "Claude Sonnet 5", exact: true }).click();
  await page.getByRole("heading", { name: "Claude Sonnet 5", level: 1 }).waitFor();
  expect(await page.title()).toBe("Claude Sonnet 5 · Camino");
  await page.getByText("smart", { exact: true }).waitFor();
  await page.getByText("claude-*", { exact: true }).waitFor();
  await page.getByRole("table", { name: "Prices" }).getByText("$0.20").first().waitFor();
  await checkBothThemes(page);
  await screenshot(page, "model");
  const code = page.getByRole("tabpanel").locator("pre");
  for (const [style, path, client] of [
    ["chat", "/v1/chat/completions", "client.chat.completions.create"],
    ["responses", "/v1/responses", "client.responses.create"],
    ["messages", "/v1/messages", "client.messages.create"],
  ] as const) {
    await page.getByLabel("Endpoint").selectOption(style);
    await page.getByRole("tab", { name: "curl" }).click();
    expect(await code.textContent()).toContain(`${gateway.url}${path}`);
    for (const language of ["TypeScript", "Python"]) {
      await page.getByRole("tab", { name: language, exact: true }).click();
      expect(await code.textContent()).toContain(client);
      expect(await code.textContent()).toContain("anthropic/claude-sonnet-5");
    }
  }
  await page.getByRole("link", { name: "Try in playground" }).click();
  await page.getByRole("heading", { name: "Playground" }).waitFor();
  expect(await page.getByRole("combobox", { name: "Model" }).inputValue()).toBe("anthropic/claude-sonnet-5");
});

test("prices that will change are shown with their days and tiers", async () => {
  const page = await memberAt("/models/sim/changing");
  const rows = page.getByRole("table", { name: "Prices" }).locator("tbody tr");
  await rows.first().waitFor();
  expect(await rows.count()).toBe(3);
  expect(await rows.first().textContent()).toContain("from Jan 1, 2099up to 200,000 input tokens$1.00");
  expect(await rows.nth(1).textContent()).toContain("above 200,000 input tokens$3.00");
  expect(await rows.nth(2).textContent()).toContain("until Jan 1, 2099nowall$2.00");
  await checkBothThemes(page);
});

test("a model whose name contains a slash has a page, and the page of an unknown model says so", async () => {
  const page = await memberAt("/models?q=nested");
  await page.getByRole("link", { name: "Nested" }).click();
  await page.getByRole("heading", { name: "Nested", level: 1 }).waitFor();
  const price = page.getByRole("table", { name: "Prices" }).locator("data").first();
  await price.focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  await page.getByRole("tooltip").getByText("0.000001 USD · 1 micro", { exact: true }).waitFor();
  await page.goto("/console/models/acme/gone");
  await page.getByText("There is no such model").waitFor();
  await checkBothThemes(page);
});

test("a decision model's snippets ask for decisions", async () => {
  const page = await memberAt("/models?kind=decision");
  await rowsOf(page).getByRole("link").first().click();
  await page.getByRole("heading", { name: "Call it" }).waitFor();
  await page.getByLabel("Endpoint").selectOption("systemone");
  await page.getByRole("tab", { name: "curl" }).click();
  const code = page.getByRole("tabpanel").locator("pre");
  expect(await code.textContent()).toContain("/v1/systemone");
  expect(await code.textContent()).toContain('"type": "noul"');
});

test("on a phone nothing scrolls sideways", async () => {
  const visitor = await browser.visit(gateway.url, { device: "phone" });
  await signIn(visitor, gateway, { role: "member", account });
  const { page } = visitor;
  await page.goto("/console/models?vendor=anthropic");
  const width = () => page.evaluate<number>("document.documentElement.scrollWidth");
  await page.getByText(/^\d+ of \d{3} models$/).waitFor();
  expect(await width()).toBeLessThanOrEqual(390);
  await checkBothThemes(page);
  await page.goto("/console/models/anthropic/claude-sonnet-5");
  await page.getByRole("table", { name: "Prices" }).waitFor();
  expect(await width()).toBeLessThanOrEqual(390);
});
