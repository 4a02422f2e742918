import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { checkBothThemes } from "../../support/accessibility.ts";
import { goTo, launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { Caller } from "../../support/calls.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** The configuration from the console: each change is looked at before it is made, in force at once, and can be taken back. */

setDefaultTimeout(90_000);

const CONFIG = `
catalog: none
vendors:
  acme: { name: Acme AI, protocol: chat-completions, base_url: BASE }
  beta: { name: Beta, protocol: chat-completions, base_url: BASE }
models:
  acme/echo: { display_name: Echo, price: { input: 1, output: 4 } }
  acme/tools: { price: { input: 2, output: 8 } }
`;

let browser: TestBrowser;
let simulator: Simulator;
let gateway: Gateway;
let key: TestKey;
let folder: string;

beforeAll(async () => {
  [browser, simulator] = await Promise.all([launchBrowser(), startSimulator()]);
  gateway = await startGateway({ config: CONFIG.replaceAll("BASE", simulator.base_url) });
  key = await gateway.newKey();
  folder = await mkdtemp(join(tmpdir(), "camino-offers-"));
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await simulator?.stop();
  await rm(folder, { recursive: true });
});

async function administratorAt(path: string): Promise<Page> {
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway);
  await visitor.page.goto(`/console${path}`);
  return visitor.page;
}

const statusOf = async (model: string) => (await new Caller(gateway, key.key).generate("chat", model)).status;
const isToasted = (page: Page, text: string | RegExp) => page.locator("[data-toasts]").getByText(text).waitFor();

/** The rows of a preview: each field with what is now and what is then. */
async function previewOf(place: Page | Locator): Promise<string[][]> {
  const table = place.getByRole("table", { name: "What changes" });
  await table.waitFor();
  const rows = await table.getByRole("row").all();
  const cells = rows.slice(1).map((row) => row.locator("th, td").allTextContents());
  return Promise.all(cells);
}

test("an element of the file is read-only, is taken over, changed after a preview, in force at once, and taken back", async () => {
  const page = await administratorAt("/admin/configuration");
  const list = page.getByRole("table", { name: "Elements of the configuration" });
  await list.getByRole("link", { name: "acme/echo" }).waitFor();
  await checkBothThemes(page);
  await screenshot(page, "admin-configuration");
  await list.getByRole("link", { name: "acme/echo" }).click();
  await page.getByRole("heading", { name: "Current values" }).waitFor();
  expect(await page.getByRole("button", { name: "Preview the change" }).count()).toBe(0);
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByRole("dialog", { name: "Take over the model acme/echo?" }).waitFor();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Copies it into the database").waitFor();
  await dialog.getByRole("button", { name: "Take over" }).click();
  await isToasted(page, "Taken over: it can be changed here");

  const price = page.getByRole("group", { name: "Price", exact: true });
  await price.getByLabel("Input", { exact: true }).fill("1.50");
  await page.getByLabel("Name", { exact: true }).fill("Echo the second");
  await checkBothThemes(page);
  await screenshot(page, "admin-configuration-model");
  await page.getByRole("button", { name: "Preview the change" }).click();
  const rows = await previewOf(page);
  expect(rows).toContainEqual(["price.input", "1.00", "1.50"]);
  expect(rows).toContainEqual(["display_name", "Echo", "Echo the second"]);
  await checkBothThemes(page);
  await screenshot(page, "admin-configuration-preview");
  await page.getByRole("button", { name: "Apply" }).click();
  await isToasted(page, "Takes effect with the next request");

  const history = page.getByRole("table", { name: "History" });
  await history.getByRole("button", { name: "Take version 1 back" }).click();
  await page.getByRole("dialog", { name: "Take version 1 of the model acme/echo back?" }).waitFor();
  expect(await previewOf(dialog)).toContainEqual(["price.input", "1.50", "1.00"]);
  await dialog.getByRole("button", { name: "Take back" }).click();
  await isToasted(page, "Earlier version restored");
  await page.getByRole("button", { name: "Give back" }).click();
  await dialog.getByRole("button", { name: "Give back" }).click();
  await isToasted(page, "Given back");
  await page.getByRole("button", { name: "Take over" }).waitFor();
});

