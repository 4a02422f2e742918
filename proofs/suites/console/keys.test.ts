import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import OpenAI from "openai";
import type { Page } from "playwright-core";
import type { Key, KeyList } from "../../../contract/keys.ts";
import { checkAccessibility, checkBothThemes } from "../../support/accessibility.ts";
import type { TestBrowser, VisitOptions, Visitor } from "../../support/browser.ts";
import { type ConsoleScene, startConsoleScene } from "../../support/console-scene.ts";
import { runCurl } from "../../support/curl.ts";
import type { Gateway } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";
import { eventually } from "../failures/support/scene.ts";

/** A key from its creation to its end, as a user in a browser and a program at the gateway see it. */

const ROOT = join(import.meta.dir, "../../..");

setDefaultTimeout(60_000);

let scene: ConsoleScene;
let browser: TestBrowser;
let gateway: Gateway;

beforeAll(async () => {
  scene = await startConsoleScene();
  ({ browser, gateway } = scene);
  await symlink(join(ROOT, "proofs/node_modules"), join(gateway.data, "node_modules"));
});

afterAll(() => scene?.[Symbol.asyncDispose]());

/** A member of an account of their own, at the page. */
async function memberAt(path: string, options: VisitOptions = {}) {
  const visitor = await scene.member(options);
  await visitor.page.goto(`/console${path}`);
  return visitor;
}

const makeKey = (account: string, fields: object) => scene.makeKey(account, fields);

async function choose(page: Page, label: string, typed: string): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).fill(typed);
  // The models may still be loading, and until then Enter takes none.
  if (label.startsWith("Model")) await page.locator('[role="option"]').first().waitFor();
  await page.keyboard.press("Enter");
}

test("two clicks at once, and a click after an answer that was lost, make one key", async () => {
  const { page, account } = await memberAt("/keys/new", { expected: [/net::ERR_FAILED/] });
  const sent: (string | undefined)[] = [];
  await page.route("**/console/api/keys", async (route) => {
    if (route.request().method() !== "POST") return await route.continue();
    sent.push(route.request().headers()["idempotency-key"]);
    // The gateway makes the key, and nobody hears of it.
    if (sent.length === 1) {
      await route.fetch();
      return await route.abort();
    }
    await route.continue();
  });
  await page.getByRole("textbox", { name: "Name" }).fill("Once");
  await page.getByRole("button", { name: "Create key" }).waitFor();
  await page.evaluate("for (const _ of [1, 2]) document.querySelector('main form [type=submit]').click()");
  await page.getByText("The gateway cannot be reached. Check").waitFor();
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog", { name: "Your new key" });
  const secret = (await dialog.locator("[data-secret]").textContent()) ?? "";
  expect(sent).toHaveLength(2);
  expect(sent[0]).toMatch(/^console-[0-9a-f]{32}$/);
  expect(sent[1]).toBe(sent[0] as string);
  const { data } = await gateway.admin<KeyList>("GET", `/keys?account=${account}`);
  expect(data).toHaveLength(1);
  expect(secret).toEndWith(data[0]?.hint ?? "-");
});

test("on a phone what makes the key stands above what leaves the form, as in dialogs", async () => {
  const { page } = await memberAt("/keys/new", { device: "phone" });
  const make = await page.getByRole("button", { name: "Create key" }).boundingBox();
  const leave = await page.getByRole("link", { name: "Cancel" }).boundingBox();
  expect(make?.y).toBeLessThan(leave?.y ?? 0);
});

