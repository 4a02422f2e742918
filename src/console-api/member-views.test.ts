import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TSchema } from "typebox";
import { Check } from "typebox/value";
import { Account } from "../../contract/accounts.ts";
import { AUTO_TOP_UP_NOTE, AutoTopUp } from "../../contract/auto-top-up.ts";
import { BudgetList } from "../../contract/budgets.ts";
import { ErrorBody } from "../../contract/common.ts";
import { EntryList } from "../../contract/credits.ts";
import { CreatedKey, KeyList } from "../../contract/keys.ts";
import { ModelDetail, ModelList } from "../../contract/models.ts";
import { Live, Overview } from "../../contract/overview.ts";
import { PlaygroundKey } from "../../contract/playground.ts";
import { ReceiptDetail, ReceiptList } from "../../contract/requests.ts";
import { Resolution } from "../../contract/resolve.ts";
import { UsageExploration } from "../../contract/usage.ts";
import { testDeps } from "../../proofs/support/console-deps.ts";
import { hashApiKey } from "../access/api-key.ts";
import { deriveSubKeys } from "../access/sub-keys.ts";
import { loadConfiguration } from "../catalog/configuration/load-configuration.ts";
import type { ConsoleAnswer } from "../core/answer/console-exchange.ts";
import { newId } from "../core/ids.ts";
import type { AdmitOp, SettleOp } from "../core/ledger/ledger.ts";
import { micro } from "../core/money/money.ts";
import { NO_USAGE } from "../core/money/usage.ts";
import type { Store } from "../core/store/ports.ts";
import { openStore } from "../store/open-store.ts";
import type { Actor } from "./answer/actor.ts";
import type { ConsoleDeps } from "./answer/route.ts";
import { handleConsoleApi } from "./handle-console-api.ts";

const ADMIN: Actor = { kind: "admin-token" };
const node_id = newId("node");
const keys = deriveSubKeys("a root secret for tests");
const TODAY = new Date().toISOString().slice(0, 10);

let folder: string;
let store: Store;
let deps: ConsoleDeps;
let mine: Account;
let theirs: Account;
let key: CreatedKey;
let member: Actor;

/** One database for all tests, each with accounts of its own: to open one for each took half of the file's time. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-member-views-"));
  store = await openStore({ url: `sqlite:${join(folder, "camino.db")}`, node_id });
});

let tests = 0;

beforeEach(async () => {
  tests += 1;
  deps = testDeps(store, keys, configuration, Date.now());
  mine = await expectBody(call("POST /accounts", { email: `a-${tests}@example.com`, credit: "25" }), 201, Account);
  theirs = await expectBody(call("POST /accounts", { email: `b-${tests}@example.com`, credit: "25" }), 201, Account);
  key = await makeKey(mine.id, { name: "CI", aliases: [{ name: "fast", model: "acme/swift" }] });
  member = memberOf(mine.id);
});

afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

function memberOf(account_id: string): Actor {
  return { kind: "user", user_id: "user_ann", role: "member", account_id };
}

function call(request: string, body?: unknown, actor: Actor = ADMIN): Promise<ConsoleAnswer> {
  const [method = "", target = ""] = request.split(" ");
  const url = new URL(`http://gateway/console/api${target}`);
  return handleConsoleApi({ method, path: url.pathname, query: url.searchParams, body }, deps, actor);
}

async function expectBody<Schema extends TSchema>(answer: Promise<ConsoleAnswer>, status: number, schema: Schema) {
  const { status: found, body } = await answer;
  expect({ status: found, body }).toMatchObject({ status });
  if (!Check(schema, body)) throw new Error(`not as the contract says: ${JSON.stringify(body)}`);
  return body;
}

function makeKey(account: string, fields: object = {}): Promise<CreatedKey> {
  return expectBody(call("POST /keys", { account, ...fields }), 201, CreatedKey);
}

/** Admits a request, which then runs. Returns its id. */
async function begin(fields: Partial<AdmitOp> = {}): Promise<string> {
  const op: AdmitOp = {
    op: "admit",
    request_id: newId("req"),
    client_request_id: null,
    account_id: mine.id,
    key_id: key.id,
    key_version: (await store.accounts.findKey(fields.key_id ?? key.id))?.version ?? 0,
    endpoint: "chat.completions",
    stream: true,
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
    ...fields,
  };
  expect(await store.ledger.commit([op])).toMatchObject([{ outcome: "admitted" }]);
  return op.request_id;
}

