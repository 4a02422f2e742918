import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { checkAccessibility } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** From the printed link to the overview, and the overview while calls are made. */

const MAX_JAVASCRIPT_BYTES = 300_000;

let browser: TestBrowser;
let gateway: Gateway;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([launchBrowser(), startGateway()]);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

/** Counts the bytes of JavaScript as they came over the wire. */
function weighScripts(page: Page): () => Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on("requestfinished", (request) => {
    if (request.resourceType() === "script")
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  return async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test("the printed link signs in at once, once, and leads to a light overview", async () => {
  expect(gateway.sign_in_link).toStartWith(`${gateway.url}/console/sign-in#token=`);
  const link = gateway.sign_in_link ?? "";
  const visitor = await browser.visit(gateway.url, { alone: true });
  const { page } = visitor;
  const weight = weighScripts(page);
  await page.goto(link);
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await page.getByText("No requests yet").waitFor();
  await page.waitForLoadState("networkidle");
  expect(page.url()).toBe(`${gateway.url}/console/`);
  expect(await weight()).toBeGreaterThan(10_000);
  expect(await weight()).toBeLessThan(MAX_JAVASCRIPT_BYTES);
  await page.getByText("Set up your sign-in").waitFor();
  await checkAccessibility(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator("html[data-theme=dark]").waitFor();
  await checkAccessibility(page);
  await screenshot(page, "first-visit");

  const second = await browser.visit(gateway.url);
  await second.page.goto(link);
  await second.page.getByText("This link does not work").waitFor();
});

test("a call appears on the overview by itself, with its charge exact to the micro unit", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await signIn(visitor, gateway, { account: "demo@camino.local" });
  await page.goto("/console/");
  await page.getByText("No requests yet").waitFor();
  const hint = page.getByRole("tooltip");
  await page.locator("data", { hasText: "$10.00" }).focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  await hint.getByText("10.000000 USD · 10,000,000 micro").waitFor();
  const { key } = await gateway.admin<{ key: string }>("POST", "/keys", {
    account: "demo@camino.local",
    name: "First",
  });
  await Promise.all(
    ["sim/echo", "sim/tools", "sim/reason", "sim/echo", "sim/json"].map((model) => complete(key, model)),
  );
  const table = page.getByRole("table", { name: "Latest requests" });
  await table.getByRole("link", { name: "sim/reason" }).waitFor();
  await page.getByRole("img", { name: /Spend by day and model/ }).waitFor();
  // The keyboard is still at the balance.
  await hint.getByText(/^9\.\d{6} USD · 9,[\d,]+ micro$/).waitFor();
  await table.locator("data").last().hover();
  await hint.getByText(/^0\.00\d{4} USD · [\d,]+ micro$/).waitFor();
  await checkAccessibility(page);
  await page.mouse.move(0, 0);
  await page.locator("main").getByRole("button", { name: "Show as a table" }).click();
  await page.getByRole("table", { name: "Spend by day and model, last 30 days" }).waitFor();
  await checkAccessibility(page);
  await page.getByRole("button", { name: "Show as a chart" }).click();
});

async function complete(key: string, model: string): Promise<void> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "How far is it to Santiago? ".repeat(40) }] }),
  });
  if (!response.ok) throw new Error(`the call failed: ${response.status} ${await response.text()}`);
  await response.text();
}

test("when the first real vendor arrives, the demo key goes on, and the overview says what changed", async () => {
  await using own = await startGateway();
  const key = (await readFile(join(own.data, "demo-key"), "utf8")).trim();
  const visitor = await browser.visit(own.url);
  await signIn(visitor, own, { account: "demo@camino.local" });
  const { page } = visitor;
  await page.goto("/console/models");
  const table = page.getByRole("table", { name: "Models" });
  await table.getByText("sim/echo", { exact: true }).waitFor();
  expect(await table.getByText("sim/cut-mid", { exact: true }).count()).toBe(0);
  await page.getByRole("switch", { name: /^Show the simulator's other \d+ models$/ }).click();
  await page.getByLabel("Search models").fill("cut-mid");
  await table.getByText("sim/cut-mid", { exact: true }).waitFor();

  await own.admin("PUT", "/vendors/openai/credential", { api_key: "sk-of-nobody" });
  const answer = await fetch(`${own.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "Still there?" }] }),
  });
  expect({ status: answer.status, text: await answer.text() }).toMatchObject({
    status: 200,
    text: expect.stringContaining("Still there?"),
  });
  await page.goto("/console/");
  await page.getByText("Real models are available.").waitFor();
  await checkAccessibility(page);
  await own.admin("POST", "/keys", { account: "demo@camino.local", name: "Real" });
  await page.goto("/console/models");
  await page
    .getByRole("table", { name: "Models" })
    .getByText(/^openai\//)
    .first()
    .waitFor();
  expect(await page.getByText("sim/echo", { exact: true }).count()).toBe(0);
  await page.goto("/console/");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await page
    .getByText("No requests yet")
    .or(page.getByRole("table", { name: "Latest requests" }))
    .first()
    .waitFor();
  expect(await page.getByText("Real models are available.").count()).toBe(0);
  // The gateway ends with the test: a page that still loads something then has its connections reset.
  await page.goto("about:blank");
}, 60_000);