test("a key is made with aliases, models, limits and an end, and shown once with snippets that run", async () => {
  const { page, account } = await memberAt("/keys");
  await page.getByText("No keys yet").waitFor();
  await checkBothThemes(page);
  await page.keyboard.press("n");
  await page.getByRole("heading", { name: "Create a key", level: 1 }).waitFor();

  await page.getByRole("textbox", { name: "Name" }).fill("Assistant");
  await page.getByRole("button", { name: "Add an alias" }).click();
  await page.keyboard.type("fast");
  await choose(page, "Model of alias 1", "haiku");
  await page.getByRole("button", { name: "Add an alias" }).click();
  await page.keyboard.type("gpt-*");
  await choose(page, "Model of alias 2", "5.4-mini");
  await page.getByLabel("What does this name resolve to?").fill("gpt-4o");
  await page.getByText("begins with the prefix alias gpt-*").waitFor();
  await page.getByLabel("Only some models").check();
  await page.getByLabel("Patterns").fill("anthropic/*\nopenai/*-mini\nnobody/*");
  await page.getByText("4 of 13 models").waitFor();
  await page.getByText("This pattern matches no model: nobody/*").waitFor();
  await page.getByLabel("Budget").fill("5");
  await page.getByLabel("For", { exact: true }).selectOption("week");
  await page.getByLabel("Requests per minute").fill("60");
  await page.getByLabel("Concurrent requests").fill("4");
  await page.getByLabel("Expires").selectOption("90");
  await checkBothThemes(page);
  await page.getByRole("heading", { name: "Create a key" }).scrollIntoViewIfNeeded();
  await screenshot(page, "new-key");
  await page.getByRole("button", { name: "Create key" }).click();

  const dialog = page.getByRole("dialog", { name: "Your new key" });
  const secret = (await dialog.locator("[data-secret]").textContent()) ?? "";
  expect(secret).toMatch(/^cm-/);
  // Only the button that says so loses the secret.
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 5);
  expect(await dialog.getByRole("button", { name: "Close" }).count()).toBe(0);
  expect(await dialog.locator("[data-secret]").textContent()).toBe(secret);
  await dialog.getByRole("button", { name: "Copy key" }).click();
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(secret);
  for (const label of [
    "TypeScript (Anthropic)",
    "Python",
    "Python (Anthropic)",
    "Claude Code",
    "Codex",
    "Environment",
  ]) {
    await dialog.getByRole("tab", { name: label, exact: true }).click();
    expect(await dialog.getByRole("tabpanel").textContent()).toContain(secret);
  }
  await dialog.getByRole("tab", { name: "TypeScript", exact: true }).click();
  expect(await runTypeScript((await dialog.locator("pre").textContent()) ?? "")).toContain("Simulated");
  await dialog.getByRole("tab", { name: "TypeScript (Anthropic)" }).click();
  expect(await runTypeScript((await dialog.locator("pre").textContent()) ?? "")).toContain("Simulated");
  await dialog.getByRole("tab", { name: "curl" }).click();
  const answer = await runCurl((await dialog.locator("pre").textContent()) ?? "");
  expect(await answer.text()).toContain("Simulated");
  await checkBothThemes(page);
  await screenshot(page, "key-created");
  await dialog.getByRole("button", { name: "I have copied it" }).click();

  await page.getByRole("heading", { name: "Assistant", level: 1 }).waitFor();
  expect(await page.content()).not.toContain(secret);
  const { data } = await gateway.admin<KeyList>("GET", `/keys?account=${account}`);
  expect(data).toMatchObject([
    {
      name: "Assistant",
      aliases: [{ name: "fast", model: "anthropic/claude-haiku-4-5" }],
      prefix_aliases: [{ prefix: "gpt-", model: "openai/gpt-5.4-mini" }],
      models: ["anthropic/*", "openai/*-mini", "nobody/*"],
      rpm: 60,
      tpm: null,
      concurrent: 4,
      budget: { amount_micro: 5_000_000, window: "week" },
    },
  ]);
  const days = (Date.parse(data[0]?.expires_at ?? "") - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(90);
});