/** Ends a request with a charge of 4. */
async function end(request_id: string, fields: Partial<SettleOp> = {}): Promise<string> {
  const op: SettleOp = {
    op: "settle",
    request_id,
    model: SWIFT.id,
    price: PRICE,
    usage: { ...NO_USAGE, input_tokens: 5, cache_read_tokens: 3, output_tokens: 2 },
    estimated: false,
    charge_micro: micro(46),
    outcome: {
      attempts: [
        {
          vendor: "acme",
          upstream_model: "s1",
          status: 503,
          error: "provider_error",
          first_byte_ms: null,
          duration_ms: 5,
        },
        { vendor: "acme", upstream_model: "s1", status: 200, error: null, first_byte_ms: 7, duration_ms: 30 },
      ],
      error: null,
      queue_ms: 1,
      first_byte_ms: 13,
      duration_ms: 36,
    },
    success: true,
    answer: null,
    ...fields,
  };
  expect(await store.ledger.commit([op])).toMatchObject([{ outcome: "settled" }]);
  return request_id;
}

describe("the overview", () => {
  test("has the account, what it has spent, its days and its requests, for its member without naming it", async () => {
    const ended = await end(await begin());
    const running = await begin();
    const overview = await expectBody(call("GET /overview", undefined, member), 200, Overview);
    expect(overview.account).toMatchObject({
      id: mine.id,
      balance_micro: 25_000_000 - 46 - 1_000,
      uncollected_micro: 1_000,
    });
    expect(overview.running.map(({ id }) => id)).toEqual([running]);
    expect(overview.latest.map(({ id }) => id)).toEqual([running, ended]);
    expect(overview.running_count).toBe(1);
    for (const { current, previous } of Object.values(overview.spend)) {
      expect([current.cost_micro, current.total_tokens, previous.cost_micro]).toEqual([46, 10, 0]);
    }
    expect(overview.usage).toMatchObject({ by: "day,model", until: TODAY, groups: [{ id: SWIFT.id, cost_micro: 46 }] });
    expect(overview.usage.data).toMatchObject([{ day: TODAY, group: SWIFT.id, cost_micro: 46 }]);
    expect(await expectBody(call(`GET /overview?account=${mine.email}`), 200, Overview)).toMatchObject({
      running_count: 1,
    });
  });

  test("requires the holder of the admin token to name an account", async () => {
    const { error } = await expectBody(call("GET /overview"), 400, ErrorBody);
    expect(error).toMatchObject({ code: "invalid_request", param: "account" });
  });

  test("is followed by a pulse whose version changes when something happens, and only then", async () => {
    const live = () => expectBody(call("GET /overview/live", undefined, member), 200, Live);
    const idle = await live();
    expect(idle).toMatchObject({ running_count: 0, running: [], latest_request: null, uncollected_micro: 0 });
    expect((await live()).version).toBe(idle.version);
    const id = await begin();
    const running = await live();
    expect(running).toMatchObject({
      running_count: 1,
      running: [{ id, model: SWIFT.id, stream: true, hold_micro: 1_000 }],
    });
    expect(running.version).not.toBe(idle.version);
    await end(id, { charge_micro: micro(0) });
    const after = await live();
    expect(after).toMatchObject({ running_count: 0, latest_request: id, balance_micro: 25_000_000 });
    expect(new Set([idle.version, running.version, after.version]).size).toBe(3);
  });
});

