import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Errors } from "typebox/value";
import { ADMINISTRATION, type AdministrationCall } from "../../../contract/administration.ts";
import {
  type AdministrationClient,
  AdministrationError,
  administrationClient,
} from "../../../contract/administration-client.ts";
import { CONSOLE_API } from "../../../contract/common.ts";
import { type CreatedManagementKey, GRANTABLE_SCOPES } from "../../../contract/management-keys.ts";
import { scopeOf } from "../../../contract/route-scopes.ts";
import { ROUTES } from "../../../src/console-api/handle-console-api.ts";
import { runCamino } from "../../support/camino.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { invite } from "../../support/people.ts";

/** The administration API as its client sees it: the table that it is made of is the gateway's. */

let gateway: Gateway;
let customer: TestKey;
let client: AdministrationClient;
let project: string;

beforeAll(async () => {
  gateway = await startGateway();
  customer = await gateway.newKey();
  const made = { name: "the client's", scopes: GRANTABLE_SCOPES };
  const { key } = await gateway.admin<CreatedManagementKey>("POST", "/management-keys", made);
  client = administrationClient({ url: gateway.url, key });
  project = (await client.call("POST /projects", { body: { account: customer.account, name: "one" } })).id;
}, 60_000);
afterAll(() => gateway[Symbol.asyncDispose]());

const CALLS = Object.entries(ADMINISTRATION) as [string, AdministrationCall][];

test.each(CALLS)("%s is a route, with the same query and body", (name, { query, body }) => {
  const route = ROUTES.find(({ method, path }) => `${method} ${path.slice(CONSOLE_API.length)}` === name);
  expect(route?.is_audited).toBe(!name.startsWith("GET "));
  expect(route?.body ?? null).toBe(body ?? null);
  if (query !== undefined) expect(route?.query).toBe(query);
});

/** What the console's pages and the commands are made with, in shapes that are theirs: they change with them, and promise nothing to programs. */
const OF_PAGES = [
  ...["GET /accounts/sums", "GET /accounts/uses", "GET /overview", "GET /overview/live", "GET /names", "GET /health"],
  ...["GET /usage/explore", "GET /models", "GET /models/{vendor}/{name}", "GET /resolve", "POST /resolve"],
  ...["GET /prices", "GET /routes", "GET /limits", "GET /limits/keys", "GET /limits/accounts"],
  ...["POST /first-administrator-link", "POST /books/rebuild-usage"],
];

test("every route that a management key opens is one of these calls, but for what pages are made with", () => {
  const opened = ROUTES.map(({ method, path }) => [method, path.slice(CONSOLE_API.length)] as const)
    .filter(([method, path]) => (GRANTABLE_SCOPES as readonly unknown[]).includes(scopeOf(method, path)))
    .map(([method, path]) => `${method} ${path}`);
  const documented = CALLS.map(([name]) => name);
  expect(opened.filter((name) => !documented.includes(name)).toSorted()).toEqual(OF_PAGES.toSorted());
});