async function runTypeScript(source: string): Promise<string> {
  const path = join(gateway.data, `snippet-${Bun.hash(source)}.ts`);
  await Bun.write(path, source);
  const child = Bun.spawn([process.execPath, path], { cwd: gateway.data, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect({ status: await child.exited, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

test("the page of a key shows its requests and charges as they happen, without a reload", async () => {
  const { page, account } = await memberAt("/");
  const key = await makeKey(account, {
    name: "Nightly report",
    budget: { amount: "0.5", window: "month" },
    model_limits: [{ models: "anthropic/*", rpm: 60, budget: { amount: "0.3", window: "day" } }],
    aliases: [{ name: "best", model: "anthropic/claude-opus-4-6" }],
  });
  await page.goto(`/console/keys/${key.id}`);
  await page.getByText("Not used yet").waitFor();
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.key, maxRetries: 0 });
  const question = "Which stage of the way is the longest? ".repeat(60);
  for (const model of ["best", "openai/gpt-5.4", "google/gemini-3-flash", "openai/gpt-5.4-mini", "best"])
    await openai.chat.completions.create({ model, messages: [{ role: "user", content: question }] });
  const table = page.getByRole("table", { name: "Last requests" });
  await table.getByRole("link", { name: "google/gemini-3-flash" }).waitFor();
  await table.getByText("as best").first().waitFor();
  await page.getByRole("img", { name: /Spend by day and model/ }).waitFor();
  const shown = await page.locator("main").getByText("Budget", { exact: true }).locator("..").textContent();
  expect(shown).toMatch(/\$0\.0\d+ of \$0\.50 a monthrenews \d{4}-\d{2}-01 00:00, UTC\$0\.4\d+ left/);
  await checkBothThemes(page);
  await screenshot(page, "key");

  await page.getByRole("tab", { name: "Limits" }).click();
  const by_model = page.getByLabel("Limits by model");
  expect(await by_model.inputValue()).toBe("anthropic/*:rpm=60,budget=0.30/day");
  await page
    .getByText(/^renews .*, UTC$/)
    .first()
    .waitFor();
  await by_model.fill("anthropic/*:rpm=60,budget=0.30/day\nopenai/*:concurrent=2");
  await checkBothThemes(page);
  await screenshot(page, "key-limits");
  await page.getByRole("button", { name: "Save limits" }).click();
  await page.getByText("openai/*:concurrent=2", { exact: true }).last().waitFor();

  await page.getByRole("tab", { name: "Snippets" }).click();
  await page.getByText(`Put the key in the place of cm-…${key.hint}`).waitFor();
  expect(await page.getByRole("tabpanel").last().textContent()).toContain(`cm-…${key.hint}`);
  await checkBothThemes(page);
});

test("aliases and limits are changed on the key's page, and hold at once", async () => {
  const { page, account } = await memberAt("/");
  const key = await makeKey(account, { name: "Chat", aliases: [{ name: "fast", model: "openai/gpt-5.4" }] });
  await page.goto(`/console/keys/${key.id}?tab=aliases`);
  await choose(page, "Model of alias 1", "gemini-3-flash");
  await page.getByRole("button", { name: "Add an alias" }).click();
  await page.keyboard.type("no spaces");
  await choose(page, "Model of alias 2", "haiku");
  await page.getByLabel("What does this name resolve to?").fill("fast");
  await page.getByText("fast is an alias of google/gemini-3-flash").waitFor();
  await page.getByRole("button", { name: "Save aliases" }).click();
  await page.getByRole("alert").getByText("aliases[1].name").waitFor();
  await page.getByLabel("Alias 2", { exact: true }).fill("claude-*");
  await page.getByRole("button", { name: "Save aliases" }).click();
  await page.getByText("Aliases saved").waitFor();
  await page.getByRole("tab", { name: "Aliases (2)" }).waitFor();
  await checkBothThemes(page);
  await screenshot(page, "key-aliases");
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.key, maxRetries: 0 });
  const ask = (model: string) => openai.chat.completions.create({ model, messages: [{ role: "user", content: "Hi" }] });
  expect((await ask("claude-3-5-haiku")).choices).toHaveLength(1);

  await page.getByRole("tab", { name: "Limits" }).click();
  await page.getByLabel("Only some models").check();
  await choose(page, "Add a model or vendor", "google/*");
  await page.getByText("2 of 13 models").waitFor();
  await page.getByLabel("Budget").fill("1.5");
  await page.getByLabel("Tokens per minute").fill("100000");
  await page.getByLabel("Stored answers").fill("12h");
  await checkBothThemes(page);
  await screenshot(page, "key-limits");
  await page.getByRole("button", { name: "Save limits" }).click();
  await page.getByText("Limits saved").waitFor();
  expect(await gateway.admin<Key>("GET", `/keys/${key.id}`)).toMatchObject({
    models: ["google/*"],
    tpm: 100_000,
    cache: "12h",
    budget: { amount_micro: 1_500_000, window: "month" },
    aliases: [{ name: "fast", model: "google/gemini-3-flash" }],
  });
  await expectRefusal(ask("openai/gpt-5.4"), 404);
  expect((await ask("fast")).choices).toHaveLength(1);
});

async function expectRefusal(call: Promise<unknown>, status: number): Promise<void> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OpenAI.APIError);
  expect((error as InstanceType<typeof OpenAI.APIError>).status).toBe(status);
}

