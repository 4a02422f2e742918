import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import type { AccountSums } from "../../../contract/account-sums.ts";
import type { Key } from "../../../contract/keys.ts";
import type { Limits } from "../../../contract/limits.ts";
import type { MemberList } from "../../../contract/members.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite } from "../../support/people.ts";
import { signIn } from "../../support/sign-in.ts";

/** Lists that are long: the server finds and pages them, and no page asks for all of a list. */

const MANY = 130;

let browser: TestBrowser;
let gateway: Gateway;
/** The oldest account, which is on the second page, and has the many keys. */
let oldest: { id: string; email: string };
let oldest_key: { id: string; key: string };
let request_id = "";

beforeAll(async () => {
  [browser, gateway] = await Promise.all([launchBrowser(), startGateway()]);
  oldest = await gateway.admin("POST", "/accounts", {
    email: "first-of-many@example.com",
    name: "The first",
    credit: "5",
  });
  const aliases = [{ name: "old-friend", model: "sim/echo" }];
  oldest_key = await gateway.admin("POST", "/keys", { account: oldest.id, name: "Robot of old", aliases, rpm: 4711 });
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${oldest_key.key}`,
      "content-type": "application/json",
      "x-request-id": "order-4711",
    },
    body: JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "Hello" }], max_tokens: 5 }),
  });
  expect(response.status).toBe(200);
  request_id = response.headers.get("x-camino-request-id") ?? "";
  for (let n = 0; n < MANY; n += 1) {
    await gateway.admin("POST", "/accounts", { email: `account-${n}@example.com` });
    const alias = { name: `name-${n}`, model: "sim/echo" };
    await gateway.admin("POST", "/keys", { account: oldest.id, name: `key-${n}`, aliases: [alias], tpm: 1000 + n });
    await gateway.admin("POST", "/invitations", { account: oldest.id, email: `invited-${n}@example.com` });
  }
}, 120_000);

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

/** What a page asked the console API for. */
function asked(page: Page): string[] {
  const urls: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith("/console/api/")) urls.push(pathname.slice("/console/api".length) + search);
  });
  return urls;
}

const WHOLE = /^\/(?:accounts|users|keys|invitations|limits\/keys|accounts\/[^/?]+\/members)(?:\?account=[^&]*)?$/;

async function administratorAt(path: string): Promise<{ page: Page; urls: string[] }> {
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway);
  const urls = asked(visitor.page);
  await visitor.page.goto(`/console${path}`);
  return { page: visitor.page, urls };
}

describe("accounts", () => {
  test("come a page at a time with their sums, and are found wherever they are in the list", async () => {
    const { page, urls } = await administratorAt("/admin/accounts");
    await page.getByText("100 accounts so far").waitFor();
    const { accounts } = await gateway.admin<AccountSums>("GET", "/accounts/sums");
    await page.getByText(String(accounts), { exact: true }).first().waitFor();
    expect(await page.getByRole("button", { name: "Balance" }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "The first" }).count()).toBe(0);
    await page.getByLabel("E-mail, name or id").fill("FIRST many");
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "The first" }) });
    await row.waitFor();
    await row.getByText(String(MANY + 1), { exact: true }).waitFor();
    await page.getByText("1 account", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByText("100 accounts so far").waitFor();
    await page.getByRole("button", { name: "Load older" }).click();
    await page.getByText(`${accounts} accounts`, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Balance" }).waitFor();
    expect(urls.filter((url) => WHOLE.test(url))).toEqual([]);
  });

  test("are found by the switcher, which shows the first few until something is typed", async () => {
    const { page, urls } = await administratorAt("/");
    await page
      .getByRole("button", { name: /^Account/ })
      .first()
      .click();
    const search = page.getByRole("combobox", { name: "Show which account?" });
    await page.getByRole("option", { name: /account-129@/ }).waitFor();
    expect(await page.getByRole("option", { name: /first-of-many/ }).count()).toBe(0);
    await search.fill("the first");
    await page.getByRole("option", { name: /first-of-many/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/console/?account=${oldest.id}`);
    await page.getByRole("button", { name: /^Account The first$/ }).waitFor();
    expect(urls.filter((url) => WHOLE.test(url))).toEqual([]);
  });
});