/** Calls that read, with what they need; every answer agrees with the table's schema. */
const READS: Readonly<Record<string, () => object>> = {
  "GET /accounts": () => ({ query: { limit: "2" } }),
  "GET /accounts/{account}": () => ({ path: { account: customer.account } }),
  "GET /accounts/{account}/budget": () => ({ path: { account: customer.account } }),
  "GET /accounts/{account}/credits": () => ({ path: { account: customer.account } }),
  "GET /accounts/{account}/members": () => ({ path: { account: customer.account } }),
  "GET /invitations": () => ({}),
  "GET /keys": () => ({ query: { account: customer.account, limit: "3" } }),
  "GET /keys/{key}": () => ({ path: { key: customer.id } }),
  "GET /tags": () => ({ query: { account: customer.account } }),
  "GET /projects": () => ({ query: { limit: "2" } }),
  "GET /projects/{project}": () => ({ path: { project } }),
  "GET /keys/{key}/model-limits": () => ({ path: { key: customer.id } }),
  "GET /projects/{project}/model-limits": () => ({ path: { project } }),
  "GET /accounts/{account}/model-limits": () => ({ path: { account: customer.account } }),
  "GET /budgets": () => ({ query: { account: customer.account } }),
  "GET /usage": () => ({ query: { by: "key", account: customer.account } }),
  "GET /requests": () => ({ query: { limit: "1" } }),
  "GET /users": () => ({ query: { limit: "1" } }),
  "GET /management-keys": () => ({}),
  "GET /audit-log": () => ({ query: { limit: "3" } }),
  "GET /usage/traffic": () => ({ query: { by: "vendor", step: "hour", zone: "Asia/Kolkata" } }),
  "GET /requests/refused": () => ({}),
  "GET /accounts/{account}/tag-limits": () => ({ path: { account: customer.account } }),
  "GET /alerts": () => ({ query: { account: customer.account } }),
  "GET /alerts/targets": () => ({ query: { account: customer.account } }),
  "GET /deliveries": () => ({ query: { account: customer.account } }),
  "GET /contents": () => ({ query: { account: customer.account } }),
  "GET /cache": () => ({ query: { account: customer.account } }),
  "GET /contents/switches": () => ({ query: { account: customer.account } }),
  "GET /credits/auto-top-up": () => ({ query: { account: customer.account } }),
  "GET /configuration/elements": () => ({ query: { kind: "model", limit: "2" } }),
  "GET /configuration/elements/{kind}/{id}": () => ({ path: { kind: "model", id: "sim/echo" } }),
  "GET /configuration/elements/{kind}/{id}/history": () => ({ path: { kind: "model", id: "sim/echo" } }),
  "GET /configuration/export": () => ({}),
  "GET /vendors": () => ({}),
  "GET /vendors/{vendor}": () => ({ path: { vendor: "sim" } }),
  "GET /vendors/{vendor}/models": () => ({ path: { vendor: "sim" } }),
  "GET /health/vendors": () => ({ query: { range: "week" } }),
  "GET /health/circuits": () => ({}),
};
const reads = CALLS.filter(([name]) => name in READS);

test("every reading call is tried here, but those of a request and of a limited tag", () => {
  const untried = CALLS.map(([name]) => name).filter((name) => name.startsWith("GET ") && !(name in READS));
  expect(untried).toEqual([
    "GET /accounts/{account}/tags/{tag}/values",
    "GET /projects/{project}/tags/{tag}/values",
    "GET /contents/{request}",
    "GET /requests/{request}",
  ]);
});

test.each(reads)("%s answers as the table says", async (name, { answer }) => {
  const found = await client.call(name as "GET /accounts", (READS[name]?.() ?? {}) as { query: object });
  expect([...Errors(answer, found)]).toEqual([]);
});

describe("changes", () => {
  test("are made and answer as the table says", async () => {
    const account = await client.call("POST /accounts", { body: { email: "made@example.com", credit: "5" } });
    expect([...Errors(ADMINISTRATION["POST /accounts"].answer, account)]).toEqual([]);
    const key = await client.call("POST /keys", { body: { account: account.id, name: "made" } });
    expect([...Errors(ADMINISTRATION["POST /keys"].answer, key)]).toEqual([]);
    const changed = await client.call("PATCH /keys/{key}", { path: { key: key.id }, body: { rpm: 5 } });
    expect(changed.rpm).toBe(5);
    const rolled = await client.call("POST /keys/{key}/roll", { path: { key: key.id }, body: { overlap_s: 60 } });
    expect([...Errors(ADMINISTRATION["POST /keys/{key}/roll"].answer, rolled)]).toEqual([]);
    expect(rolled.key).not.toBe(key.key);
    const once = { path: { account: account.id }, body: { amount: "2" }, idempotency_key: "once" };
    await client.call("POST /accounts/{account}/credits", once);
    await client.call("POST /accounts/{account}/credits", once);
    const shown = await client.call("GET /accounts/{account}", { path: { account: account.id } });
    expect(shown.balance_micro).toBe(7_000_000);
    expect(await client.call("DELETE /keys/{key}", { path: { key: key.id } })).toEqual({ id: key.id, deleted: true });
  });

  test("of the configuration are previewed, made and taken back", async () => {
    const element = { kind: "vendor", id: "by-program" } as const;
    const value = { protocol: "chat-completions", base_url: "http://127.0.0.1:9/v1" };
    const preview = await client.call("POST /configuration/preview", { body: { ...element, action: "put", value } });
    expect([...Errors(ADMINISTRATION["POST /configuration/preview"].answer, preview)]).toEqual([]);
    expect(preview).toMatchObject({
      version: 0,
      problems: [],
      before: null,
      after: { protocol: ["chat-completions"] },
    });
    const body = { value, version: preview.version };
    const made = await client.call("PUT /configuration/elements/{kind}/{id}", { path: element, body });
    expect(made.version).toBe(1);
    const taken_back = await client.call("POST /configuration/elements/{kind}/{id}/take-back", {
      path: element,
      body: { version: 1, to: 0 },
    });
    expect([...Errors(ADMINISTRATION["POST /configuration/preview"].answer, taken_back)]).toEqual([]);
    expect(taken_back).toMatchObject({ version: 2, after: null });
  });

  test("that are refused say why, with status, code and field", async () => {
    const attempt = client.call("POST /accounts", { body: { email: "no address" } });
    const refusal = await attempt.then(
      () => null,
      (thrown: unknown) => thrown as AdministrationError,
    );
    expect(refusal).toBeInstanceOf(AdministrationError);
    expect(refusal).toMatchObject({ status: 400, code: "invalid_request", param: "email" });
    expect(refusal?.request_id).toMatch(/^req_/);
  });
});

