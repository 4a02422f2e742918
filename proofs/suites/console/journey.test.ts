import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

/** A new user's whole way: sign in by the printed link, make a key, call, see the charge, end the key. */

let browser: TestBrowser;
let gateway: Gateway;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([launchBrowser(), startGateway()]);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

test("from the printed link to a key, a call by alias, its charge, and the key's end", async () => {
  const { page } = await browser.visit(gateway.url);
  await page.goto(gateway.sign_in_link ?? "");
  await page.getByRole("link", { name: "Create a key" }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill("First steps");
  await page.getByRole("button", { name: "Add an alias" }).click();
  await page.keyboard.type("my-model");
  await page.getByRole("combobox", { name: "Model of alias 1" }).fill("sim/echo");
  await page.getByRole("option", { name: "sim/echo" }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Create key" }).click();
  const apiKey = (await page.locator("[data-secret]").textContent()) ?? "";
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByRole("heading", { name: "First steps", level: 1 }).waitFor();

  const client = new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const ask = () =>
    client.chat.completions.create({ model: "my-model", messages: [{ role: "user", content: "How far is it?" }] });
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.getByText("No requests yet").waitFor();
  const answer = await ask();
  expect(answer.choices[0]?.message.content).toContain("How far is it?");

  // The page is updated live.
  await page.getByRole("table", { name: "Latest requests" }).getByRole("link", { name: "sim/echo" }).click();
  await page.getByRole("heading", { name: "sim/echo", level: 1 }).waitFor();
  const { data } = await gateway.admin<{ data: { charge_micro: number }[] }>("GET", "/requests");
  const charge = (data[0]?.charge_micro ?? 0) / 1_000_000;
  expect(charge).toBeGreaterThan(0);
  await page
    .getByText(`$${charge.toFixed(6)}`)
    .first()
    .waitFor();

  await page.getByRole("link", { name: "First steps" }).click();
  await page.getByRole("button", { name: "Disable" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /Disable/ })
    .click();
  await page.getByText("disabled", { exact: true }).first().waitFor();
  const refused = await ask().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(refused).toBeInstanceOf(OpenAI.AuthenticationError);
});
