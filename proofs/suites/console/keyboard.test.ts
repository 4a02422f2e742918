import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import type { PriceList } from "../../../contract/prices.ts";
import type { Session } from "../../../contract/session.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Person, signIn } from "../../support/sign-in.ts";
import { type SimulatedGateway, startSimulatedGateway } from "../../support/simulated-gateway.ts";

/**
 * The ten most frequent tasks by keyboard alone: nothing is pressed with a mouse, and nothing gets the focus but by Tab, a shortcut, or the
 * page itself. Wherever the keyboard stops, it is seen that it does.
 */

setDefaultTimeout(120_000);

let browser: TestBrowser;
let simulated: SimulatedGateway;

beforeAll(async () => {
  const models = {
    "acme/swift-1": { upstream_model: "echo", price: { input: 3, output: 15 } },
    "acme/broken": { upstream_model: "fail-500" },
  };
  [browser, simulated] = await Promise.all([launchBrowser(), startSimulatedGateway({ models })]);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await simulated?.[Symbol.asyncDispose]();
});

/** More stops than any page has before the one that a task needs. */
const MOST_STOPS = 120;

/** What the keyboard is at, and whether that is seen: by an outline, or as the one place of a dialog that has the focus to begin with. */
const STOP = `(() => {
  const at = document.activeElement;
  if (at === null || at === document.body) return null;
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  const is_seen = outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
  return is_seen ? null : at.outerHTML.slice(0, 200);
})()`;

/** Two hands on a keyboard. */
class Hands {
  readonly page: Page;
  /** Stops where nothing showed that the keyboard was there. */
  readonly unseen = new Set<string>();

  constructor(page: Page) {
    this.page = page;
  }

  /** Goes from stop to stop until the wanted one. */
  async to(wanted: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<this> {
    await wanted.first().waitFor();
    for (let stops = 0; stops < MOST_STOPS; stops += 1) {
      if (await this.isAt(wanted.first())) return this;
      await this.press(key);
      const unseen = await this.page.evaluate<string | null>(STOP);
      if (unseen !== null) this.unseen.add(unseen);
    }
    throw new Error(`the keyboard does not come to ${wanted}`);
  }

  async isAt(wanted: Locator): Promise<boolean> {
    return (await wanted.and(this.page.locator(":focus")).count()) > 0;
  }

  async press(...keys: string[]): Promise<this> {
    for (const key of keys) await this.page.keyboard.press(key);
    return this;
  }

  async enter(wanted: Locator): Promise<void> {
    await (await this.to(wanted)).press("Enter");
  }

  /** Writes into a field in place of what it has. */
  async write(into: Locator, text: string): Promise<void> {
    await (await this.to(into)).press("Control+a");
    await this.page.keyboard.type(text);
  }

  /** Chooses in a list by the beginning of what it says. */
  async choose(list: Locator, beginning: string): Promise<void> {
    await this.to(list);
    await this.page.keyboard.type(beginning);
    const chosen = await list.locator("option:checked").textContent();
    expect(chosen?.toLowerCase()).toStartWith(beginning.toLowerCase());
  }

  /** Opens a page by its shortcut. */
  async open(keys: string, heading: string): Promise<void> {
    await this.press(...keys.split(" "));
    await this.page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name, ...(typeof name === "string" && { exact: true }) });
  }

  field(name: string): Locator {
    return this.page.getByLabel(name, { exact: true });
  }

  done(): void {
    expect([...this.unseen]).toEqual([]);
  }
}

let accounts = 0;

/** Somebody at the keyboard, whose account can pay, and who has just signed in. */
async function atKeyboard(path = "/"): Promise<Hands> {
  const visitor = await browser.visit(simulated.gateway.url);
  accounts += 1;
  const email = `at-the-keyboard-${accounts}@example.com`;
  const { id } = await simulated.gateway.admin<{ id: string }>("POST", "/accounts", { email, credit: "100" });
  await signIn(visitor, simulated.gateway, { account: id, account_role: "owner" });
  await visitor.page.goto(`/console${path}`);
  await visitor.page.locator("main h1").waitFor();
  return new Hands(visitor.page);
}