describe("the usage explorer", () => {
  const explore = (query: string, actor = member) =>
    expectBody(call(`GET /usage/explore?${query}`, undefined, actor), 200, UsageExploration);

  test("names keys, deleted ones too, and stacks them by day", async () => {
    await end(await begin());
    const gone = await makeKey(mine.id, { name: "gone" });
    for (let round = 0; round < 2; round += 1) await end(await begin({ key_id: gone.id }));
    await call(`DELETE /keys/${gone.id}`);
    const groups = [
      { id: gone.id, name: "gone", others: false, cost_micro: 92 },
      { id: key.id, name: "CI", others: false, cost_micro: 46 },
    ];
    expect(await explore("by=key")).toMatchObject({ groups, total: { cost_micro: 138, request_count: 3 } });
    const { data } = await explore("by=day,key");
    expect(data).toMatchObject(groups.map(({ id, cost_micro }) => ({ day: TODAY, group: id, cost_micro })));
    expect(await explore("by=day,key&top=1")).toMatchObject({
      groups: [{ id: gone.id }, { id: null, name: null, others: true, cost_micro: 46 }],
      data: [{ group: gone.id }, { group: null, others: true, cost_micro: 46 }],
    });
    expect(await explore(`by=model&key=${key.id}`)).toMatchObject({
      groups: [{ id: SWIFT.id, name: null, cost_micro: 46 }],
    });
    expect(await explore("by=day&model=acme/none")).toMatchObject({ data: [], total: { request_count: 0 } });
    expect((await explore("by=key", memberOf(theirs.id))).data).toEqual([]);
  });

  test("covers thirty days where the query gives no range", async () => {
    const { since, until } = await explore("");
    expect([Date.parse(until) - Date.parse(since), until]).toEqual([29 * 86_400_000, TODAY]);
    expect(await explore("since=2024-01-01&until=2024-12-31")).toMatchObject({
      since: "2024-01-01",
      until: "2024-12-31",
    });
    expect(await explore("until=2026-03-01")).toMatchObject({ since: "2026-01-31" });
  });

  test("is a CSV file on request, in which no name is a formula", async () => {
    const evil = await makeKey(mine.id, { name: '=HYPERLINK("http://evil","x"),y' });
    await end(await begin({ key_id: evil.id }));
    const { status, headers, body } = await call("GET /usage/explore?by=day,key&format=csv", undefined, member);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ "content-type": "text/csv; charset=utf-8" });
    expect(headers?.["content-disposition"]).toMatch(/^attachment; filename="usage-day-key-[\d-]+\.csv"$/);
    expect(body).toBe(
      [
        "day,key,key_name,requests,successes,prompt_tokens,completion_tokens,total_tokens,cost,cost_micro,currency,input_characters,input_seconds,images,searches",
        `${TODAY},${evil.id},"'=HYPERLINK(""http://evil"",""x""),y",1,1,8,2,10,0.000046,46,USD,0,0,0,0`,
        "",
      ].join("\r\n"),
    );
  });
});

describe("requests", () => {
  const list = async (query: string, actor = member) =>
    (await expectBody(call(`GET /requests?${query}`, undefined, actor), 200, ReceiptList)).data.map(({ id }) => id);

  test("are found by endpoint, by time and by either id, and running ones by their status", async () => {
    const ended = await end(await begin({ client_request_id: "job-7-abc" }));
    const decision = await begin({ endpoint: "decisions" });
    expect(await list("endpoint=decisions")).toEqual([decision]);
    expect(await list("status=held")).toEqual([decision]);
    expect(await list("q=job-7")).toEqual([ended]);
    expect(await list(`q=${decision.slice(0, 22)}`)).toEqual([decision]);
    expect(await list("q=job-8")).toEqual([]);
    expect(await list(`from=${TODAY}`)).toEqual([decision, ended]);
    expect(await list(`to=${TODAY}T00:00:00Z`)).toEqual([]);
    expect(await list("q=job-7", memberOf(theirs.id))).toEqual([]);
  });

  test("have receipts whose lines add up to the charge, with key, entry, attempts and timings", async () => {
    const id = await begin();
    await store.ledger.commit([{ op: "extend", request_id: id, add_micro: micro(250) }]);
    await end(id);
    const receipt = await expectBody(call(`GET /requests/${id}`, undefined, member), 200, ReceiptDetail);
    expect(receipt).toMatchObject({
      ...{ status: "settled", hold_micro: 1_250, extended_micro: 250, charge_micro: 46, cost_micro: 46 },
      key: { id: key.id, name: "CI", hint: key.hint, deleted: false },
      lines: [
        { class: "input", unit: "token", count: 5, price_micro: 3_000_000, exact_micro: "15", amount_micro: 15 },
        { class: "cache_read", unit: "token", count: 3, price_micro: 300_000, exact_micro: "0.9", amount_micro: 1 },
        { class: "output", unit: "token", count: 2, price_micro: 15_000_000, exact_micro: "30", amount_micro: 30 },
      ],
      tier_above_input_tokens: null,
      entry: { kind: "charge", amount_micro: -46, request: id },
      attempts: [{ status: 503, error: "provider_error" }, { status: 200 }],
      ...{ queue_ms: 1, first_byte_ms: 13, duration_ms: 36 },
    });
    expect(Date.parse(receipt.ended_at ?? "")).toBeGreaterThanOrEqual(Date.parse(receipt.created_at));
    const running = await expectBody(call(`GET /requests/${await begin()}`, undefined, member), 200, ReceiptDetail);
    expect(running).toMatchObject({ status: "held", lines: [], cost_micro: 0, entry: null, ended_at: null });
  });
});

