import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { AccountList } from "../../../contract/accounts.ts";
import type { AuditPage } from "../../../contract/audit.ts";
import type { EntryList } from "../../../contract/credits.ts";
import type { KeyList } from "../../../contract/keys.ts";
import type { UserList } from "../../../contract/users.ts";
import { readCsv } from "../../../src/cli/audit/read-csv.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite, type Person } from "../../support/people.ts";

/** Accounts, keys, users, ledgers and the audit log as files: whole, in the order of the lists, and harmless to open. */

/** More than one part of a file has. */
const MANY = 510;

let gateway: Gateway;
let token: string;
let account: string;
let member: Person;

beforeAll(async () => {
  gateway = await startGateway();
  token = (await Bun.file(join(gateway.data, "admin-token")).text()).trim();
  const made = await gateway.admin<{ id: string }>("POST", "/accounts", {
    email: "many@example.com",
    name: "=1+1",
    credit: "1",
  });
  account = made.id;
  await gateway.admin("POST", "/keys", { account, name: '=HYPERLINK("https://evil.example")', rpm: 7 });
  const budget = { amount: "12.50", window: "month" };
  const aliases = [{ name: "fast", model: "sim/echo" }];
  for (let n = 0; n < MANY; n += 1) {
    await gateway.admin("POST", "/keys", { account, name: `key, ${n}`, ...(n === 0 && { budget, aliases }) });
    await gateway.admin("POST", `/accounts/${account}/credits`, { amount: "0.000001", note: `@note ${n}` });
  }
  member = await invite(gateway, { email: "member@example.com", account });
}, 120_000);
afterAll(() => gateway[Symbol.asyncDispose]());

async function file(path: string, headers: Record<string, string> = { authorization: `Bearer ${token}` }) {
  const response = await fetch(`${gateway.url}/console/api${path}`, { headers });
  const text = await response.text();
  return { response, text };
}

async function rowsOf(path: string): Promise<Record<string, string>[]> {
  const { response, text } = await file(path);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(response.headers.get("content-disposition")).toStartWith("attachment; filename=");
  const [head = [], ...rows] = readCsv(text);
  return rows.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at] ?? ""])));
}

async function idsOf<List extends { data: { id: string }[]; next_before?: string | null }>(
  path: string,
): Promise<string[]> {
  const ids: string[] = [];
  for (let before: string | null | undefined; before !== null; ) {
    const page: List = await gateway.admin<List>(
      "GET",
      `${path}limit=500${before === undefined ? "" : `&before=${before}`}`,
    );
    ids.push(...page.data.map(({ id }) => id));
    before = page.next_before ?? null;
  }
  return ids;
}

const FILES = [
  ["accounts", () => "/accounts?", 1, idsOf<AccountList>],
  ["keys of one account", () => `/keys?account=${account}&`, MANY + 1, idsOf<KeyList>],
  ["users", () => "/users?", 1, idsOf<UserList>],
  ["a ledger", () => `/accounts/${account}/credits?`, MANY + 1, idsOf<EntryList>],
  ["the audit log", () => "/audit-log?", MANY * 2, idsOf<AuditPage>],
] as const;

test.each(FILES)("%s: a file has every row of the list, in its order", async (_name, path, least, ids) => {
  const rows = await rowsOf(`${path()}format=csv`);
  expect(rows.length).toBeGreaterThanOrEqual(least);
  expect(rows.map(({ id }) => id)).toEqual(await ids(path()));
});

test("a file is sent in parts, whose number of rows the answer does not know before", async () => {
  const { response } = await file(`/keys?account=${account}&format=csv`);
  expect(response.headers.get("content-length")).toBeNull();
});

test("a search has its file, and limit and before do not count", async () => {
  // Three digits: two may be in what the ids of all keys of an account have in common.
  const rows = await rowsOf(`/keys?account=${account}&q=key+500&limit=1&format=csv`);
  expect(rows.map(({ name }) => name)).toContain("key, 500");
  expect(rows.length).toBeLessThan(MANY);
  expect(await rowsOf(`/keys?account=${account}&status=revoked&format=csv`)).toEqual([]);
  expect((await rowsOf(`/accounts/${account}/credits?kind=charge&format=csv`)).length).toBe(0);
});

test("no text can run as a formula in a spreadsheet", async () => {
  const { text: keys } = await file(`/keys?account=${account}&format=csv`);
  expect(keys).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
  const { text: accounts } = await file("/accounts?format=csv");
  expect(accounts).toContain(",'=1+1,");
  const { text: ledger } = await file(`/accounts/${account}/credits?format=csv`);
  expect(ledger).toContain(",'@note 7,");
});

test("amounts are written for people and for programs, and limits and aliases are there", async () => {
  const [row] = (await rowsOf("/accounts?format=csv")).filter(({ id }) => id === account);
  expect(row).toMatchObject({
    balance: "1.00051",
    balance_micro: "1000510",
    currency: "USD",
    active_keys: String(MANY + 1),
  });
  const keys = await rowsOf(`/keys?account=${account}&format=csv`);
  expect(keys.find(({ name }) => name === "key, 0")).toMatchObject({
    ...{ budget: "12.50", budget_window: "month", aliases: "fast=sim/echo", account_email: "many@example.com" },
  });
  const [user] = (await rowsOf("/users?format=csv")).filter(({ email }) => email === "member@example.com");
  expect(user?.accounts).toContain("many@example.com (");
});

test("members have the files of their own account, and of no other", async () => {
  const headers = { cookie: Array.from(member.browser.cookies, ([name, value]) => `${name}=${value}`).join("; ") };
  expect((await file(`/accounts/${account}/credits?format=csv`, headers)).response.status).toBe(200);
  expect((await file("/keys?format=csv", headers)).text).toContain("many@example.com");
  for (const path of ["/accounts?format=csv", "/users?format=csv", "/audit-log?format=csv"])
    expect([path, (await file(path, headers)).response.status]).toEqual([path, 404]);
});

test("what is wrong with the question is told before the file begins", async () => {
  const { response, text } = await file("/audit-log?format=csv&from=2026-01-02&to=2026-01-01");
  expect(response.status).toBe(400);
  expect(JSON.parse(text)).toHaveProperty("error.param");
  expect((await file("/accounts?format=xls")).text).toContain('\\"json\\" or \\"csv\\"');
});

test("a client that leaves in the middle of a file leaves nothing behind", async () => {
  for (let n = 0; n < 5; n += 1) {
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${gateway.url}/console/api/audit-log?format=csv`, {
      headers,
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
  }
  expect((await rowsOf("/users?format=csv")).length).toBeGreaterThan(0);
  expect(gateway.log()).not.toContain("could not be sent whole");
});