async function newKey(account: string, name: string): Promise<string> {
  const { key } = await simulated.gateway.admin<{ key: string }>("POST", "/keys", { account, name });
  return key;
}

/** The account of whoever sits at the keyboard. */
async function accountOf({ page }: Hands): Promise<string> {
  const { user }: Session = await (await page.request.get(`${simulated.gateway.url}/console/api/session`)).json();
  return user.account_id;
}

test("1: signing in", async () => {
  const visitor = await browser.visit(simulated.gateway.url);
  const person: Person = await signIn(visitor, simulated.gateway);
  await visitor.context.clearCookies();
  const { page } = visitor;
  await page.goto("/console/");
  const hands = new Hands(page);
  await hands.write(hands.field("E-mail"), person.email);
  await hands.write(hands.field("Password"), person.password);
  await hands.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  hands.done();
});

test("2: a new key, copied", async () => {
  const hands = await atKeyboard();
  const { page } = hands;
  await hands.open("g k", "Keys");
  await hands.enter(page.getByRole("link", { name: /^Create (a|the first) key$/ }));
  await hands.write(page.getByRole("textbox", { name: "Name" }), "Production");
  await hands.press("Enter");
  await hands.enter(page.getByRole("dialog").getByRole("button", { name: /^Copy/ }));
  const secret = await page.locator("[data-secret]").textContent();
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toContain(secret ?? "none");
  hands.done();
});

test("3: a key's new secret", async () => {
  const hands = await atKeyboard();
  const { page } = hands;
  await newKey(await accountOf(hands), "Support bot");
  await hands.open("g k", "Keys");
  await hands.enter(page.getByRole("link", { name: "Support bot" }));
  await page.getByRole("heading", { level: 1, name: "Support bot" }).waitFor();
  await hands.enter(hands.button(/^Actions for/));
  const roll = page.getByRole("menuitem", { name: "Roll the secret" });
  for (let items = 0; items < 20 && !(await hands.isAt(roll)); items += 1) await hands.press("ArrowDown");
  await hands.press("Enter");
  await hands.choose(page.getByRole("dialog").getByRole("combobox"), "One hour");
  await hands.enter(hands.button("Create new secret"));
  await page.getByRole("dialog", { name: "The new secret" }).waitFor();
  expect(await page.locator("[data-secret]").textContent()).toStartWith("cm-");
  hands.done();
});

test("4: an alias", async () => {
  const hands = await atKeyboard();
  const { page } = hands;
  await newKey(await accountOf(hands), "Support bot");
  await hands.open("g a", "Aliases");
  await page.getByText("No aliases yet").waitFor();
  await hands.press("n");
  const dialog = page.getByRole("dialog", { name: "Add an alias" });
  await hands.write(dialog.getByLabel("Alias"), "fast");
  await hands.write(dialog.getByRole("combobox", { name: "Leads to" }), "swift");
  await page.getByRole("option", { name: /swift-1/ }).waitFor();
  await hands.press("Enter");
  await hands.enter(dialog.getByRole("button", { name: "Add alias" }));
  await page.getByRole("row", { name: /fast/ }).getByRole("link", { name: "acme/swift-1" }).waitFor();
  hands.done();
});

test("5: a question in the playground", async () => {
  const hands = await atKeyboard();
  const { page } = hands;
  await hands.open("g p", "Playground");
  await hands.write(page.getByRole("combobox", { name: "Model" }), "swift");
  await page.getByRole("option", { name: /swift-1/ }).waitFor();
  await hands.press("Enter");
  await hands.write(page.getByRole("textbox", { name: "Message" }), "How far is it?");
  await hands.press("Control+Enter");
  const answer = page.getByRole("article", { name: /^Answer of / });
  await answer.getByText("How far is it?").waitFor();
  hands.done();
});

