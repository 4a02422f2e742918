import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { TestKey } from "../../support/gateway.ts";
import { eventually } from "../failures/support/scene.ts";
import { chat, messages, type Style } from "../failures/support/styles.ts";
import { chunked, headOf, request } from "./support/requests.ts";
import type { WireClient } from "./support/wire-client.ts";
import { AUTHORIZATION, startWireScene, type WireScene } from "./support/wire-scene.ts";

/** What a stranger gets for a key without money: docs/rulings.md 141, 152, 155. */

const MIB = 2 ** 20;
const WHOLE = JSON.stringify(chat.body("acme/echo"));

let wire: WireScene;

beforeAll(async () => {
  wire = await startWireScene({
    models: { "acme/echo": {}, "acme/slow": { upstream_model: "long@tokens=2000&ms=10" } },
  });
});

afterAll(async () => {
  await wire[Symbol.asyncDispose]();
});

const newKey = (options = {}): Promise<TestKey> => wire.scene.newKey(options);

function head(key: string, ...lines: readonly string[]): string {
  return headOf("POST /v1/chat/completions HTTP/1.1", "host: x", AUTHORIZATION + key, ...lines);
}

/** A call with a whole body. */
function whole(key: string, body = WHOLE, ...lines: readonly string[]): string {
  return head(key, `content-length: ${Buffer.byteLength(body)}`, ...lines) + body;
}