describe("a name is resolved", () => {
  const resolve = (name: string, actor = member) =>
    expectBody(call(`GET /resolve?key=${key.id}&name=${encodeURIComponent(name)}`, undefined, actor), 200, Resolution);

  test("as a request with the key resolves it, with the reason", async () => {
    expect(await resolve("fast")).toMatchObject({
      ...{ found: true, rule: "alias", via: "fast", target: "acme/swift" },
      model: {
        id: "acme/swift",
        kind: "chat",
        endpoints: ["chat.completions", "responses", "messages", "generateContent"],
      },
      explanation: "fast is an alias of acme/swift.",
    });
    expect(await resolve("acme/judge")).toMatchObject({ rule: "id", model: { endpoints: ["decisions", "systemone"] } });
    expect((await resolve("acme/judge")).explanation).toMatch(/decision model/);
    expect(await resolve("none")).toMatchObject({ found: false, rule: "not-found", model: null, target: null });
  });

  test("with aliases that are being written, before they are stored", async () => {
    const draft = (body: object) => expectBody(call("POST /resolve", body, member), 200, Resolution);
    const aliases = [{ name: "slow", model: "acme/none" }];
    const prefix_aliases = [{ prefix: "claude-", model: "acme/swift" }];
    expect(await draft({ name: "claude-4", aliases, prefix_aliases })).toMatchObject({
      rule: "prefix-alias",
      via: "claude-*",
    });
    expect(await draft({ name: "slow", aliases })).toMatchObject({
      found: false,
      rule: "target-missing",
      target: "acme/none",
    });
    expect(await draft({ name: "acme/swift", models: ["other/*"] })).toMatchObject({
      rule: "not-allowed",
      found: false,
    });
  });
});

describe("models", () => {
  test("are shown with every price version, the effective one, controls and endpoints", async () => {
    const { data } = await expectBody(call("GET /models", undefined, member), 200, ModelList);
    expect(data.map(({ id }) => id).toSorted()).toEqual(["acme/judge", "acme/swift"]);
    const swift = await expectBody(call("GET /models/acme/swift", undefined, member), 200, ModelDetail);
    expect(swift).toMatchObject({
      vendor: { id: "acme", name: "Acme AI" },
      capabilities: {
        thinking: true,
        reasoning: { toggle: true, effort: ["low", "high"], budget_tokens: { max: 8000 } },
      },
      currency: "USD",
      decided_with: null,
    });
    expect(swift.prices.map(({ from, until, effective }) => [from, until, effective])).toEqual([
      [null, "2025-01-01T00:00:00.000Z", false],
      ["2025-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z", true],
      ["2999-01-01T00:00:00.000Z", null, false],
    ]);
    expect(swift.prices[1]).toMatchObject(swift.price);
    await expectBody(call("GET /models/acme/none", undefined, member), 404, ErrorBody);
  });
});