test("6: why a call failed", async () => {
  const hands = await atKeyboard();
  const { page } = hands;
  const key = await newKey(await accountOf(hands), "Support bot");
  for (const model of ["acme/swift-1", "acme/broken"]) {
    const response = await fetch(`${simulated.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] }),
    });
    await response.text();
  }
  await hands.open("g r", "Requests");
  await hands.choose(hands.field("Status"), "Failed");
  const found = page.getByRole("table", { name: "Requests" });
  await found.getByText("acme/swift-1").waitFor({ state: "detached" });
  await hands.enter(found.getByRole("link", { name: "acme/broken" }));
  await page.getByText("“", { exact: false }).first().waitFor();
  hands.done();
});

test("7: what was used, by key", async () => {
  const hands = await atKeyboard();
  const { page } = hands;
  const key = await newKey(await accountOf(hands), "Support bot");
  const response = await fetch(`${simulated.gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "acme/swift-1", messages: [{ role: "user", content: "Hello!" }] }),
  });
  await response.text();
  await hands.open("g u", "Usage");
  await hands.choose(hands.field("Group by"), "Key");
  await page.getByRole("table", { name: "Usage" }).getByText("Support bot").waitFor();
  hands.done();
});

test("8: a new member with credit", async () => {
  const hands = await atKeyboard();
  const { page } = hands;
  await hands.open("a u", "Users");
  await hands.enter(hands.button("Invite a user"));
  const dialog = page.getByRole("dialog");
  await hands.write(dialog.getByLabel("E-mail"), "new@example.com");
  await hands.write(dialog.getByLabel("Credit"), "25");
  await hands.press("Enter");
  await hands.enter(dialog.getByRole("button", { name: /^Copy/ }));
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toContain("#token=");
  hands.done();
});

test("9: credit for an account", async () => {
  const hands = await atKeyboard();
  const { page } = hands;
  const email = "customer@example.com";
  await simulated.gateway.admin("POST", "/accounts", { email, name: "A customer" });
  await hands.open("a a", "Accounts");
  await hands.press("/");
  await page.keyboard.type("A customer");
  const row = page.getByRole("table", { name: "Accounts" }).getByRole("link", { name: "A customer" });
  await hands.enter(row);
  await page.getByRole("heading", { level: 1, name: "A customer" }).waitFor();
  await hands.enter(hands.button("Add credit"));
  await hands.write(page.getByRole("dialog").getByLabel("Amount in USD"), "12.50");
  await hands.press("Enter");
  await hands.enter(page.getByRole("dialog").getByRole("button", { name: "Add $12.50" }));
  await page.getByText("The balance is $12.50").waitFor();
  hands.done();
});

test("10: a changed price in force", async () => {
  const hands = await atKeyboard();
  const { page } = hands;
  await hands.press("Control+k");
  await page.keyboard.type("Prices");
  await page.getByRole("option", { name: /Prices/ }).waitFor();
  await hands.press("Enter");
  await page.getByRole("heading", { level: 1, name: /Prices/ }).waitFor();
  await hands.enter(page.getByRole("table").getByRole("link", { name: "acme/swift-1" }));
  await hands.enter(page.getByRole("link", { name: "Change the price" }));
  const price = page.getByRole("group", { name: "Price", exact: true });
  await hands.write(price.getByLabel("Input", { exact: true }), "2.50");
  await hands.enter(hands.button("Preview the change"));
  await hands.enter(hands.button("Apply"));
  await page.getByText("Takes effect with the next request").first().waitFor();
  const { data } = await simulated.gateway.admin<PriceList>("GET", "/prices");
  expect(data.find(({ model }) => model === "acme/swift-1")?.effective.input.micro_per_mtok).toBe(2_500_000);
  hands.done();
});
