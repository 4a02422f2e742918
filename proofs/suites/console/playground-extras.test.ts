import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import type { Receipt } from "../../../contract/requests.ts";
import { checkBothThemes } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** The playground beyond a conversation: sampling settings, a schema, models side by side, saved and shared prompts. */

setDefaultTimeout(60_000);

let browser: TestBrowser;
let gateway: Gateway;
let account: string;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([launchBrowser(), startGateway()]);
  ({ account } = await gateway.newKey({ credit: "25" }));
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

async function at(query: string, options: { device?: "phone"; account_role?: string } = {}): Promise<Page> {
  const { account_role = "member", ...rest } = options;
  const visitor = await browser.visit(gateway.url, rest);
  await signIn(visitor, gateway, { role: "member", account, account_role });
  await visitor.page.goto(`/console/playground?${query}`);
  await visitor.page.getByLabel("Message", { exact: true }).waitFor();
  return visitor.page;
}

async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.keyboard.press("Control+Enter");
}

test("sampling settings and a schema are sent as they are set, and a schema's answer is JSON", async () => {
  const page = await at("model=sim/json&style=chat");
  await page.getByLabel("Temperature").fill("3");
  await page.getByText("Write a number from 0 to 2.").waitFor();
  await page.getByText("Fix the parameters first.").waitFor();
  await page.getByLabel("Temperature").fill("0.2");
  await page.getByRole("button", { name: "More settings" }).click();
  await page.getByLabel("Top p").fill("0.9");
  await page.getByLabel("Seed").fill("7");
  await page.getByLabel("Stop sequences").fill("END");
  await page.getByRole("button", { name: "Use an example schema" }).click();
  await checkBothThemes(page);
  await screenshot(page, "playground-settings");
  await ask(page, "Where?");
  const answer = page.getByRole("article", { name: "Answer of sim/json" });
  await answer.getByRole("link", { name: "Receipt" }).waitFor();
  expect(await answer.textContent()).toContain('"city"');
  await page.getByRole("tab", { name: "Code" }).click();
  const code = (await page.getByRole("tabpanel").last().locator("pre").textContent()) ?? "";
  for (const said of ['"temperature": 0.2', '"top_p": 0.9', '"seed": 7', '"END"', '"json_schema"'])
    expect(code).toContain(said);
});

describe("several models side by side", () => {
  test("get the same message, and show each its answer, time and charge", async () => {
    const page = await at("model=sim/echo&compare=sim/reason");
    const other = page.getByRole("combobox", { name: "Compare with" });
    await other.click();
    await other.fill("slow");
    await page.getByRole("option", { name: "sim/slow" }).click();
    await page.getByRole("heading", { name: "3 models side by side" }).waitFor();
    await ask(page, "Which way?");
    const models = ["sim/echo", "sim/reason", "sim/slow"];
    for (const model of models) {
      const column = page.getByRole("region", { name: model });
      await column.getByText("Which way?").first().waitFor();
      await column.getByRole("link", { name: "Receipt" }).waitFor();
      await column.getByText(/ in all/).waitFor();
      await column.locator("footer data").waitFor();
    }
    const { data } = await gateway.admin<{ data: Receipt[] }>("GET", `/requests?account=${account}&limit=3`);
    expect(data.map(({ model }) => model).toSorted()).toEqual(models);
    await checkBothThemes(page);
    await screenshot(page, "playground-compare");
    await page.getByRole("button", { name: "Leave sim/echo out" }).click();
    await page.getByRole("heading", { name: "2 models side by side" }).waitFor();
    const { searchParams } = new URL(page.url());
    expect([searchParams.get("model"), searchParams.get("compare")]).toEqual(["sim/reason", "sim/slow"]);
    await page.getByRole("region", { name: "sim/reason" }).getByText("Which way?").first().waitFor();
  });

  test("answer tool calls by hand, each its own", async () => {
    const page = await at("model=sim/tools&compare=sim/echo");
    await page.getByRole("button", { name: "Use an example", exact: true }).click();
    await ask(page, "The weather in Lugo?");
    const column = page.getByRole("region", { name: "sim/tools" });
    await column.getByLabel("Result of get_weather").fill("sunny");
    await page.getByText("Write the results of the tool calls first.").waitFor();
    await column.getByRole("button", { name: "Send results" }).click();
    await column.getByRole("article", { name: "Answer of sim/tools" }).nth(1).getByRole("link").waitFor();
    await ask(page, "Thank you");
    await page.getByRole("region", { name: "sim/echo" }).getByText("Thank you").first().waitFor();
  });

  test("stand below each other on a phone", async () => {
    const page = await at("model=sim/echo&compare=sim/reason", { device: "phone" });
    await ask(page, "On the way");
    await page.getByRole("region", { name: "sim/reason" }).getByRole("link", { name: "Receipt" }).waitFor();
    await checkBothThemes(page);
    await screenshot(page, "playground-compare-phone");
  });
});

test("a prompt is saved, opened on another day, shared, and seen by others of the account", async () => {
  const page = await at("model=sim/reason&style=messages");
  await page.getByLabel("System prompt").fill("You are a pilgrim.");
  await page.getByLabel("Message", { exact: true }).fill("How far?");
  await page.getByRole("button", { name: "Save this prompt" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Pilgrim");
  await checkBothThemes(page);
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("“Pilgrim” is saved").waitFor();

  await page.goto("/console/playground?model=sim/echo");
  await page.getByRole("button", { name: "Saved prompts" }).click();
  await dialog.getByRole("button", { name: "Share", exact: true }).click();
  await dialog.getByText("shared", { exact: true }).waitFor();
  await checkBothThemes(page);
  await screenshot(page, "playground-prompts");
  await dialog.getByRole("button", { name: /^Pilgrim/ }).click();
  expect(await page.getByLabel("System prompt").inputValue()).toBe("You are a pilgrim.");
  expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("How far?");
  const { searchParams } = new URL(page.url());
  expect([searchParams.get("model"), searchParams.get("style")]).toEqual(["sim/reason", "messages"]);

  const other = await at("model=sim/echo");
  await other.getByRole("button", { name: "Saved prompts" }).click();
  const theirs = other.getByRole("dialog");
  await theirs.getByText(/^by ana-\d+@example\.com, sim\/reason$/).waitFor();
  expect(await theirs.getByRole("button", { name: "Delete Pilgrim" }).count()).toBe(0);
  await theirs.getByRole("button", { name: /^Pilgrim/ }).click();
  expect(await other.getByLabel("System prompt").inputValue()).toBe("You are a pilgrim.");

  await page.getByRole("button", { name: "Saved prompts" }).click();
  await dialog.getByRole("button", { name: "Delete Pilgrim" }).click();
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.getByText("No saved prompts yet").waitFor();
});
