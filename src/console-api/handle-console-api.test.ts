import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TSchema } from "typebox";
import { Check } from "typebox/value";
import { Account, AccountList } from "../../contract/accounts.ts";
import { Deleted, ErrorBody } from "../../contract/common.ts";
import { CreditAdded, EntryList } from "../../contract/credits.ts";
import { CreatedKey, Key, KeyList } from "../../contract/keys.ts";
import { ModelList } from "../../contract/models.ts";
import { Receipt, ReceiptList } from "../../contract/requests.ts";
import { UsageReport } from "../../contract/usage.ts";
import { testDeps } from "../../proofs/support/console-deps.ts";
import { checkApiKey, hashApiKey } from "../access/api-key.ts";
import { deriveSubKeys } from "../access/sub-keys.ts";
import type { ConsoleAnswer } from "../core/answer/console-exchange.ts";
import type { Configuration, Model } from "../core/catalog/catalog.ts";
import { newId } from "../core/ids.ts";
import type { AdmitOp } from "../core/ledger/ledger.ts";
import { micro } from "../core/money/money.ts";
import type { Price } from "../core/money/price.ts";
import { NO_USAGE } from "../core/money/usage.ts";
import type { AccountStore, Store } from "../core/store/ports.ts";
import { openStore } from "../store/open-store.ts";
import type { Actor } from "./answer/actor.ts";
import type { ConsoleDeps } from "./answer/route.ts";
import { handleConsoleApi } from "./handle-console-api.ts";

const ADMIN: Actor = { kind: "admin-token" };
const node_id = newId("node");
const NOW_MS = Date.UTC(2026, 9, 1);
const keys = deriveSubKeys("a root secret for tests");

let folder: string;
let store: Store;
let accounts: AccountStore;
let deps: ConsoleDeps;

/**
 * Tests share a database, where each has a mail domain of its own in the place of `example.com`: to open a database for each took nearly
 * all of the file's time. Tests of all accounts begin with an empty one.
 */
let domain = "";
let tests = 0;

async function open(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "camino-console-api-"));
  store = await openStore({ url: `sqlite:${join(folder, "camino.db")}`, node_id });
  ({ accounts } = store);
}

async function close(): Promise<void> {
  await store.close();
  await rm(folder, { recursive: true });
}

async function openEmpty(): Promise<void> {
  await close();
  await open();
  deps = testDeps(store, keys, configuration, NOW_MS);
}

beforeAll(open);
afterAll(close);
beforeEach(() => {
  tests += 1;
  domain = `@test-${tests}.example.com`;
  deps = testDeps(store, keys, configuration, NOW_MS);
});

const inCase = (said: string): string => (said.includes("EXAMPLE") ? domain.toUpperCase() : domain);

/** Calls `METHOD /path?query` as an actor. */
async function call(request: string, body?: unknown, actor: Actor = ADMIN): Promise<ConsoleAnswer> {
  const [method = "", target = ""] = request.replace(/(@|%40)example\.com/i, inCase).split(" ");
  const url = new URL(`http://gateway/console/api${target}`);
  const sent = body === undefined ? undefined : JSON.parse(JSON.stringify(body).replaceAll("@example.com", domain));
  const answer = await handleConsoleApi(
    { method, path: url.pathname, query: url.searchParams, body: sent },
    deps,
    actor,
  );
  if (answer.body === undefined) return answer;
  return { ...answer, body: JSON.parse(JSON.stringify(answer.body).replaceAll(domain, "@example.com")) };
}

/** The body of an answer that must have a status and agree with a schema of the contract. */
async function expectBody<Schema extends TSchema>(answer: Promise<ConsoleAnswer>, status: number, schema: Schema) {
  const { status: found, body } = await answer;
  expect({ status: found, body }).toMatchObject({ status });
  if (!Check(schema, body)) throw new Error(`not as the contract says: ${JSON.stringify(body)}`);
  return body;
}

const makeAccount = (email: string, credit = "25") =>
  expectBody(call("POST /accounts", { email, credit }), 201, Account);
const makeKey = (account: string, more = {}) => expectBody(call("POST /keys", { account, ...more }), 201, CreatedKey);