async function statusOf(bytes: string): Promise<number> {
  using client = await wire.open();
  return (await client.send(bytes).answer()).status;
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${wire.scene.gateway.url}/metrics`)).text();
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

const refusals = (reason: string): Promise<number> => metric(`camino_refusals_total{reason="${reason}"}`);

describe("a request is refused by its head, while none of its body is there:", () => {
  const UNFINISHED = "content-length: 30000000";
  const EXPECT = "expect: 100-continue";

  const rows: readonly (readonly [name: string, keyOf: () => Promise<string>, status: number, code: string])[] = [
    ["an unknown key", async () => "cm-123", 401, "invalid_api_key"],
    ["no money", async () => (await newKey({ credit: "0" })).key, 402, "insufficient_balance"],
    ["a key that is disabled", () => disabledKey(), 401, "api_key_inactive"],
    ["a key whose rate is used up", () => usedUpKey(), 429, "rate_limit_exceeded"],
  ];

  test.each(rows)("%s", async (_name, keyOf, status, code) => {
    const key = await keyOf();
    for (const lines of [[UNFINISHED], [UNFINISHED, EXPECT], ["transfer-encoding: chunked"]]) {
      using client = await wire.open();
      const answer = await client.send(head(key, ...lines)).answer();
      expect(answer.status).toBe(status);
      expect(answer.text).toContain(`"code":"${code}"`);
      expect(answer.headers.get("connection")).toBe("close");
      expect(await client.ended()).toHaveLength(1);
    }
  });

  async function disabledKey(): Promise<string> {
    const key = await newKey();
    await wire.scene.gateway.admin("POST", `/keys/${key.id}/disable`);
    return key.key;
  }

  async function usedUpKey(): Promise<string> {
    const { key } = await newKey({ rpm: 1 });
    expect(await statusOf(whole(key))).toBe(200);
    return key;
  }

  test("an account whose rate is used up by another of its keys", async () => {
    const one = await newKey();
    const made = { account: one.account, name: "another" };
    const other = await wire.scene.gateway.admin<{ key: string }>("POST", "/keys", made);
    await wire.scene.gateway.admin("PATCH", `/accounts/${one.account}`, { rpm: 1 });
    expect(await statusOf(whole(one.key))).toBe(200);
    // Only the books know of it at first.
    expect(await statusOf(whole(other.key))).toBe(429);
    using client = await wire.open();
    const answer = await client.send(head(other.key, UNFINISHED)).answer();
    expect(answer.status).toBe(429);
    expect(answer.text).toContain("account");
    await wire.scene.gateway.admin("PATCH", `/accounts/${one.account}`, { rpm: 100 });
    expect(await statusOf(whole(other.key))).toBe(200);
  });

  test("as many requests in flight as the key may have", async () => {
    const { key } = await newKey({ concurrent: 1 });
    using running = await wire.open();
    const streamed = JSON.stringify(chat.body("acme/slow", { stream: true }));
    running.send(whole(key, streamed));
    await running.until("the stream's head", () => running.received_bytes > 0);
    using client = await wire.open();
    const answer = await client.send(head(key, UNFINISHED)).answer();
    expect(answer.status).toBe(429);
    expect(answer.text).toContain("limit of 1 concurrent request is reached");
  });

  test("the same answers are given to bodies that are there, right or wrong", async () => {
    const { key } = await newKey({ credit: "0" });
    for (const body of [WHOLE, "{", "[".repeat(1000)]) expect(await statusOf(whole(key, body))).toBe(402);
  });
});

describe("a request in flight makes room again when it ends,", () => {
  test.each([
    ["answered", (key: string) => whole(key), 200],
    ["refused for its body", (key: string) => whole(key, "{"), 400],
    ["refused by the ledger", (key: string) => whole(key, JSON.stringify({ ...chat.body("acme/none") })), 404],
  ] as const)("%s", async (_name, bytes, status) => {
    const { key } = await newKey({ concurrent: 1 });
    for (let asked = 0; asked < 5; asked += 1) expect(await statusOf(bytes(key))).toBe(status);
    expect(await statusOf(whole(key))).toBe(200);
  });

  test("left in the middle of its body", async () => {
    const { key } = await newKey({ concurrent: 1 });
    for (let asked = 0; asked < 5; asked += 1) {
      using client = await wire.open();
      client.send(head(key, "content-length: 1000")).send("{");
      await Bun.sleep(20);
    }
    await eventually("room for a request", async () => ((await statusOf(whole(key))) === 200 ? true : null));
  });
});

describe("money that comes is seen at once:", () => {
  test("a credit", async () => {
    const { key, account } = await newKey({ credit: "0" });
    expect(await statusOf(whole(key))).toBe(402);
    await wire.scene.gateway.admin("POST", `/accounts/${account}/credits`, { amount: "1" });
    expect(await statusOf(whole(key))).toBe(200);
  });

  test("a rule that credits by itself", async () => {
    const { key, account } = await newKey({ credit: "0" });
    expect(await statusOf(whole(key))).toBe(402);
    const rule = { threshold: "1", amount: "2", month_limit: "10" };
    await wire.scene.gateway.admin("PUT", `/credits/auto-top-up?account=${account}`, rule);
    expect(await statusOf(whole(key))).toBe(200);
  });

  test("a raised limit", async () => {
    const { key, id } = await newKey({ rpm: 1 });
    expect([await statusOf(whole(key)), await statusOf(whole(key))]).toEqual([200, 429]);
    await wire.scene.gateway.admin("PATCH", `/keys/${id}`, { rpm: 100 });
    expect(await statusOf(whole(key))).toBe(200);
  });

  test("an empty wallet still gets what it has paid for", async () => {
    const { key, account } = await newKey({ credit: "1" });
    const again = whole(key, WHOLE, "idempotency-key: paid");
    expect(await statusOf(again)).toBe(200);
    const { balance_micro } = await wire.scene.wallet({ key, account, id: "" });
    const amount = `-${(balance_micro / 1e6).toFixed(6)}`;
    await wire.scene.gateway.admin("POST", `/accounts/${account}/credits`, { amount, kind: "correction" });
    expect(await statusOf(whole(key))).toBe(402);
    using client = await wire.open();
    const answer = await client.send(again).answer();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("idempotent-replayed")).toBe("true");
    expect(await statusOf(whole(key, WHOLE, "idempotency-key: another"))).toBe(402);
  });
});

describe("each request with a valid key takes one of its requests per minute:", () => {
  const RPM = 4;
  interface Case {
    readonly what: string;
    readonly bytes: (key: string) => string;
    readonly status: number;
    readonly options?: object;
    /** Whether a first call succeeds. */
    readonly is_second?: true;
  }
  const CASES: readonly Case[] = [
    { what: "answered", bytes: (key) => whole(key), status: 200 },
    { what: "a body that is no JSON", bytes: (key) => whole(key, "{"), status: 400 },
    {
      what: "a model that does not exist",
      bytes: (key) => whole(key, JSON.stringify(chat.body("acme/none"))),
      status: 404,
    },
    {
      what: "an idempotency key that is too long",
      bytes: (key) => whole(key, WHOLE, `idempotency-key: ${"x".repeat(256)}`),
      status: 400,
    },
    {
      what: "an announced body that is too large",
      bytes: (key) => head(key, `content-length: ${33 * MIB}`),
      status: 413,
    },
    {
      what: "an encoding that is not known",
      bytes: (key) => whole(key, WHOLE, "content-encoding: lzma"),
      status: 415,
    },
    {
      what: "chunks that are broken",
      bytes: (key) => `${head(key, "transfer-encoding: chunked")}zz\r\n`,
      status: 400,
    },
    { what: "no money", bytes: (key) => whole(key), status: 402, options: { credit: "0" } },
    {
      what: "a budget that is used up",
      bytes: (key) => whole(key),
      status: 402,
      options: { budget: { amount: "0.000001", window: "day" } },
    },
    // A request of more tokens than the whole limit passes once.
    {
      what: "tokens of the minute that are used up",
      bytes: (key) => whole(key),
      status: 429,
      options: { tpm: 1 },
      is_second: true,
    },
  ];

  test.each([...CASES])("$what", async ({ bytes, status, options = {}, is_second = false }) => {
    const { key } = await newKey({ ...options, rpm: RPM });
    if (is_second) expect(await statusOf(whole(key))).toBe(200);
    for (let asked = is_second ? 1 : 0; asked < RPM; asked += 1) {
      using client = await wire.open();
      const answer = await client.send(bytes(key)).answer();
      expect(answer.status).toBe(status);
    }
    using client = await wire.open();
    const refused = await client.send(whole(key)).answer();
    expect({ status: refused.status, text: refused.text }).toMatchObject({
      status: 429,
      text: expect.stringContaining("requests per minute"),
    });
    expect(refused.headers.get("x-ratelimit-limit-requests")).toBe(String(RPM));
    expect(refused.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("a repeat that gets its stored answer", async () => {
    const { key } = await newKey({ rpm: 3 });
    const again = whole(key, WHOLE, "idempotency-key: once");
    const statuses = [];
    for (let asked = 0; asked < 4; asked += 1) statuses.push(await statusOf(again));
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  test("a body that its client never finished", async () => {
    const { key } = await newKey({ rpm: 3 });
    for (let asked = 0; asked < 3; asked += 1) {
      using client = await wire.open();
      client.send(head(key, "content-length: 1000")).send("{");
      await Bun.sleep(20);
    }
    expect(await statusOf(whole(key))).toBe(429);
  });

  test("exactly one, whatever it is, in any order", async () => {
    const named = "idempotency-key: again";
    const WAYS: readonly (readonly [status: number, bytes: (key: string) => string])[] = [
      [200, (key) => whole(key)],
      [200, (key) => whole(key, JSON.stringify(chat.body("acme/echo", { stream: true })))],
      [200, (key) => whole(key, WHOLE, named)],
      [400, (key) => whole(key, "{")],
      [400, (key) => whole(key, "[]")],
      [404, (key) => whole(key, JSON.stringify(chat.body("acme/none")))],
      [409, (key) => whole(key, JSON.stringify(chat.body("acme/echo", { text: "another" })), named)],
      [413, (key) => head(key, `content-length: ${33 * MIB}`)],
      [415, (key) => whole(key, WHOLE, "content-encoding: lzma")],
    ];
    const rpm = 60;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...WAYS), { maxLength: 30 }), async (ways) => {
        const { key } = await newKey({ rpm });
        expect(await statusOf(whole(key, WHOLE, named))).toBe(200);
        const started_ms = performance.now();
        for (const [status, bytes] of ways) expect(await statusOf(bytes(key))).toBe(status);
        using client = await wire.open();
        const { headers } = await client.send(whole(key)).answer();
        // One a second comes back.
        const refilled = Math.ceil((performance.now() - started_ms) / 1000) + 1;
        const remaining = Number(headers.get("x-ratelimit-remaining-requests"));
        expect(remaining).toBeWithin(rpm - 2 - ways.length, rpm - 2 - ways.length + refilled + 1);
      }),
      { numRuns: 8, seed: 20261123 },
    );
  });

  test("a request that finds none takes none: whoever goes on asking gets the next one that is due", async () => {
    const { key } = await newKey({ rpm: 60 });
    const burst = await Promise.all(Array.from({ length: 70 }, () => statusOf(whole(key, "{"))));
    expect(burst.filter((status) => status === 400).length).toBeGreaterThanOrEqual(60);
    const got: number[] = [];
    const end_ms = performance.now() + 2500;
    while (performance.now() < end_ms) got.push(await statusOf(whole(key, "{")));
    // One a second, though it asked hundreds of times.
    const passed = got.filter((status) => status === 400).length;
    expect(passed).toBeGreaterThanOrEqual(1);
    expect(passed).toBeLessThanOrEqual(4);
  });
});

describe("reading has a rate of its own, ten times the key's:", () => {
  const get = (key: string, path: string, ...lines: readonly string[]): Buffer =>
    request({ target: path, headers: [AUTHORIZATION + key, ...lines] });
  const COUNTED = JSON.stringify(messages.body("acme/echo"));
  const READS: readonly (readonly [name: string, bytes: (key: string) => Buffer, status: number])[] = [
    ["models", (key) => get(key, "/v1/models"), 200],
    ["a model", (key) => get(key, "/v1/models/acme/echo"), 200],
    ["a model that does not exist", (key) => get(key, "/v1/models/acme/none"), 404],
    ["usage", (key) => get(key, "/v1/usage"), 200],
    ["credits", (key) => get(key, "/v1/credits"), 200],
    ["a receipt that does not exist", (key) => get(key, "/v1/requests/req_none"), 404],
    ["a stored response that does not exist", (key) => get(key, "/v1/responses/resp_none"), 404],
    ["its items", (key) => get(key, "/v1/responses/resp_none/input_items"), 404],
    [
      "counted tokens",
      (key) =>
        request({
          method: "POST",
          target: "/v1/messages/count_tokens",
          headers: [AUTHORIZATION + key, "anthropic-version: 2023-06-01"],
          body: COUNTED,
        }),
      200,
    ],
  ];

  test.each(READS)("%s", async (_name, bytes, status) => {
    const { key } = await newKey({ rpm: 1, credit: "1" });
    using client = await wire.open();
    for (let asked = 0; asked < 10; asked += 1) client.send(bytes(key));
    await client.answer(9);
    expect(client.statuses).toEqual(Array.from({ length: 10 }, () => status));
    const last = client.answers[9];
    const limit =
      last?.headers.get("x-ratelimit-limit-requests") ?? last?.headers.get("anthropic-ratelimit-requests-limit");
    expect(limit).toBe("10");
    const refused = await client.send(bytes(key)).answer(10);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    // What is asked of models is another rate.
    expect(await statusOf(whole(key))).toBe(200);
    expect(await statusOf(whole(key))).toBe(429);
  });

  test("in the style that the request asks for", async () => {
    const { key } = await newKey({ rpm: 1 });
    using client = await wire.open();
    const bytes = request({ target: "/v1/credits", headers: [`x-api-key: ${key}`] });
    for (let asked = 0; asked < 11; asked += 1) client.send(bytes);
    const refused = await client.answer(10);
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.text)).toMatchObject({ type: "error", error: { type: "rate_limit_error" } });
    expect(refused.headers.get("anthropic-ratelimit-requests-limit")).toBe("10");
  });

  test("a key that is not accepted takes nothing, and costs the database nothing", async () => {
    const before = await refusals("key");
    for (let asked = 0; asked < 20; asked += 1) {
      using client = await wire.open();
      expect((await client.send(get(`cm-${"a".repeat(54)}`, "/v1/models")).answer()).status).toBe(401);
    }
    expect(await refusals("key")).toBe(before + 20);
  });
});

describe("unfinished bodies of one key have 64 MiB together:", () => {
  /** Sends the beginning of a body of 31 MiB. */
  async function unfinished(key: string, style: Style): Promise<WireClient> {
    const client = await wire.open();
    const body_bytes = 31 * MIB;
    client.send(
      headOf(
        `POST ${style.path("acme/echo")} HTTP/1.1`,
        "host: x",
        AUTHORIZATION + key,
        "anthropic-version: 2023-06-01",
        `content-length: ${body_bytes + 1}`,
      ),
    );
    await client.sendAll(Buffer.alloc(body_bytes, " "));
    return client;
  }

  test.each([
    ["in style A", chat, { error: { type: "api_error", code: "model_unavailable" } }],
    ["in style B", messages, { type: "error", error: { type: "overloaded_error" } }],
  ] as const)("one more is a 503 with retry-after, %s", async (_name, style, body) => {
    const [one, other] = [await newKey(), await newKey()];
    using first = await unfinished(one.key, style);
    using second = await unfinished(one.key, style);
    await eventually("62 MiB", async () => ((await metric("camino_unfinished_body_bytes")) >= 62 * MIB ? true : null));
    const before = await refusals("key_bodies");
    using third = await unfinished(one.key, style);
    const refused = await third.answer();
    expect(refused.status).toBe(503);
    expect(JSON.parse(refused.text)).toMatchObject(body);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refusals("key_bodies")).toBe(before + 1);
    // Another key has room of its own.
    using others = await unfinished(other.key, style);
    await eventually("93 MiB", async () => ((await metric("camino_unfinished_body_bytes")) >= 93 * MIB ? true : null));
    expect(others.answers).toEqual([]);
    for (const client of [first, second, others]) client[Symbol.dispose]();
    await eventually("room", async () => ((await metric("camino_unfinished_body_bytes")) === 0 ? true : null));
    expect(await statusOf(whole(one.key))).toBe(200);
  });
});

describe("the console", () => {
  const post = (path: string, body: string, ...lines: readonly string[]): Buffer =>
    request({ method: "POST", target: `/console/api${path}`, headers: lines, body });

  test("reads 16 KiB of anybody, and no more", async () => {
    using client = await wire.open();
    const credentials = (bytes: number): string =>
      JSON.stringify({ email: "a@b.example", password: "x".repeat(bytes) });
    expect((await client.send(post("/session/password", credentials(17_000))).answer()).status).toBe(413);
    using other = await wire.open();
    expect((await other.send(post("/session/password", credentials(1000))).answer()).status).not.toBe(413);
    using large = await wire.open();
    const head = headOf("POST /console/api/session/password HTTP/1.1", "host: x", "transfer-encoding: chunked");
    large.send(head).send(chunked(credentials(17_000), 900));
    expect((await large.answer()).status).toBe(413);
  });

  test("reads nothing of somebody who may not call the route", async () => {
    for (const lines of [[], ["authorization: Bearer wrong"]]) {
      using client = await wire.open();
      const bytes = headOf("POST /console/api/accounts HTTP/1.1", "host: x", "content-length: 900000", ...lines);
      expect((await client.send(bytes).answer()).status).toBe(401);
    }
  });
});
