import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import OpenAI from "openai";
import { checkAccessibility, checkBothThemes } from "../../support/accessibility.ts";
import type { VisitOptions } from "../../support/browser.ts";
import { type ConsoleScene, startConsoleScene } from "../../support/console-scene.ts";
import type { Gateway } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";

/** The page of all aliases: an alias that is written there works for programs. */

setDefaultTimeout(60_000);

let scene: ConsoleScene;
let gateway: Gateway;

beforeAll(async () => {
  scene = await startConsoleScene();
  ({ gateway } = scene);
});

afterAll(() => scene?.[Symbol.asyncDispose]());

const member = (options?: VisitOptions) => scene.member(options);

const makeKey = (account: string, fields: object) => scene.makeKey(account, fields);

test("an alias is added with a model from the catalogue, and a program calls by it", async () => {
  const { page, account } = await member();
  await page.goto("/console/aliases");
  await page.getByText("No keys yet").waitFor();
  const key = await makeKey(account, { name: "Support bot" });
  await page.reload();
  await page.getByText("No aliases yet").waitFor();
  await checkBothThemes(page);
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "Add an alias" });
  await dialog.getByLabel("Alias").fill("fast");
  await dialog.getByRole("combobox", { name: "Leads to" }).fill("haiku");
  await page.keyboard.press("Enter");
  await checkBothThemes(page);
  await dialog.getByRole("button", { name: "Add alias" }).click();
  const row = page.getByRole("row", { name: /fast/ });
  await row.getByRole("link", { name: "anthropic/claude-haiku-4-5" }).waitFor();

  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.key, maxRetries: 0 });
  const ask = () => openai.chat.completions.create({ model: "fast", messages: [{ role: "user", content: "Hi" }] });
  await ask();
  const { data } = await gateway.admin<{ data: { model: string; requested_model: string }[] }>(
    "GET",
    `/requests?account=${account}`,
  );
  expect(data).toMatchObject([{ model: "anthropic/claude-haiku-4-5", requested_model: "fast" }]);

  await row.getByRole("button", { name: "Edit fast" }).click();
  await page.getByRole("combobox", { name: "Leads to" }).fill("flash");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Save alias" }).click();
  await row.getByRole("link", { name: "google/gemini-3-flash" }).waitFor();
  expect((await ask()).choices).toHaveLength(1);

  await row.getByRole("button", { name: "Remove fast" }).click();
  await page.getByRole("button", { name: "Remove alias" }).click();
  await page.getByText("No aliases yet").waitFor();
  const refused = await ask().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(refused).toMatchObject({ status: 404 });
});

test("a name that is taken is refused at its field", async () => {
  const { page, account } = await member();
  await makeKey(account, { name: "CI", aliases: [{ name: "fast", model: "openai/gpt-5.4" }] });
  await page.goto("/console/aliases");
  await page.getByRole("button", { name: "Add an alias" }).click();
  await page.getByRole("dialog").getByLabel("Alias").fill("fast");
  await page.getByRole("combobox", { name: "Leads to" }).fill("haiku");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Add alias" }).click();
  await page.getByRole("alert").getByText("'fast' is twice in 'aliases'").waitFor();
});

async function manyAliases(account: string): Promise<void> {
  await makeKey(account, {
    name: "Claude Code",
    models: ["anthropic/*", "google/*"],
    prefix_aliases: [
      { prefix: "claude-", model: "anthropic/claude-sonnet-4-6" },
      { prefix: "claude-haiku-", model: "google/gemini-3-flash" },
    ],
  });
  await makeKey(account, {
    name: "Production",
    aliases: [
      { name: "fast", model: "openai/gpt-5.4-mini" },
      { name: "deep", model: "anthropic/claude-opus-4-6" },
      { name: "openai/gpt-5.4", model: "google/gemini-3-flash" },
      { name: "triage", model: "typesafe/decider" },
    ],
    prefix_aliases: [{ prefix: "gpt-", model: "openai/gpt-5.4" }],
  });
  await makeKey(account, {
    name: "Evaluation",
    models: ["openai/*"],
    aliases: [{ name: "judge", model: "anthropic/claude-opus-4-6" }],
  });
}

test("every alias is shown with its outcome, and a name is resolved with the rule that matched", async () => {
  const { page, account } = await member();
  await manyAliases(account);
  await page.goto("/console/aliases");
  const row = (name: string) => page.getByRole("row", { name });
  await row("triage").getByText("decides").waitFor();
  await page
    .getByRole("row", { name: /^openai\/gpt-5\.4 / })
    .getByText("never used")
    .waitFor();
  await row("judge").getByText("not allowed").waitFor();
  expect(await page.getByRole("rowheader").count()).toBe(8);

  await page.getByRole("combobox", { name: "With the key" }).click();
  await page.keyboard.type("claude code");
  await page.getByRole("option", { name: /Claude Code/ }).click();
  const name = page.getByLabel("What does this name resolve to?");
  const answer = page.getByRole("status", { name: "Resolution" });
  for (const [typed, told] of [
    ["claude-haiku-4-5", "begins with the prefix alias claude-haiku-*"],
    ["claude-3-opus", "begins with the prefix alias claude-*"],
    ["google/gemini-3-flash", "is the id of a model"],
    ["openai/gpt-5.4", "which the key's model patterns do not allow"],
    ["llama", "Neither a model nor an alias"],
  ] as const) {
    await name.fill(typed);
    await answer.getByText(told).waitFor();
  }
  await name.fill("claude-haiku-4-5");
  await answer.getByText("the longest match").waitFor();
  expect(new URL(page.url()).searchParams.get("name")).toBe("claude-haiku-4-5");
  await checkBothThemes(page);
  await screenshot(page, "aliases");
});

test("the aliases of many keys are found by typing, and fit a phone", async () => {
  const { page, account } = await member({ device: "phone" });
  await manyAliases(account);
  await page.goto("/console/aliases?sort=-alias");
  await page.getByRole("rowheader").first().waitFor();
  expect(await page.getByRole("rowheader").first().textContent()).toContain("triage");
  await page.getByLabel("Search aliases and models").fill("gemini claude");
  await page.waitForURL(/q=gemini/);
  expect(await page.getByRole("rowheader").count()).toBe(1);
  await page.getByLabel("Search aliases and models").fill("nothing");
  await page.getByText("No alias matches").waitFor();
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await checkAccessibility(page);
});

test("the playground's key, which it forgets by itself, is offered for no alias", async () => {
  const { page } = await member();
  await page.goto("/console/playground");
  await page.getByRole("textbox", { name: "Message" }).fill("Hello");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("article", { name: /^Answer of / }).waitFor();
  await page.goto("/console/aliases");
  await page.getByText("No keys yet").waitFor();
  expect(await page.getByRole("button", { name: "Add an alias" }).isDisabled()).toBe(true);
});