/** Admits requests as the gateway does, each with a hold. Returns their ids in order. */
async function admit(account_id: string, key_id: string, count: number): Promise<string[]> {
  const key_version = (await accounts.findKey(key_id))?.version ?? 0;
  const ops = Array.from(
    { length: count },
    (): AdmitOp => ({
      op: "admit",
      request_id: newId("req"),
      client_request_id: null,
      account_id,
      key_id,
      key_version,
      endpoint: "messages",
      stream: false,
      requested_model: "fast",
      model: SWIFT.id,
      price: PRICE,
      hold_micro: micro(1_000),
      bound_tokens: 10,
      rpm: null,
      tpm: null,
      concurrent: null,
      budget: null,
      node_id,
      ttl_ms: 60_000,
      idempotency: null,
    }),
  );
  for (const result of await store.ledger.commit(ops)) expect(result).toMatchObject({ outcome: "admitted" });
  return ops.map(({ request_id }) => request_id);
}

/** Ends a request with a charge of 100. */
async function settle(request_id: string): Promise<void> {
  const [result] = await store.ledger.commit([
    {
      op: "settle",
      request_id,
      model: SWIFT.id,
      price: PRICE,
      usage: { ...NO_USAGE, input_tokens: 5, output_tokens: 2 },
      estimated: false,
      charge_micro: micro(100),
      outcome: { attempts: [], error: null, queue_ms: 0, first_byte_ms: 1, duration_ms: 2 },
      success: true,
      answer: null,
    },
  ]);
  expect(result).toMatchObject({ outcome: "settled" });
}

/** A value as JSON without the ids, times and secrets that differ from run to run, to compare with a golden text. */
function withoutChance(value: object): string {
  return JSON.stringify(value, null, 1)
    .replace(/"(acct|key|ent)_[0-9A-Za-z_]+"/g, '"$1_…"')
    .replace(/cm-[0-9A-Za-z]{54}/g, "cm-…")
    .replace(/"hint": "[0-9A-Za-z]{4}"/, '"hint": "…"')
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "TIME");
}