describe("the list of keys", () => {
  let visit: Visitor & { account: string };
  let key: Key & { key: string };

  async function open(options: VisitOptions = {}) {
    visit = await memberAt("/", options);
    key = await makeKey(visit.account, {
      name: "Production",
      budget: { amount: "20", window: "month" },
      rpm: 600,
      aliases: [{ name: "fast", model: "openai/gpt-5.4-mini" }],
      prefix_aliases: [{ prefix: "claude-", model: "anthropic/claude-sonnet-4-6" }],
    });
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const others = await Promise.all([
      makeKey(visit.account, { name: "Claude Code, Ana's laptop", models: ["anthropic/*"], concurrent: 8 }),
      makeKey(visit.account, { name: "CI", models: ["openai/*-mini"], expires_at: day(20), rpm: 60, tpm: 200_000 }),
      makeKey(visit.account, { budget: { amount: "0.002", window: "day" } }),
      makeKey(visit.account, { name: "Old importer" }),
    ]);
    const importer = others[3]?.id ?? "";
    await gateway.admin("POST", `/keys/${importer}/revoke`);
    await visit.page.goto("/console/keys");
    await visit.page.getByRole("link", { name: "Production" }).waitFor();
  }

  test("disables and enables a key, with effect on programs at once, and revokes it for good", async () => {
    await open();
    const { page } = visit;
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.key, maxRetries: 0 });
    const ask = () =>
      openai.chat.completions.create({
        model: "fast",
        messages: [{ role: "user", content: "How far is it to Finisterre? ".repeat(400) }],
      });
    const row = page.getByRole("row", { name: /Production/ });
    await row.getByText("never").first().waitFor();
    await ask();
    await row.getByText(/second|now/).waitFor();
    await checkBothThemes(page);
    await screenshot(page, "keys");

    const act = async (item: string) => {
      await row.getByRole("button", { name: "Actions for Production" }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await act("Rename");
    await page.getByRole("dialog", { name: "Rename key" }).waitFor();
    await page.keyboard.press("Escape");
    await row.getByRole("button", { name: "Actions for Production" }).and(page.locator(":focus")).waitFor();
    await act("Disable");
    await page.getByRole("button", { name: "Disable key" }).click();
    await row.getByText("disabled").waitFor();
    await expectRefusal(ask(), 401);
    await act("Enable");
    await row.getByText("active").waitFor();
    await ask();
    await act("Revoke for good");
    const revoke = page.getByRole("button", { name: "Revoke key" });
    expect(await revoke.isDisabled()).toBe(true);
    await page.getByLabel("Type Production to confirm").fill("Production");
    await revoke.click();
    await row.getByText("revoked").waitFor();
    await expectRefusal(ask(), 401);
    await act("Delete");
    await page.getByLabel("Type Production to confirm").fill("Production");
    await page.keyboard.press("Enter");
    await row.waitFor({ state: "detached" });
  });

  test("finds keys by name, alias and state, in the address, and is sorted by its columns' heads", async () => {
    await open();
    const { page } = visit;
    const names = () => page.getByRole("table", { name: "Keys" }).getByRole("rowheader").count();
    expect(await names()).toBe(5);
    await page.keyboard.press("/");
    await page.keyboard.type("claude");
    await page.waitForURL(/q=claude/);
    await eventually("the two keys that are found", async () => (await names()) === 2 || null);
    await page.getByLabel("Status").selectOption("revoked");
    await page.getByText("No key matches").waitFor();
    await page.getByRole("button", { name: "Show all keys" }).click();
    await page.getByRole("button", { name: "Key", exact: true }).click();
    await page.waitForURL(/sort=name/);
    const first = page.getByRole("table", { name: "Keys" }).getByRole("rowheader").first();
    expect(await first.textContent()).toContain("CI");
  });

  test("can be used by keyboard and on a phone, where nothing scrolls sideways", async () => {
    await open({ device: "phone" });
    const { page } = visit;
    const width = () => page.evaluate<number>("document.documentElement.scrollWidth");
    expect(await width()).toBe(390);
    await page.getByRole("link", { name: "CI", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "CI", level: 1 }).waitFor();
    for (const tab of ["Aliases", "Limits", "Snippets"]) {
      await page.getByRole("tab", { name: tab }).click();
      expect({ tab, width: await width() }).toEqual({ tab, width: 390 });
    }
    // The snippets' tabs do not fit: their edges say where there are more, and the last is reached by the keyboard.
    const snippets = page.getByRole("tablist").last();
    await snippets.and(page.locator("[data-more=end]")).waitFor();
    await snippets.getByRole("tab").first().focus();
    await page.keyboard.press("End");
    await snippets.and(page.locator("[data-more=start]")).waitFor();
    await page.goto("/console/keys/new");
    await page.getByRole("heading", { name: "Create a key", level: 1 }).waitFor();
    await checkAccessibility(page);
    expect(await width()).toBe(390);
  });
});