describe("automatic top-ups", () => {
  const path = "/credits/auto-top-up";

  test("are set by administrators, seen by members, and book credits that the ledger lists", async () => {
    expect(await expectBody(call(`GET ${path}`, undefined, member), 200, AutoTopUp)).toMatchObject({ rule: null });
    const body = { threshold: "24.9999", amount: "25", month_limit: "60" };
    const set = await expectBody(call(`PUT ${path}?account=${mine.id}`, body), 200, AutoTopUp);
    expect(set.rule).toMatchObject({
      threshold_micro: 24_999_900,
      amount_micro: 25_000_000,
      month_limit_micro: 60_000_000,
    });
    expect(set.rule).toMatchObject({ month_used_micro: 0, last_at: null, updated_by: "admin-token" });
    await end(await begin());
    const { rule } = await expectBody(call(`GET ${path}`, undefined, member), 200, AutoTopUp);
    expect(rule).toMatchObject({ month_used_micro: 25_000_000, month_since: `${TODAY.slice(0, 7)}-01` });
    const credits = await expectBody(
      call(`GET /accounts/${mine.id}/credits?kind=credit`, undefined, member),
      200,
      EntryList,
    );
    expect(credits.data).toMatchObject([
      { note: AUTO_TOP_UP_NOTE, actor: "gateway", amount_micro: 25_000_000 },
      { note: "opening credit" },
    ]);
    expect(await expectBody(call(`DELETE ${path}?account=${mine.id}`), 200, AutoTopUp)).toMatchObject({ rule: null });
    expect(await expectBody(call(`GET ${path}`, undefined, member), 200, AutoTopUp)).toMatchObject({ rule: null });
  });

  test("cannot be set or removed by members", async () => {
    const body = { threshold: "1", amount: "25", month_limit: "60" };
    await expectBody(call(`PUT ${path}`, body, member), 404, ErrorBody);
    await expectBody(call(`DELETE ${path}`, undefined, member), 404, ErrorBody);
  });

  const REFUSED: [body: object, param: string][] = [
    [{ threshold: "10", amount: "9.999999", month_limit: "60" }, "amount"],
    [{ threshold: "0", amount: "0", month_limit: "60" }, "amount"],
    [{ threshold: "10", amount: "10", month_limit: "9" }, "month_limit"],
    [{ threshold: "-1", amount: "10", month_limit: "9" }, "threshold"],
    [{ threshold: "1", amount: "10" }, "month_limit"],
  ];
  for (const [body, param] of REFUSED) {
    test(`with ${JSON.stringify(body)} are refused`, async () => {
      const { error } = await expectBody(call(`PUT ${path}?account=${mine.id}`, body), 400, ErrorBody);
      expect(error).toMatchObject({ code: "invalid_request", param });
    });
  }
});

describe("the playground's key", () => {
  test("exists once for each user, ends after twelve hours, and is marked in lists", async () => {
    const made = await expectBody(call("POST /playground/key", {}, member), 201, PlaygroundKey);
    expect(Date.parse(made.expires_at) - deps.clock.now_ms()).toBe(12 * 3_600_000);
    const again = await expectBody(call("POST /playground/key", {}, member), 201, PlaygroundKey);
    expect(again.id).toBe(made.id);
    expect(await store.accounts.findKeyByHash(hashApiKey(keys, made.key))).toBeNull();
    expect(await store.accounts.findKeyByHash(hashApiKey(keys, again.key))).toMatchObject({
      id: made.id,
      account_id: mine.id,
    });
    const { data } = await expectBody(call("GET /keys", undefined, member), 200, KeyList);
    expect(data.map(({ name, playground }) => [name, playground]).toSorted()).toEqual([
      ["CI", false],
      ["Playground", true],
    ]);
  });
});

test("budgets are shown with what is left of them", async () => {
  const { id } = await makeKey(mine.id, { budget: { amount: "0.002", window: "day" } });
  await end(await begin({ key_id: id }));
  await begin({ key_id: id });
  const { data } = await expectBody(call("GET /budgets", undefined, member), 200, BudgetList);
  const renews = { at: expect.stringMatching(/T00:00:00Z$/), time_zone: "UTC" };
  const use = { renews, amount_micro: 2_000, raise: null, spent_micro: 46, held_micro: 1_000, remaining_micro: 954 };
  expect(data).toEqual([{ key: id, window: "day", since: TODAY, ...use }]);
});