describe("the outward shape", () => {
  test("of a created account is the golden one", async () => {
    expect(withoutChance(await makeAccount("a@example.com"))).toMatchInlineSnapshot(`
      "{
       "id": "acct_…",
       "email": "a@example.com",
       "balance_micro": 25000000,
       "uncollected_micro": 0,
       "currency": "USD",
       "name": "",
       "status": "active",
       "created_at": "TIME",
       "limits": {
        "models": null,
        "rpm": null,
        "tpm": null,
        "concurrent": null,
        "budget": null
       },
       "time_zone": "UTC"
      }"
    `);
  });

  test("of a created key is the golden one", async () => {
    await makeAccount("a@example.com");
    const created = await makeKey("a@example.com", { aliases: [{ name: "fast", model: "acme/swift" }] });
    expect(withoutChance(created)).toMatchInlineSnapshot(`
      "{
       "id": "key_…",
       "key": "cm-…",
       "account": "acct_…",
       "project": null,
       "name": "",
       "tags": {},
       "status": "active",
       "hint": "…",
       "aliases": [
        {
         "name": "fast",
         "model": "acme/swift"
        }
       ],
       "prefix_aliases": [],
       "models": null,
       "rpm": null,
       "tpm": null,
       "concurrent": null,
       "budget": null,
       "expires_at": null,
       "old_secret_until": null,
       "created_at": "TIME",
       "last_used_at": null,
       "playground": false,
       "barred": false,
       "ceilings": {
        "models": null,
        "rpm": {
         "value": 600,
         "set_on": "configuration"
        },
        "tpm": null,
        "concurrent": {
         "value": 64,
         "set_on": "configuration"
        },
        "budget": null,
        "expires_at": null
       }
      }"
    `);
  });

  test("of added credit and of the ledger is the golden one", async () => {
    await makeAccount("a@example.com", "0");
    const added = await expectBody(
      call("POST /accounts/a@example.com/credits", { amount: "0.000001", note: "gift" }),
      201,
      CreditAdded,
    );
    expect(withoutChance(added.entry)).toMatchInlineSnapshot(`
      "{
       "id": "ent_…",
       "account": "acct_…",
       "kind": "credit",
       "amount_micro": 1,
       "posted_after_micro": 1,
       "request": null,
       "note": "gift",
       "actor": "admin-token",
       "corrects": null,
       "created_at": "TIME"
      }"
    `);
    const list = await expectBody(call("GET /accounts/a@example.com/credits"), 200, EntryList);
    expect(list.data).toEqual([added.entry]);
  });

  test("of the models is the golden one", async () => {
    const list = await expectBody(call("GET /models"), 200, ModelList);
    expect(list.data.map(({ id, kind }) => `${id} ${kind}`)).toEqual(["acme/swift chat", "acme/decider decision"]);
    expect(withoutChance(list.data[0] ?? {})).toMatchInlineSnapshot(`
      "{
       "id": "acme/swift",
       "object": "model",
       "display_name": "Swift",
       "kind": "chat",
       "owned_by": "acme",
       "created": 1,
       "context_length": 200000,
       "max_completion_tokens": null,
       "input_modalities": [
        "text"
       ],
       "output_modalities": [
        "text"
       ],
       "capabilities": {
        "streaming": true,
        "tools": true,
        "json": true,
        "vision": false,
        "thinking": false
       },
       "price": {
        "version": "v1",
        "input_micro_per_mtok": 3000000,
        "output_micro_per_mtok": 15000000,
        "cache_read_micro_per_mtok": 300000,
        "cache_write_micro_per_mtok": 3750000,
        "tiers": []
       },
       "prices": [
        {
         "version": "v1",
         "input_micro_per_mtok": 3000000,
         "output_micro_per_mtok": 15000000,
         "cache_read_micro_per_mtok": 300000,
         "cache_write_micro_per_mtok": 3750000,
         "tiers": [],
         "from": null,
         "until": null,
         "effective": true
        }
       ],
       "vendor": {
        "id": "acme",
        "name": "acme"
       },
       "endpoints": [
        "chat.completions",
        "responses",
        "messages",
        "generateContent"
       ],
       "decided_with": null,
       "vendors": [
        "acme"
       ],
       "fallbacks": []
      }"
    `);
  });
});

describe("accounts", () => {
  test("are found by id and by e-mail, whatever its case", async () => {
    await openEmpty();
    const { id } = await makeAccount("Ann@example.com");
    for (const name of [id, "Ann@example.com", "ann%40EXAMPLE.com"]) {
      expect((await expectBody(call(`GET /accounts/${name}`), 200, Account)).id).toBe(id);
    }
    expect((await expectBody(call("GET /accounts"), 200, AccountList)).data.map((account) => account.id)).toEqual([id]);
  });

  test("are disabled and enabled again", async () => {
    await makeAccount("a@example.com");
    expect((await expectBody(call("POST /accounts/a@example.com/disable"), 200, Account)).status).toBe("disabled");
    expect((await expectBody(call("POST /accounts/a@example.com/enable"), 200, Account)).status).toBe("active");
  });

  test("cannot share an e-mail: 409 with a sentence", async () => {
    await makeAccount("a@example.com");
    const refused = await expectBody(call("POST /accounts", { email: "A@example.com" }), 409, ErrorBody);
    expect(refused.error.code).toBe("conflict");
    expect(refused.error.message.toLowerCase()).toContain("a@example.com");
  });

  test("have a balance of 0 until credit is added", async () => {
    const made = await expectBody(call("POST /accounts", { email: "a@example.com" }), 201, Account);
    expect(made.balance_micro).toBe(0);
    expect((await expectBody(call(`GET /accounts/${made.id}/credits`), 200, EntryList)).data).toEqual([]);
  });
});

