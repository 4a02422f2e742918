import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { checkAccessibility } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { screenshot } from "../../support/screenshot.ts";
import { type Showcase, startShowcase } from "../../support/showcase.ts";
import { signIn } from "../../support/sign-in.ts";

/** The overview of an account with six weeks of requests. */

let browser: TestBrowser;
let showcase: Showcase;

beforeAll(async () => {
  [browser, showcase] = await Promise.all([launchBrowser(), startShowcase()]);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await showcase?.[Symbol.asyncDispose]();
});

test("spend is compared with the time before, by day and by model, in money, tokens or requests", async () => {
  const { gateway, account } = showcase;
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await signIn(visitor, gateway, { role: "member", account });
  await page.goto("/console/");
  const chart = page.getByRole("img", { name: /Spend by day and model, last 30 days\. The most is \$/ });
  await chart.waitFor();
  await page.getByText(/^[+−][\d.,]+% on last month so far$/).waitFor();
  const shares = page.getByRole("list", { name: "By model, last 30 days" });
  expect(await shares.getByRole("listitem").count()).toBe(4);
  await chart.press("ArrowLeft");
  await page.getByRole("img", { name: /\. \w{3} \d+: \$[\d.]+$/ }).waitFor();
  await checkAccessibility(page);
  await page.getByRole("heading", { name: "Overview" }).click();
  await screenshot(page, "overview");
  await hidesAndLeads(page);
  await page.getByLabel("Measure").selectOption("Requests");
  await page.getByRole("img", { name: /Requests by day and model/ }).waitFor();
  expect(new URL(page.url()).searchParams.get("measure")).toBe("requests");
});

/** A chart's legend hides what it names, and its times and bars lead to their requests. */
async function hidesAndLeads(page: Page): Promise<void> {
  const card = page.getByRole("region", { name: "Last 30 days" });
  const chart = card.getByRole("img");
  const [first = ""] = await card.getByRole("button", { pressed: true }).allTextContents();
  await card.getByRole("button", { name: first, exact: true }).click();
  await card.getByText(/^Total shown/).waitFor();
  expect(await chart.locator(`[data-series="${first}"]`).count()).toBe(0);
  await card.getByRole("button", { name: first, exact: true }).click();
  await card.getByText(/^Total\$/).waitFor();
  await chart.locator(`[data-series="${first}"]`).last().click();
  await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor();
  const asked = new URL(page.url()).searchParams;
  expect([asked.get("model"), asked.get("from")]).toEqual([first, asked.get("to")]);
  await page.getByRole("table", { name: "Requests" }).getByRole("row").nth(1).waitFor();
  await page.goBack();
  await chart.press("ArrowLeft");
  await chart.press("Enter");
  await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor();
  await page.goBack();
  await card.getByRole("button", { name: "Show as a table" }).click();
  expect(await card.getByRole("table").getByRole("link").count()).toBe(30);
  await card.getByRole("button", { name: "Show as a chart" }).click();
}
