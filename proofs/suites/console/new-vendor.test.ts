import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Locator } from "playwright-core";
import type { PriceList } from "../../../contract/prices.ts";
import { checkBothThemes } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import type { Gateway } from "../../support/gateway.ts";
import { signIn } from "../../support/sign-in.ts";
import { type SimulatedGateway, startSimulatedGateway, VENDOR_KEY } from "../../support/simulated-gateway.ts";

/** A vendor that nobody knew, from its address to a first answer: at most five clicks. */

setDefaultTimeout(60_000);

let browser: TestBrowser;
let simulated: SimulatedGateway;
let gateway: Gateway;

beforeAll(async () => {
  browser = await launchBrowser();
  simulated = await startSimulatedGateway({ models: { "acme/swift": { upstream_model: "echo" } } });
  ({ gateway } = simulated);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await simulated?.[Symbol.asyncDispose]();
});

test("a vendor's address and credential are tried, its models offered with a markup, and in force", async () => {
  const visitor = await browser.visit(gateway.url, { expected: [/status of 502/] });
  const { page } = visitor;
  await signIn(visitor, gateway);
  await page.goto("/console/");
  let clicks = 0;
  const click = async (what: Locator): Promise<void> => {
    clicks += 1;
    await what.click();
  };
  await click(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Vendors" }));
  await click(page.getByRole("link", { name: "New vendor" }));
  await page.getByLabel("ID").fill("delta");
  await page.getByLabel("Address").fill(simulated.simulator.base_url);
  await page.getByLabel("API key").fill("sk-mistyped");
  await checkBothThemes(page);
  await page.keyboard.press("Enter");
  await page
    .getByText(/refuses|401/)
    .first()
    .waitFor();
  await page.getByLabel("API key").fill(VENDOR_KEY);
  await click(page.getByRole("button", { name: "Connect and fetch models" }));
  await page.getByText(/^Connected: it lists \d+ models\.$/).waitFor();
  await click(page.getByRole("checkbox", { name: /^delta\/echo$/ }));
  await page.getByLabel("Vendor's input price").fill("1");
  await page.getByLabel("Markup in percent").fill("20");
  await page.keyboard.press("Enter");
  await page.getByText("Write an amount such as 25").waitFor();
  await page.getByLabel("Vendor's output price").fill("4");
  await checkBothThemes(page);
  await click(page.getByRole("button", { name: "Offer 1 model" }));
  await page.getByRole("table", { name: "Models" }).getByText("delta/echo").waitFor();
  expect(clicks).toBeLessThanOrEqual(5);

  const { data } = await gateway.admin<PriceList>("GET", "/prices");
  const priced = data.find(({ model }) => model === "delta/echo");
  expect([priced?.effective.input.micro_per_mtok, priced?.effective.output.micro_per_mtok]).toEqual([
    1_200_000, 4_800_000,
  ]);
  const { key } = await gateway.newKey();
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "delta/echo", messages: [{ role: "user", content: "Hello!" }] }),
  });
  expect(answer.status).toBe(200);
});

test("the list of connections leads to the same page, which leads to what a vendor can be given besides", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await signIn(visitor, gateway);
  await page.goto("/console/admin/configuration?kind=alias");
  await page.getByText("No alias yet").waitFor();
  await page.goto("/console/admin/configuration?kind=alias&q=fast");
  await page.getByText("Nothing matches").waitFor();
  await page.goto("/console/admin/configuration?kind=vendor");
  await page.getByRole("link", { name: "New vendor" }).click();
  await page.getByRole("button", { name: "Connect and fetch models" }).waitFor();
  await page.getByRole("link", { name: "Other protocols and settings" }).click();
  await page.getByRole("checkbox", { name: "rerank" }).waitFor();
});