describe("credits", () => {
  test("sum up exactly, and each names the actor who added it", async () => {
    const { id } = await makeAccount("a@example.com", "0.1");
    await call(`POST /accounts/${id}/credits`, { amount: "0.2" });
    const { account } = await expectBody(
      call(`POST /accounts/${id}/credits`, { amount: "0.000001" }),
      201,
      CreditAdded,
    );
    expect(account.balance_micro).toBe(300_001);
    const { data } = await expectBody(call(`GET /accounts/${id}/credits`), 200, EntryList);
    expect(data.map((entry) => entry.amount_micro)).toEqual([1, 200_000, 100_000]);
    expect(new Set(data.map((entry) => entry.actor))).toEqual(new Set(["admin-token"]));
  });

  test("can be corrected downwards, but not below the balance", async () => {
    const { id } = await makeAccount("a@example.com", "5");
    const correct = (amount: string) => call(`POST /accounts/${id}/credits`, { amount, kind: "correction" });
    expect((await expectBody(correct("-3"), 201, CreditAdded)).account.balance_micro).toBe(2_000_000);
    await expectBody(correct("-3"), 409, ErrorBody);
    expect((await expectBody(call(`GET /accounts/${id}`), 200, Account)).balance_micro).toBe(2_000_000);
  });

  const REFUSED = [
    { amount: "0" },
    { amount: "-1" },
    { amount: "1e3" },
    { amount: "0.0000001" },
    { amount: 1 },
    { amount: "0", kind: "correction" },
    {},
  ];
  for (const body of REFUSED) {
    test(`of ${JSON.stringify(body)} are refused`, async () => {
      const { id } = await makeAccount("a@example.com", "5");
      const { error } = await expectBody(call(`POST /accounts/${id}/credits`, body), 400, ErrorBody);
      expect([error.code, error.param]).toEqual(["invalid_request", "amount"]);
    });
  }

  test("too large for a JSON number to hold exactly are refused before they are booked", async () => {
    const { id } = await makeAccount("a@example.com", "999999999");
    const add = () => call(`POST /accounts/${id}/credits`, { amount: "999999999" });
    for (let i = 0; i < 8; i++) await expectBody(add(), 201, CreditAdded);
    await expectBody(add(), 409, ErrorBody);
    expect((await expectBody(call(`GET /accounts/${id}`), 200, Account)).balance_micro).toBe(8_999_999_991_000_000);
  });

  test("are listed a page at a time, newest first", async () => {
    const { id } = await makeAccount("a@example.com", "1");
    const seen: number[] = [];
    for (const amount of ["2", "3", "4", "5"]) await call(`POST /accounts/${id}/credits`, { amount });
    let before = "";
    do {
      const page = await expectBody(call(`GET /accounts/${id}/credits?limit=2${before}`), 200, EntryList);
      seen.push(...page.data.map((entry) => entry.amount_micro));
      expect(page.has_more).toBe(page.next_before !== null);
      before = page.next_before === null ? "" : `&before=${page.next_before}`;
    } while (before !== "");
    expect(seen).toEqual([5_000_000, 4_000_000, 3_000_000, 2_000_000, 1_000_000]);
  });
});