describe("a member", () => {
  const named = (path: string, body?: object): [string, object?] => (body ? [path, body] : [path]);
  const OF_OTHERS = () => [
    named(`GET /overview?account=${theirs.id}`),
    named(`GET /overview/live?account=${theirs.email}`),
    named(`GET /budgets?account=${theirs.id}`),
    named(`GET /usage/explore?account=${theirs.id}`),
    named(`GET /usage/explore?account=${theirs.id}&format=csv`),
    named(`GET /credits/auto-top-up?account=${theirs.id}`),
    named(`PUT /credits/auto-top-up?account=${theirs.id}`, { threshold: "0", amount: "1", month_limit: "1" }),
    named(`DELETE /credits/auto-top-up?account=${theirs.id}`),
    named("POST /playground/key", { account: theirs.id }),
  ];

  test("gets 404 for every view of another account", async () => {
    const their_key = await makeKey(theirs.id);
    const their_request = await begin({ account_id: theirs.id, key_id: their_key.id });
    const calls = [
      ...OF_OTHERS(),
      named(`GET /resolve?key=${their_key.id}&name=x`),
      named(`GET /requests/${their_request}`),
    ];
    for (const [request, body] of calls) {
      const answer = await call(request, body, member);
      expect({ request, ...answer }).toMatchObject({ request, status: 404, body: { error: { code: "not_found" } } });
    }
    expect(await expectBody(call(`GET /credits/auto-top-up?account=${theirs.id}`), 200, AutoTopUp)).toMatchObject({
      rule: null,
    });
  });

  test("finds nothing of another account by its filters", async () => {
    const their_key = await makeKey(theirs.id);
    const id = await begin({ account_id: theirs.id, key_id: their_key.id });
    for (const filter of [`key=${their_key.id}`, `q=${id}`, "status=held", "endpoint=chat.completions"]) {
      expect((await expectBody(call(`GET /requests?${filter}`, undefined, member), 200, ReceiptList)).data).toEqual([]);
    }
  });
});

describe("a bad parameter is answered with 400 that names it", () => {
  const REFUSED = [
    "/overview?acount=a",
    "/usage/explore?by=vendor",
    "/usage/explore?top=101",
    "/usage/explore?since=2026-02-30",
    "/usage/explore?since=2025-01-02&until=2025-01-01",
    "/usage/explore?since=2023-01-01&until=2025-01-01",
    "/usage/explore?format=xlsx",
    "/requests?endpoint=chat",
    "/requests?q=ab",
    "/requests?q=req_1234",
    "/requests?from=yesterday",
    "/requests?to=2026-02-30",
    "/requests?from=2026-02-02&to=2026-02-01",
    "/resolve?name=x",
  ];
  for (const path of REFUSED) {
    test(path, async () => {
      const { error } = await expectBody(call(`GET ${path}`, undefined, member), 400, ErrorBody);
      expect(error.code).toBe("invalid_request");
      expect(`${path}&key=`).toContain(`${error.param}=`);
    });
  }
});

const configuration = loadConfiguration({
  file_text: `
vendors:
  acme: { name: Acme AI, protocol: chat-completions, base_url: "http://127.0.0.1:1/v1" }
models:
  acme/swift:
    capabilities: { thinking: true, reasoning: { toggle: true, effort: [low, high], budget_tokens: { max: 8000 } } }
    price:
      - { input: 2, output: 10 }
      - { from: 2025-01-01, input: 3, output: 15, cache_read: 0.3 }
      - { from: 2999-01-01, input: 1, output: 5 }
  acme/judge:
    kind: decision
    decide_with: { engine: logprobs, model: acme/swift }
    price: { input: 0.1 }
`,
  file_name: "camino.yaml",
  env: {},
});
const SWIFT = configuration.models.get("acme/swift") ?? missing();
const PRICE = SWIFT.prices[1] ?? missing();

function missing(): never {
  throw new Error("the configuration of the test lacks something");
}