describe("lists", () => {
  test("come whole, in pages, however many rows there are, newest first and each row once", async () => {
    const account = (await client.call("POST /accounts", { body: { email: "many@example.com" } })).id;
    const made: string[] = [];
    for (let count = 0; count < 7; count += 1)
      made.push((await client.call("POST /keys", { body: { account, name: `key ${count}` } })).id);
    const names: string[] = [];
    let before: string | null | undefined;
    while (before !== null) {
      const query = { account, limit: "3", ...(before === undefined ? {} : { before }) };
      const page = await client.call("GET /keys", { query });
      expect(page.data.length).toBeLessThanOrEqual(3);
      names.push(...page.data.map(({ id }) => id));
      before = page.next_before ?? null;
    }
    expect(names.toSorted()).toEqual(made.toSorted());
    const all = await Array.fromAsync(client.rows("GET /keys", { query: { account } }));
    expect(all.map(({ id }) => id)).toEqual(names);
  });

  test("are searched on the server: by words of what people know, and by status", async () => {
    await client.call("POST /accounts", { body: { email: "search-me@example.com", name: "Ünder_score 100%" } });
    await invite(gateway, { email: "findable@users.example" });
    const found = async (q: string) =>
      (await client.call("GET /accounts", { query: { q } })).data.map(({ email }) => email);
    expect(await found("SEARCH-ME")).toEqual(["search-me@example.com"]);
    expect(await found("score 100%")).toEqual(["search-me@example.com"]);
    expect(await found("100_")).toEqual([]);
    expect(await found("search-me nothing")).toEqual([]);
    const users = await client.call("GET /users", { query: { q: "findable", role: "member" } });
    expect(users.data.map(({ email }) => email)).toEqual(["findable@users.example"]);
    expect((await client.call("GET /users", { query: { q: "findable", status: "disabled" } })).data).toEqual([]);
    expect((await client.call("GET /keys", { query: { status: "revoked" } })).data).toEqual([]);
  });
});

test("the commands make, list, use and revoke a key", async () => {
  const camino = async (env: object, ...words: string[]) => {
    const more = { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data, ...env };
    const { status, stdout, stderr } = await runCamino(words, { cwd: gateway.data, env: more });
    return status === 0 ? stdout : `${status} ${stderr}`;
  };
  const made = JSON.parse(
    await camino({}, "management-key", "create", "--name", "ci", "--scope", "keys:read,usage:read", "--json"),
  ) as CreatedManagementKey;
  expect(await camino({}, "management-key", "list")).toMatch(new RegExp(`${made.id} +ci +${made.hint} +active`));
  const by_key = { CAMINO_ADMIN_TOKEN: made.key };
  expect(await camino(by_key, "key", "list", "--account", customer.account)).toContain(customer.id);
  expect(await camino(by_key, "account", "list")).toContain("This management key may not do this (accounts:read)");
  expect(await camino({}, "management-key", "create", "--name", "x", "--scope", "all")).toContain("'all' is no scope");
  const rolled = await camino({}, "key", "roll", customer.id, "--overlap", "1h");
  expect(rolled).toMatch(/new secret.*\n\ncm-\w{54}\n\nThe old one is valid until/);
  expect(await camino({}, "management-key", "revoke", made.id)).toContain("Revoked");
  expect(await camino(by_key, "key", "list")).toContain("This management key is revoked");
}, 120_000);