describe("keys", () => {
  test("are shown whole only at creation, and stored as a keyed hash", async () => {
    await makeAccount("a@example.com");
    const { id, key } = await makeKey("a@example.com");
    expect(checkApiKey(keys, key)).toBe(true);
    expect((await accounts.findKeyByHash(hashApiKey(keys, key)))?.id).toBe(id);
    for (const later of [call(`GET /keys/${id}`), call("GET /keys"), call(`POST /keys/${id}/disable`)]) {
      const { body } = await later;
      expect(JSON.stringify(body)).not.toContain(key);
      expect(JSON.stringify(body)).not.toContain(hashApiKey(keys, key).slice(-64));
    }
  });

  test("keep every setting that their creation gives", async () => {
    await makeAccount("a@example.com");
    const { id } = await makeKey("a@example.com", {
      name: "CI",
      aliases: [{ name: "fast", model: "acme/swift" }],
      prefix_aliases: [{ prefix: "claude-", model: "acme/swift" }],
      models: ["acme/*"],
      rpm: 60,
      tpm: 1000,
      concurrent: 4,
      budget: { amount: "2.50", window: "week" },
      expires_at: "2027-01-31",
    });
    expect(await expectBody(call(`GET /keys/${id}`), 200, Key)).toMatchObject({
      name: "CI",
      aliases: [{ name: "fast", model: "acme/swift" }],
      prefix_aliases: [{ prefix: "claude-", model: "acme/swift" }],
      models: ["acme/*"],
      rpm: 60,
      tpm: 1000,
      concurrent: 4,
      budget: { amount_micro: 2_500_000, window: "week" },
      expires_at: "2027-01-31T00:00:00.000Z",
    });
  });

  test("are changed field by field; null takes a limit away", async () => {
    await makeAccount("a@example.com");
    const { id } = await makeKey("a@example.com", { name: "CI", rpm: 60, budget: { amount: "1", window: "day" } });
    const changed = await expectBody(call(`PATCH /keys/${id}`, { rpm: null, budget: null, tpm: 5 }), 200, Key);
    expect(changed).toMatchObject({ name: "CI", rpm: null, budget: null, tpm: 5 });
    expect(await expectBody(call(`PATCH /keys/${id}`, {}), 200, Key)).toEqual(changed);
  });

  test("are disabled, enabled, revoked for ever, deleted", async () => {
    await makeAccount("a@example.com");
    const { id } = await makeKey("a@example.com");
    const status = async (verb: string) => (await expectBody(call(`POST /keys/${id}/${verb}`), 200, Key)).status;
    expect(await status("disable")).toBe("disabled");
    expect(await status("enable")).toBe("active");
    expect(await status("revoke")).toBe("revoked");
    expect((await expectBody(call(`POST /keys/${id}/enable`), 409, ErrorBody)).error.code).toBe("conflict");
    expect(await expectBody(call(`DELETE /keys/${id}`), 200, Deleted)).toEqual({ id, deleted: true });
    await expectBody(call(`GET /keys/${id}`), 404, ErrorBody);
    await expectBody(call(`DELETE /keys/${id}`), 404, ErrorBody);
  });

  test("are listed for one account or for all", async () => {
    await openEmpty();
    await makeAccount("a@example.com");
    await makeAccount("b@example.com");
    const mine = await makeKey("a@example.com");
    const theirs = await makeKey("b@example.com");
    const ids = async (query: string) =>
      (await expectBody(call(`GET /keys${query}`), 200, KeyList)).data.map(({ id }) => id);
    expect(await ids("?account=a@example.com")).toEqual([mine.id]);
    expect((await ids("")).toSorted()).toEqual([mine.id, theirs.id].toSorted());
    await expectBody(call("GET /keys?account=nobody"), 404, ErrorBody);
  });

  test("that change, or whose account changes, are reported to the caches that remember them", async () => {
    const changed: string[] = [];
    deps = { ...deps, keyChanged: (key_id) => void changed.push(key_id) };
    await makeAccount("a@example.com");
    const { id } = await makeKey("a@example.com");
    await call(`PATCH /keys/${id}`, { name: "CI" });
    await call("POST /accounts/a@example.com/disable");
    await call(`POST /keys/${id}/revoke`);
    await call(`DELETE /keys/${id}`);
    expect(changed).toEqual([id, id, id, id]);
  });

  const alias = { name: "fast", model: "acme/swift" };
  const REFUSED: [body: object, param: string][] = [
    [{ aliases: [alias, alias] }, "aliases[1]"],
    [{ aliases: [alias, { name: "slow", model: "acme/slow" }] }, "aliases[1].model"],
    [{ aliases: [alias, { name: "faster", model: "fast" }] }, "aliases[1].model"],
    [{ prefix_aliases: [{ prefix: "claude-", model: "acme/slow" }] }, "prefix_aliases[0].model"],
    [{ prefix_aliases: [{ prefix: "claude-*", model: "acme/swift" }] }, "prefix_aliases[0].prefix"],
    [{ aliases: [{ name: "a".repeat(129), model: "acme/swift" }] }, "aliases[0].name"],
    [{ expires_at: "2026-10-01" }, "expires_at"],
    [{ expires_at: "2027-02-30" }, "expires_at"],
    [{ expires_at: "2027-01-31T25:00:00Z" }, "expires_at"],
    [{ expires_at: "soon" }, "expires_at"],
    [{ budget: { amount: "1.0000001", window: "day" } }, "budget.amount"],
    [{ models: [] }, "models"],
    [{ concurrent: 0 }, "concurrent"],
  ];
  for (const [body, param] of REFUSED) {
    test(`with ${JSON.stringify(body).slice(0, 80)} are refused, at creation and at change`, async () => {
      await makeAccount("a@example.com");
      const { id } = await makeKey("a@example.com");
      for (const attempt of [
        call("POST /keys", { account: "a@example.com", ...body }),
        call(`PATCH /keys/${id}`, body),
      ]) {
        const { error } = await expectBody(attempt, 400, ErrorBody);
        expect([error.code, error.param]).toEqual(["invalid_request", param]);
      }
    });
  }

  test("of an account that does not exist: 404", async () => {
    expect((await expectBody(call("POST /keys", { account: "nobody" }), 404, ErrorBody)).error.message).toBe(
      "There is no account 'nobody'.",
    );
  });
});