test("a list that cannot be loaded says why, and is tried again", async () => {
  const { page, account } = await memberAt("/");
  await makeKey(account, { name: "CI" });
  const error = {
    message: "The database is away.",
    type: "invalid_request_error",
    param: null,
    code: "invalid_request",
  };
  await page.route("**/console/api/keys?*", (route) => route.fulfill({ status: 400, json: { error } }));
  await page.goto("/console/keys");
  await page.getByRole("alert").getByText("The database is away.").waitFor();
  await checkBothThemes(page);
  await page.unroute("**/console/api/keys?*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("link", { name: "CI" }).waitFor();
});

test("an administrator sees any account's keys, and makes one for it", async () => {
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway);
  const { page } = visitor;
  const other = await gateway.newKey({ name: "Theirs" });
  await page.goto(`/console/keys?account=${other.account}`);
  await page.getByRole("link", { name: "Theirs" }).waitFor();
  await page.getByRole("link", { name: "Create a key" }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill("Made for them");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByRole("heading", { name: "Made for them", level: 1 }).waitFor();
  const { data } = await gateway.admin<KeyList>("GET", `/keys?account=${other.account}`);
  expect(data.map(({ name }) => name)).toEqual(["Theirs", "Made for them"]);
});

test("a key of another account does not exist", async () => {
  const { page } = await memberAt("/");
  const other = await gateway.newKey();
  await page.goto(`/console/keys/${other.id}`);
  await page.getByText("There is no such page").waitFor();
});
