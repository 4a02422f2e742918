import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { MINUTE_MS, wallTime } from "../../../console/src/kit/wall-time.ts";
import type { PriceList } from "../../../contract/prices.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { type Showcase, startShowcase } from "../../support/showcase.ts";
import { type SimulatedGateway, startSimulatedGateway } from "../../support/simulated-gateway.ts";
import { administratorAt, Hand } from "./support/hand.ts";

/**
 * The six tasks that the console is for, by clicks and keys as a person does them: a change that makes one of them longer shows here. The seconds are
 * told, and judged by nobody: docs/console.md has them of a quiet machine.
 */

setDefaultTimeout(120_000);

let browser: TestBrowser;
let fresh: Gateway;
let simulated: SimulatedGateway;
let showcase: Showcase;

beforeAll(async () => {
  const models = {
    "acme/swift-1": { upstream_model: "echo", price: { input: 3, output: 15 } },
    "acme/broken": { upstream_model: "fail-500" },
  };
  browser = await launchBrowser();
  // One after the other: the first is given a port that the others must find taken.
  fresh = await startGateway();
  simulated = await startSimulatedGateway({ models });
  showcase = await startShowcase();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  for (const each of [fresh, simulated, showcase]) await each?.[Symbol.asyncDispose]();
});

/** Waits until the gateway has counted what there was: it does so every few seconds. */
async function counted(gateway: Gateway): Promise<void> {
  let before = -1;
  for (let tries = 0; tries < 60; tries += 1) {
    const { total } = await gateway.admin<{ total: { requests: number } }>("GET", "/usage/traffic");
    if (total.requests > 0 && total.requests === before) return;
    before = total.requests;
    await Bun.sleep(1000);
  }
  throw new Error("the calls were not counted");
}

test("a first answer, from the printed link of a new gateway", async () => {
  const { page } = await browser.visit(fresh.url);
  const hand = new Hand(page);
  await page.goto(fresh.sign_in_link ?? "");
  await hand.click(hand.link("Playground"));
  await hand.type(page.getByRole("textbox", { name: "Message" }), "How far is it?");
  await hand.click(hand.button("Send"));
  await page
    .getByRole("article", { name: /^Answer of / })
    .getByText("How far is it?")
    .waitFor();
  expect(hand.done("first answer")).toEqual({ clicks: 2, fields: 1 });
});

test("a new key, copied", async () => {
  const hand = await administratorAt(browser, fresh, "/");
  const { page } = hand;
  await hand.click(hand.link("Keys"));
  await hand.click(page.getByRole("link", { name: /^Create (a|the first) key$/ }).first());
  await hand.type(page.getByRole("textbox", { name: "Name" }), "Production");
  await hand.click(hand.button("Create key"));
  await hand.click(page.getByRole("dialog").getByRole("button", { name: /^Copy/ }).first());
  expect(await page.locator("[data-secret]").textContent()).toStartWith("cm-");
  expect(hand.done("new key")).toEqual({ clicks: 4, fields: 1 });
});

test("a new member with credit, as a link to hand on", async () => {
  const hand = await administratorAt(browser, fresh, "/");
  const { page } = hand;
  await hand.click(hand.link("Users"));
  await hand.click(hand.button("Invite a user"));
  const dialog = page.getByRole("dialog");
  await hand.type(dialog.getByLabel("E-mail"), "new@example.com");
  await hand.type(dialog.getByLabel("Credit"), "25");
  await hand.click(dialog.getByRole("button", { name: "Create invitation" }));
  await hand.click(dialog.getByRole("button", { name: /^Copy/ }).first());
  expect(await dialog.getByLabel("Link").inputValue()).toContain("#token=");
  expect(hand.done("new member with credit")).toEqual({ clicks: 4, fields: 2 });
});

test("a price that the file names is changed and in force", async () => {
  const { gateway } = simulated;
  const hand = await administratorAt(browser, gateway, "/");
  const { page } = hand;
  await hand.click(hand.link("Model setup"));
  await hand.click(page.getByRole("table").getByRole("link", { name: "acme/swift-1" }).first());
  await hand.click(page.getByRole("link", { name: "Change the price" }));
  const price = page.getByRole("group", { name: "Price", exact: true });
  await hand.type(price.getByLabel("Input", { exact: true }), "2.50");
  await hand.click(hand.button("Preview the change"));
  await hand.click(hand.button("Apply"));
  await page.getByText("Takes effect with the next request").first().waitFor();
  const { data } = await gateway.admin<PriceList>("GET", "/prices");
  expect(data.find(({ model }) => model === "acme/swift-1")?.effective.input.micro_per_mtok).toBe(2_500_000);
  expect(hand.done("price change in force")).toEqual({ clicks: 5, fields: 1 });
});

test("why a customer's call failed at a time that they tell", async () => {
  const { gateway } = simulated;
  const { key } = await gateway.newKey();
  let told = "";
  for (const model of ["acme/swift-1", "acme/broken", "acme/swift-1"]) {
    if (model === "acme/broken") told = wallTime("UTC", Date.now());
    const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] });
    await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body,
    });
  }
  const hand = await administratorAt(browser, gateway, "/?account=all");
  const { page } = hand;
  await hand.click(hand.link("Requests"));
  await hand.choose(page.getByLabel("Time", { exact: true }), "From … to …");
  await hand.type(page.getByLabel("From", { exact: true }), told);
  // Their clock and ours are a minute apart at most.
  await hand.type(page.getByLabel("To", { exact: true }), wallTime("UTC", Date.now() + MINUTE_MS));
  await hand.choose(page.getByLabel("Status"), "Failed");
  await page.waitForURL(/from=.*to=.*|to=.*from=.*/);
  await hand.click(page.getByRole("table", { name: "Requests" }).getByRole("link", { name: "acme/broken" }).first());
  await page.getByRole("table", { name: "Attempts" }).getByText("“", { exact: false }).waitFor();
  expect(hand.done("why a call failed")).toEqual({ clicks: 6, fields: 2 });
});

test("who spent most yesterday, and on what", async () => {
  await counted(showcase.gateway);
  const hand = await administratorAt(browser, showcase.gateway, "/?account=all");
  const { page } = hand;
  await hand.click(hand.link("Usage"));
  await hand.choose(page.getByLabel("Range"), "Yesterday, by hour");
  // Accounts come first, who spent most at the top.
  await page.getByRole("table").getByText("Example Studio").or(page.getByText("studio@example.com")).first().waitFor();
  await hand.choose(page.getByLabel("Group by"), "Model");
  await page.getByRole("table").getByText("acme/").first().waitFor();
  expect(hand.done("who spent most yesterday, and on what")).toEqual({ clicks: 5, fields: 0 });
});