describe("usage and requests", () => {
  test("start empty, in the contract's shape", async () => {
    await makeAccount("a@example.com");
    const usage = await expectBody(
      call("GET /usage?account=a@example.com&since=2026-09-01&by=model"),
      200,
      UsageReport,
    );
    expect(usage).toMatchObject({ by: "model", since: "2026-09-01", until: null, data: [], total: { cost_micro: 0 } });
    expect((await expectBody(call("GET /requests?limit=5"), 200, ReceiptList)).data).toEqual([]);
    await expectBody(call("GET /requests/req_nothing"), 404, ErrorBody);
  });

  test("list admitted requests, page by page, newest first; each request has its receipt", async () => {
    const { id: account } = await makeAccount("a@example.com");
    const { id: key } = await makeKey(account);
    const made = await admit(account, key, 5);
    const seen: string[] = [];
    let before = "";
    do {
      const path = `/requests?account=${account}&key=${key}&model=acme/swift&status=held&limit=2${before}`;
      const page = await expectBody(call(`GET ${path}`), 200, ReceiptList);
      seen.push(...page.data.map(({ id }) => id));
      before = page.next_before === null ? "" : `&before=${page.next_before}`;
    } while (before !== "");
    expect(seen).toEqual(made.toReversed());
    const receipt = await expectBody(call(`GET /requests/${made[0]}`), 200, Receipt);
    expect(receipt).toMatchObject({ account, key_id: key, status: "held", hold_micro: 1_000, charge_micro: 0 });
    expect((await expectBody(call("GET /requests?status=settled"), 200, ReceiptList)).data).toEqual([]);
  });

  test("count settled requests by key, model or day, for one account or for all", async () => {
    const { id: account } = await makeAccount("a@example.com");
    const { id: other } = await makeAccount("b@example.com");
    const { id: key } = await makeKey(account);
    for (const id of await admit(account, key, 2)) await settle(id);
    const counted = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14, request_count: 2, success_count: 2 };
    for (const [by, group] of Object.entries({
      key,
      model: SWIFT.id,
      day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    })) {
      const report = await expectBody(call(`GET /usage?by=${by}`), 200, UsageReport);
      expect(report.data).toEqual([{ group, cost_micro: 200, ...counted }]);
      expect(report.total).toEqual({ cost_micro: 200, ...counted });
    }
    expect((await expectBody(call(`GET /usage?account=${other}`), 200, UsageReport)).data).toEqual([]);
    const file = await call("GET /usage?by=model&format=csv");
    expect(file.body).toStartWith(
      "model,requests,successes,prompt_tokens,completion_tokens,total_tokens,cost,cost_micro,currency,input_characters,input_seconds,images,searches\r\n",
    );
  });

  const REFUSED = ["/usage?since=2026-02-30", "/usage?until=today", "/usage?by=vendor", "/requests?limit=0"];
  REFUSED.push("/requests?status=open", "/requests?colour=red", "/models?kind=painting", "/keys?acount=a");
  for (const path of REFUSED) {
    test(`GET ${path}: 400 that names the parameter`, async () => {
      const { error } = await expectBody(call(`GET ${path}`), 400, ErrorBody);
      expect(error.code).toBe("invalid_request");
      expect(path).toContain(`?${error.param}=`);
    });
  }
});