/** Opens the switcher, whose first accounts are there. */
async function atSwitcher(): Promise<{ page: Page; search: Locator }> {
  const { page } = await administratorAt("/");
  await page
    .getByRole("button", { name: /^Account/ })
    .first()
    .click();
  await page.getByRole("option", { name: /account-129@/ }).waitFor();
  return { page, search: page.getByRole("combobox", { name: "Show which account?" }) };
}

/** Holds back what the server finds until `release`, which may change the answer. */
async function holdSearch(page: Page, list: "accounts" | "keys"): Promise<(change?: ChangeList) => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<ChangeList>();
  const is_search = ({ pathname, searchParams }: URL) => pathname === `/console/api/${list}` && searchParams.has("q");
  await page.route(is_search, async (route) => {
    const change = await released;
    const response = await route.fetch();
    await route.fulfill({ response, json: change((await response.json()) as FoundList) });
  });
  return (change = (found) => found) => release(change);
}

type FoundList = { readonly data: readonly { readonly email?: string }[] };
type ChangeList = (found: FoundList) => FoundList;

const marked = (page: Page) => page.getByRole("option", { selected: true });

describe("during a search", () => {
  test("Enter waits for what the server finds, and takes that", async () => {
    await gateway.admin("POST", "/accounts", { email: "not-the-first@example.com" });
    const { page, search } = await atSwitcher();
    const release = await holdSearch(page, "accounts");
    await search.fill("the first");
    await page.getByRole("option", { name: /account-129@/ }).waitFor({ state: "detached" });
    expect(await marked(page).textContent()).toStartWith("not-the-first@");
    await page.keyboard.press("Enter");
    await page.locator("[role=listbox][aria-busy=true]").waitFor();
    release();
    await page.waitForURL(`**/console/?account=${oldest.id}`);
    await search.waitFor({ state: "detached" });
  });

  test("Enter is forgotten when something else is typed", async () => {
    const { page, search } = await atSwitcher();
    const release = await holdSearch(page, "accounts");
    await search.fill("the first");
    await page.keyboard.press("Enter");
    await page.locator("[role=listbox][aria-busy=true]").waitFor();
    await search.fill("first many");
    // The server is still asked, and nothing else is found: no list, and nothing that waits.
    await page.locator("[role=status][aria-busy=false]").waitFor();
    release();
    await page.getByRole("option", { name: /first-of-many/ }).waitFor();
    expect(await search.count()).toBe(1);
  });

  test("the mark stays on its choice when rows arrive above it", async () => {
    const { page, search } = await atSwitcher();
    const release = await holdSearch(page, "accounts");
    await search.fill("account-12");
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowDown");
    expect(await marked(page).textContent()).toStartWith("account-126@");
    release(({ data, ...rest }) => ({
      ...rest,
      data: data.filter(({ email }) => email?.includes("account-12@") || email?.includes("-126@")).toReversed(),
    }));
    await page.getByRole("option", { name: /account-12@/ }).waitFor();
    expect(await page.getByRole("option").allTextContents()).toEqual([
      expect.stringMatching(/^account-12@/),
      expect.stringMatching(/^account-126@/),
    ]);
    expect(await marked(page).textContent()).toStartWith("account-126@");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /account-126@example.com/ }).waitFor();
  });

  test("the mark goes to the first when its choice is gone", async () => {
    const { page, search } = await atSwitcher();
    const release = await holdSearch(page, "accounts");
    await search.fill("account-12");
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowDown");
    release(({ data, ...rest }) => ({ ...rest, data: data.filter(({ email }) => !email?.includes("-126@")) }));
    await page.getByRole("option", { name: /account-12@/ }).waitFor();
    expect(await marked(page).textContent()).toStartWith("account-129@");
  });

  test("a model that the palette has stays marked, and Enter takes it at once, when keys are found that stand above it", async () => {
    await gateway.admin("POST", "/keys", { account: oldest.id, name: "echo-robot" });
    const { page } = await administratorAt("/settings");
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
    const release = await holdSearch(page, "keys");
    await page.keyboard.press("Control+k");
    await page
      .getByRole("option", { name: /sim\/echo/ })
      .first()
      .waitFor();
    await page.getByRole("combobox", { name: "Go to" }).fill("echo");
    const model = page.getByRole("option", { name: /sim\/echo/, selected: true });
    await model.waitFor();
    release();
    await page.getByRole("option", { name: /^echo-robot/ }).waitFor();
    expect(await page.getByRole("option").first().textContent()).toStartWith("echo-robot");
    await model.waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/console/models/sim/echo");
  });
});