test("a new model with two routes, a later price, a tier and a fallback answers at once, and none once it is retired", async () => {
  const page = await administratorAt("/admin/configuration/model/new");
  await page.getByLabel("Id", { exact: true }).fill("ours/parrot");
  expect(await statusOf("ours/parrot")).toBe(404);
  await page.getByRole("button", { name: "Set a price" }).click();
  const price = page.getByRole("group", { name: "Price", exact: true });
  await price.getByLabel("Input", { exact: true }).fill("3");
  await price.getByLabel("Output", { exact: true }).fill("15");
  await price.getByRole("button", { name: "Add a price for long input" }).click();
  await price.getByLabel("Above this many input tokens").fill("200000");
  await price.getByLabel("Input", { exact: true }).nth(1).fill("6");
  await price.getByLabel("Output", { exact: true }).nth(1).fill("22.50");
  await page.getByRole("button", { name: "Add a price from a later day" }).click();
  const later = page.getByRole("group", { name: "Price 2" });
  await later.getByLabel("From").fill("2031-01-01");
  await later.getByLabel("Input", { exact: true }).first().fill("2.50");
  await later.getByLabel("Output", { exact: true }).first().fill("12.50");
  for (const [index, vendor] of ["acme", "beta"].entries()) {
    await page.getByRole("button", { name: "Add a route" }).click();
    await page.getByRole("combobox", { name: "Vendor" }).nth(index).fill(vendor);
    await page.keyboard.press("Tab");
    await page.getByLabel("The vendor's model name").nth(index).fill("echo");
  }
  await page.getByLabel("Weight").first().fill("3");
  await page.getByText("Weight (75%)").waitFor();
  await page.getByRole("button", { name: "Add a fallback" }).click();
  await page.getByRole("combobox", { name: "Fallback 1" }).fill("acme/tools");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Preview the change" }).click();
  const rows = await previewOf(page);
  expect(rows).toContainEqual(["price[0].tiers[0].output", "none", "22.50"]);
  expect(rows).toContainEqual(["price[from 2031-01-01].input", "none", "2.50"]);
  expect(rows).toContainEqual(["routes[0].weight", "none", "3"]);
  expect(rows).toContainEqual(["fallbacks", "none", "acme/tools"]);
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("heading", { name: "ours/parrot" }).waitFor();
  expect(await statusOf("ours/parrot")).toBe(200);

  await page.getByRole("button", { name: "Retire" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Retire" }).click();
  await isToasted(page, "Retired: it takes no new calls");
  expect(await statusOf("ours/parrot")).toBe(404);
});

test("a mistake is told at its field, or above all of them, before anything is changed, and a price may follow the vendors'", async () => {
  const page = await administratorAt("/admin/configuration/model/new");
  await page.getByLabel("Id", { exact: true }).fill("acme/reason");
  await page.getByRole("button", { name: "Set a price" }).click();
  await page.getByRole("combobox", { name: "Given as" }).selectOption("follows");
  await page.getByLabel("Percent").fill("20");
  await page.getByRole("button", { name: "Preview the change" }).click();
  await page.getByText(/no cost of "acme:reason" is known/).waitFor();
  expect(await page.getByRole("button", { name: "Apply" }).count()).toBe(0);
  await page.getByLabel("Percent").fill("twenty");
  await page.getByRole("button", { name: "Preview the change" }).click();
  await page.locator("[aria-invalid=true]").waitFor();
  expect(await page.getByLabel("Percent").getAttribute("aria-invalid")).toBe("true");
  await page.getByLabel("Percent").fill("20");
  await page.getByRole("button", { name: "Edit as text" }).click();
  const text = page.getByLabel("Everything, as JSON");
  const value = JSON.parse(await text.inputValue()) as object;
  expect(value).toEqual({ price: { follows: "upstream", markup: { percent: "20" } } });
  await text.fill(JSON.stringify({ ...value, cost: { input: "1.00", output: "4.00" } }));
  await page.getByRole("button", { name: "Preview the change" }).click();
  expect(await previewOf(page)).toContainEqual(["price.markup.percent", "none", "20"]);
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("heading", { name: "acme/reason" }).waitFor();
  await goTo(page, "/console/admin/prices?model=acme/reason");
  await page.getByRole("dialog").getByText("Follows what the dearest of its vendors charges, plus 20%").waitFor();
  await page.getByRole("dialog").getByText("$1.20").first().waitFor();
});

test("an alias for every key, default limits and a vendor's address are changed by the same steps", async () => {
  const page = await administratorAt("/admin/configuration/alias/new");
  await page.getByLabel("Alias", { exact: true }).fill("fast");
  await page.getByRole("combobox", { name: "Model" }).fill("acme/echo");
  await page.keyboard.press("Tab");
  // The second click of a double click applies nothing that was not read, though both buttons are in one place.
  await page.getByRole("button", { name: "Preview the change" }).dblclick();
  expect(await previewOf(page)).toEqual([["target", "none", "acme/echo"]]);
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("heading", { name: "fast" }).waitFor();
  expect(await statusOf("fast")).toBe(200);

  await page.goto("/console/admin/configuration?kind=limits");
  await page.getByRole("table").getByRole("link", { name: "Default limits" }).click();
  await page.getByRole("button", { name: "Take over" }).click();
  const dialog = page.getByRole("dialog", { name: "Take over the default limits?" });
  await dialog.getByRole("button", { name: "Take over" }).click();
  await page.getByLabel("Requests per minute").fill("77");
  await page.getByRole("button", { name: "Preview the change" }).click();
  expect(await previewOf(page)).toEqual([["default_key.rpm", expect.any(String), "77"]]);
  await page.getByRole("button", { name: "Apply" }).click();
  await isToasted(page, "Takes effect with the next request");

  await goTo(page, "/console/admin/configuration/vendor/new");
  await page.getByLabel("Id", { exact: true }).fill("gamma");
  await page.getByLabel("Name").fill("Gamma");
  await page.getByLabel("chat-completions").check();
  await page.getByLabel("Address").fill(simulator.base_url);
  await page.getByLabel("Connect", { exact: true }).fill("2s");
  await page.getByRole("button", { name: "Preview the change" }).click();
  expect(await previewOf(page)).toContainEqual(["timeouts.connect", "none", "2s"]);
  await page.getByLabel("Model to try it out with").fill("echo");
  await page.getByRole("button", { name: "Try it out" }).click();
  await page.getByText(/^It works: gamma answered after/).waitFor();
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("heading", { name: "gamma" }).waitFor();
  await goTo(page, "/console/admin/configuration/export");
  await page.getByRole("heading", { name: "camino.yaml" }).waitFor();
  expect(await page.getByRole("main").textContent()).toContain("fast: acme/echo");
});

test("a vendor's own list shows what it has; one of it is offered with the price of a published list", async () => {
  const entry = { litellm_provider: "openai", mode: "chat", input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5 };
  const file = join(folder, "prices.json");
  await writeFile(file, JSON.stringify({ vision: { ...entry, max_input_tokens: 200_000, supports_vision: true } }));
  const page = await administratorAt("/admin/vendors/acme");
  const offers = page.getByRole("region", { name: "What it offers" });
  await offers.getByRole("button", { name: "Fetch models" }).click();
  const table = offers.getByRole("table", { name: "Models of the vendor's list" });
  await table.waitFor();
  await offers.getByLabel("Find").fill("vision");
  await offers.getByRole("button", { name: "Prices from a list" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("File").setInputFiles(file);
  await checkBothThemes(page);
  await dialog.getByRole("button", { name: "Propose prices" }).click();
  await offers.getByText("The list has 1 of them.").waitFor();
  await checkBothThemes(page);
  await screenshot(page, "admin-vendor-offers");
  expect(await statusOf("acme/vision")).toBe(404);
  await table.getByRole("button", { name: "Offer vision" }).click();
  await dialog.getByRole("button", { name: "Preview the change" }).click();
  expect(await previewOf(dialog)).toContainEqual(["price.output", "none", "15.00"]);
  await dialog.getByRole("button", { name: "Try it out" }).click();
  await dialog.getByText(/^It works: acme answered after/).waitFor();
  expect(await statusOf("acme/vision")).toBe(404);
  await screenshot(page, "admin-vendor-offer");
  await checkBothThemes(page);
  await dialog.getByRole("button", { name: "Apply" }).click();
  await isToasted(page, "Takes effect with the next request");
  await offers.getByText("Nothing left to offer").waitFor();
  await offers.getByLabel("Include offered models").check();
  await table.getByRole("link", { name: "acme/vision" }).waitFor();
  expect(await statusOf("acme/vision")).toBe(200);
});

test("on a gateway that nothing configures, a server of one's own is set up from its page: its address, then its models", async () => {
  await using fresh = await startGateway();
  const visitor = await browser.visit(fresh.url);
  await signIn(visitor, fresh);
  const { page } = visitor;
  await page.goto("/console/admin/vendors/ollama");
  await page.getByRole("region", { name: "Set up Ollama" }).getByRole("link", { name: "Set its address" }).click();
  expect(await page.getByLabel("Id", { exact: true }).inputValue()).toBe("ollama");
  await page.getByLabel("Address").fill(simulator.base_url);
  await page.getByRole("button", { name: "Preview the change" }).click();
  expect(await previewOf(page)).toContainEqual(["base_url.chat-completions", "none", simulator.base_url]);
  await page.getByLabel("Model to try it out with").fill("echo");
  await page.getByRole("button", { name: "Try it out" }).click();
  await page.getByText(/^It works: ollama answered after/).waitFor();
  await page.getByRole("button", { name: "Apply" }).click();
  await isToasted(page, "Takes effect with the next request");
  await page.goto("/console/admin/vendors/ollama");
  const offers = page.getByRole("region", { name: "What it offers" });
  await offers.getByRole("button", { name: "Fetch models" }).click();
  await offers.getByLabel("Find").fill("vision");
  await offers.getByRole("button", { name: "Offer vision" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Preview the change" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await isToasted(page, "Takes effect with the next request");
  const { key: first } = await fresh.newKey();
  expect((await new Caller(fresh, first).generate("chat", "ollama/vision")).status).toBe(200);
});