describe("paths", () => {
  const CASES: [request: string, status: number, code: string][] = [
    ["GET /nothing", 404, "not_found"],
    ["GET /accounts/a/b/c", 404, "not_found"],
    ["GET /accounts/", 404, "not_found"],
    ["GET /accounts/%ff", 404, "not_found"],
    ["DELETE /accounts", 405, "method_not_allowed"],
    ["PUT /keys/key_1", 405, "method_not_allowed"],
    ["GET /keys/key_1/disable", 405, "method_not_allowed"],
  ];
  for (const [request, status, code] of CASES) {
    test(`${request}: ${status} ${code}`, async () => {
      expect((await expectBody(call(request), status, ErrorBody)).error.code).toBe(code);
    });
  }

  test("a wrong method is answered with the allowed ones", async () => {
    expect((await call("PUT /keys/key_1")).headers).toEqual({ allow: "GET, PATCH, DELETE" });
  });
});

describe("a member", () => {
  let mine: string;
  let member: Actor;

  beforeEach(async () => {
    mine = (await makeAccount("a@example.com")).id;
    await makeAccount("b@example.com");
    member = { kind: "user", user_id: "user_1", role: "member", account_id: mine };
  });

  test("sees and changes their own account's keys", async () => {
    const created = await expectBody(call("POST /keys", { account: mine }, member), 201, CreatedKey);
    const list = await expectBody(call("GET /keys", undefined, member), 200, KeyList);
    expect(list.data.map(({ id }) => id)).toEqual([created.id]);
    await expectBody(call(`POST /keys/${created.id}/disable`, {}, member), 200, Key);
    await expectBody(call(`GET /accounts/${mine}`, undefined, member), 200, Account);
    await expectBody(call(`GET /accounts/${mine}/credits`, undefined, member), 200, EntryList);
    await expectBody(call("GET /usage", undefined, member), 200, UsageReport);
  });

  test("cannot add credit to their own account, nor enable it", async () => {
    await expectBody(call(`POST /accounts/${mine}/credits`, { amount: "1" }, member), 404, ErrorBody);
    await expectBody(call(`POST /accounts/${mine}/enable`, {}, member), 404, ErrorBody);
    expect((await expectBody(call(`GET /accounts/${mine}`), 200, Account)).balance_micro).toBe(25_000_000);
  });
});

test.each(["%00", "acct_%00", "%ED%A0%80"])("a path with %s, which no id has, is none of the API's", async (id) => {
  const { error } = await expectBody(call(`GET /accounts/${id}`), 404, ErrorBody);
  expect(error.message).toStartWith("The console API has no ");
});

test("an error that is not a refusal is thrown, for the edge to log", async () => {
  deps = { ...deps, accounts: { ...accounts, listAccounts: () => Promise.reject(new Error("disk on fire")) } };
  await expect(call("GET /accounts")).rejects.toThrow("disk on fire");
});

const PRICE: Price = {
  version: "v1",
  from_ms: 0,
  input_micro_per_mtok: 3_000_000,
  output_micro_per_mtok: 15_000_000,
  cache_read_micro_per_mtok: 300_000,
  cache_write_micro_per_mtok: 3_750_000,
  tiers: [],
};

const SWIFT: Model = {
  id: "acme/swift",
  display_name: "Swift",
  owned_by: "acme",
  created: 1,
  kind: "chat",
  context_length: 200_000,
  max_completion_tokens: null,
  input_modalities: ["text"],
  output_modalities: ["text"],
  capabilities: { streaming: true, tools: true, json: true, vision: false, thinking: false },
  prices: [PRICE],
  routes: [{ vendor: "acme", upstream_model: "swift", weight: 1 }],
  fallbacks: [],
};
const DECIDER: Model = { ...SWIFT, id: "acme/decider", kind: "decision" };

const configuration: Configuration = {
  currency: "USD",
  vendors: new Map(),
  models: new Map([SWIFT, DECIDER].map((model) => [model.id, model])),
  limits: { body_bytes: 1, decision_calls: 1000, default_key: { rpm: 600, concurrent: 64 } },
  responses: { keep_ms: 0 },
};