test('"All accounts" is found by its name, and not by the words beside it', async () => {
  const { page, search } = await atSwitcher();
  const all = page.getByRole("option", { name: /^All accounts/ });
  await search.fill("usage");
  await all.waitFor({ state: "detached" });
  await search.fill("ALL acc");
  await all.waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/console/?account=all");
});

test("keys come a page at a time, and are found by an alias", async () => {
  const { page, urls } = await administratorAt(`/keys?account=${oldest.id}`);
  await page.getByText("100 keys so far").waitFor();
  await page.getByLabel("Search keys").fill("old-friend");
  await page.getByRole("link", { name: "Robot of old" }).waitFor();
  await page.getByText("1 key", { exact: true }).waitFor();
  expect(urls.filter((url) => WHOLE.test(url))).toEqual([]);
});

test("aliases come with a page of their keys, and each is found, tried, added and changed wherever its key is in the list", async () => {
  const { page, urls } = await administratorAt(`/aliases?account=${oldest.id}`);
  await page.getByText("100 aliases so far").waitFor();
  expect(await page.getByText("old-friend", { exact: true }).count()).toBe(0);
  await page.getByLabel("Search aliases and models").fill("OLD-friend echo");
  await page.getByText("1 alias", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Robot of old" }).waitFor();
  await page.getByLabel("Search aliases and models").fill("nothing-like-it");
  await page.getByText("No alias matches").waitFor();
  await page.getByRole("button", { name: "Show all aliases" }).click();
  await page.getByText("100 aliases so far").waitFor();
  await page.getByRole("combobox", { name: "Key", exact: true }).click();
  await page.keyboard.type("robot");
  await page.getByRole("option", { name: /Robot of old/ }).click();
  await page.getByText("1 alias", { exact: true }).waitFor();
  await page.getByText("old-friend", { exact: true }).waitFor();
  await page.getByRole("combobox", { name: "With the key" }).click();
  await page.keyboard.type("robot");
  await page.getByRole("option", { name: /Robot of old/ }).click();
  await page.getByLabel("What does this name resolve to?").fill("old-friend");
  await page.getByRole("status", { name: "Resolution" }).getByRole("link", { name: "sim/echo" }).waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByRole("button", { name: "Load older" }).click();
  await page.getByText(`${MANY + 1} aliases`, { exact: true }).waitFor();
  await page.getByRole("button", { name: "Add an alias" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Key" }).click();
  await page.keyboard.type("robot");
  await page.getByRole("option", { name: /Robot of old/ }).click();
  await dialog.getByLabel("Alias", { exact: true }).fill("new-friend");
  await dialog.getByRole("combobox", { name: "Leads to" }).click();
  await page.keyboard.type("sim/echo");
  await page
    .getByRole("option", { name: /sim\/echo/ })
    .first()
    .click();
  await dialog.getByRole("button", { name: "Add alias" }).click();
  await page.getByText("new-friend leads to sim/echo").waitFor();
  const { aliases } = await gateway.admin<Key>("GET", `/keys/${oldest_key.id}`);
  expect(aliases.map(({ name }) => name)).toEqual(["old-friend", "new-friend"]);
  expect(urls.filter((url) => WHOLE.test(url))).toEqual([]);
});

test("a search whose words only older keys have in one alias looks on until it finds it", async () => {
  const { id: account } = await gateway.admin<{ id: string }>("POST", "/accounts", { email: "looks-on@example.com" });
  const make = (...names: string[]) =>
    gateway.admin("POST", "/keys", { account, aliases: names.map((name) => ({ name, model: "sim/echo" })) });
  await make("north-of-south");
  // The server finds each of these keys, whose two aliases have one of the words each.
  for (let made = 0; made < 101; made += 1) await make(`north-${made}`, `south-${made}`);
  const { page } = await administratorAt(`/aliases?account=${account}&q=north+south`);
  await page.getByText("1 alias", { exact: true }).waitFor();
  await page.getByRole("table", { name: "Aliases" }).getByText("north-of-south").waitFor();
  await page.getByLabel("Search aliases and models").fill("north west south");
  await page.getByText("No alias matches").waitFor();
  expect(await page.getByRole("button", { name: "Load older" }).count()).toBe(0);
});

test("keys and accounts with limits of their own come a page at a time, and are found by words, account and limit", async () => {
  await gateway.admin("PATCH", `/accounts/${oldest.id}`, { rpm: 54_321 });
  const { page, urls } = await administratorAt("/admin/limits");
  await page.getByText("100 keys so far").waitFor();
  await page.getByText("1 account", { exact: true }).waitFor();
  const counted = await gateway.admin<Limits>("GET", "/limits");
  expect(counted.limited_key_count).toBeGreaterThan(MANY);
  await page.getByText(`${counted.limited_key_count} of ${counted.key_count} keys`).waitFor();
  await page.getByLabel("Key or account").fill("robot first-of-many@");
  await page.getByText("1 key", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Robot of old" }).waitFor();
  await page.getByText("No limited account matches").waitFor();
  await page.getByLabel("Key or account").fill("first-of-many@");
  await page.getByText("100 keys so far").waitFor();
  await page.getByLabel("Has its own").selectOption("rpm");
  await page.getByText("1 key", { exact: true }).waitFor();
  await page.getByRole("row", { name: /54,321/ }).waitFor();
  await page.getByLabel("Has its own").selectOption("tpm");
  await page.getByText("No limited account matches").waitFor();
  await page.getByRole("button", { name: "Load older" }).click();
  await page.getByText(`${MANY} keys`, { exact: true }).waitFor();
  expect(urls.filter((url) => WHOLE.test(url))).toEqual([]);
});

describe("a large team's", () => {
  test("invitations come a page at a time, and are found by e-mail", async () => {
    const { page, urls } = await administratorAt(`/team?account=${oldest.id}`);
    const card = page
      .locator("section, div")
      .filter({ has: page.getByRole("table", { name: "Open invitations" }) })
      .last();
    await page.getByText("50 invitations so far").waitFor();
    await page.getByLabel("Search invitations").fill("INVITED-7@");
    await page.getByText("1 invitation", { exact: true }).waitFor();
    await page.getByText("invited-7@example.com").waitFor();
    await card.getByRole("button", { name: "Withdraw" }).click();
    await page.getByText("No invitation matches").waitFor();
    await page.goto("/console/admin/users?tab=invitations");
    await page.getByText("100 invitations so far").waitFor();
    await page.getByRole("tab", { name: "Invitations 100+" }).waitFor();
    await page.getByLabel("Search invitations").fill("invited-100");
    await page.getByText("1 invitation", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("button", { name: "Load older" }).click();
    await page.getByText(`${MANY - 1} invitations`, { exact: true }).waitFor();
    expect(urls.filter((url) => WHOLE.test(url))).toEqual([]);
  });

  test("members are found by name and e-mail, and are paged by the API", async () => {
    const large = await gateway.admin<{ id: string }>("POST", "/accounts", { email: "large-team@example.com" });
    for (let n = 0; n < 12; n += 1) await invite(gateway, { email: `member-${n}@team.example`, account: large.id });
    const { page, urls } = await administratorAt(`/team?account=${large.id}`);
    await page.getByText("12 members", { exact: true }).waitFor();
    await page.getByLabel("Search members").fill("MEMBER-7@");
    await page.getByText("1 member", { exact: true }).waitFor();
    await page.getByRole("button", { name: /Actions for/ }).waitFor();
    await page.getByLabel("Search members").fill("nobody-at-all");
    await page.getByText("No member matches").waitFor();
    expect(urls.filter((url) => WHOLE.test(url))).toEqual([]);
    const path = `/accounts/${large.id}/members`;
    const whole = await gateway.admin<MemberList>("GET", path);
    const seen: string[] = [];
    for (let before: string | null = ""; before !== null; ) {
      const after = before === "" ? "" : `&before=${before}`;
      const read: MemberList = await gateway.admin<MemberList>("GET", `${path}?limit=5${after}`);
      seen.push(...read.data.map(({ user }) => user));
      before = read.next_before ?? null;
    }
    expect(seen).toEqual(whole.data.map(({ user }) => user).toReversed());
    const owners = await gateway.admin<MemberList>("GET", `${path}?role=owner`);
    expect(owners.data.map(({ email }) => email)).toEqual(["member-0@team.example"]);
  });
});

test("the filter of requests finds a key of many, and shows its name after a reload", async () => {
  const { page, urls } = await administratorAt(`/requests?account=${oldest.id}`);
  await page.getByRole("combobox", { name: "Key" }).click();
  await page.keyboard.type("robot");
  await page.getByRole("option", { name: /Robot of old/ }).click();
  await page.waitForURL(`**key=${oldest_key.id}*`);
  await page.reload();
  await page.getByRole("link", { name: "sim/echo" }).first().waitFor();
  expect(await page.getByRole("combobox", { name: "Key" }).inputValue()).toBe("Robot of old");
  expect(urls.filter((url) => WHOLE.test(url))).toEqual([]);
});

test("the audit log finds an account of many", async () => {
  const { page, urls } = await administratorAt("/admin/audit");
  await page.getByRole("combobox", { name: "Account" }).click();
  await page.keyboard.type("first-of");
  await page.getByRole("option", { name: /first-of-many/ }).click();
  await page.getByRole("link", { name: "key-129" }).first().waitFor();
  expect(await page.getByText("account-129@example.com").count()).toBe(0);
  expect(urls.filter((url) => WHOLE.test(url))).toEqual([]);
});

describe("the palette", () => {
  const found = [
    ["a key by its name", "robot old", /Robot of old/, () => `**/console/keys/${oldest_key.id}?account=${oldest.id}`],
    ["a key by an alias", "old-friend", /Robot of old/, () => `**/console/keys/${oldest_key.id}?account=${oldest.id}`],
    ["an account", "first-of-many", /The first/, () => `**/console/admin/accounts/${oldest.id}*`],
    ["a request by the client's id", "order-4711", /order-4711/, () => `**/console/requests/${request_id}*`],
    ["a model", "sim/echo", /sim\/echo/, () => "**/console/models/sim/echo*"],
    ["an action", "create a key", /Create a key/, () => "**/console/keys/new*"],
  ] as const;
  test("finds keys, accounts, requests, models and actions among many", async () => {
    const { page, urls } = await administratorAt("/settings");
    for (const [what, typed, option, leads_to] of found) {
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Go to" }).fill(typed);
      await page.getByRole("option", { name: option }).first().click();
      await page.waitForURL(leads_to()).catch((thrown) => {
        throw new Error(`${what}: ${page.url()}`, { cause: thrown });
      });
    }
    expect(urls.filter((url) => WHOLE.test(url))).toEqual([]);
  });

  test("finds a request by the beginning of its own id", async () => {
    const { page } = await administratorAt("/settings");
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to" }).fill(request_id.slice(0, 14));
    await page.getByRole("option", { name: /answered · sim\/echo/ }).click();
    await page.waitForURL(`**/console/requests/${request_id}*`);
  });
});
