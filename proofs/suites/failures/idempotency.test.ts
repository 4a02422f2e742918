import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TestKey } from "../../support/gateway.ts";
import { eventually, type Scene, startScene } from "./support/scene.ts";
import { brokenLaw } from "./support/stream-laws.ts";
import { chat, endingOfStream, errorCode, messages, STYLES, type Style } from "./support/styles.ts";

/** `Idempotency-Key`: a repeat is answered with the same bytes, asks no vendor and costs nothing (docs/rulings.md 27). */

const models = {
  "acme/echo": {},
  "acme/stalls": { upstream_model: "long@tokens=20&fault=stall-mid&after=1" },
  "acme/breaks": { upstream_model: "long@tokens=20&fault=cut-mid" },
  "acme/recovers": { upstream_model: "fail-first@n=1&status=500" },
  "acme/accepts": { upstream_model: "fail-first@n=1&status=400" },
  "drains/slow": { upstream_model: "long@tokens=20&ms=10" },
  "acme/slow": { upstream_model: "long@tokens=20&first_ms=300" },
  "acme/thinks": { upstream_model: "reason@ms=10", capabilities: { thinking: true } },
  "acme/long": { upstream_model: "long@tokens=20000&piece=5&fault=one-chunk", max_completion_tokens: 64_000 },
};

let scene: Scene;
let key: TestKey;

beforeAll(async () => {
  scene = await startScene({ models, vendors: { drains: { on_disconnect: "drain" } } });
  key = await scene.newKey({ credit: "1000" });
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

interface Told {
  readonly status: number;
  readonly type: string | null;
  readonly replayed: string | null;
  readonly body: string;
  readonly id: string;
  readonly headers: Headers;
}

interface Asked {
  readonly style?: Style;
  readonly stream?: boolean;
  readonly model?: string;
  readonly text?: string;
  readonly by?: TestKey;
}

async function ask(idempotency_key: string, asked: Asked = {}): Promise<Told> {
  const { style = chat, stream = false, model = "acme/echo", text = "Say it once.", by = key } = asked;
  const headers = { "idempotency-key": idempotency_key };
  const response = await scene.call(style, by, model, { stream, text, cap: 100, headers });
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    replayed: response.headers.get("idempotent-replayed"),
    body: await response.text(),
    id: response.headers.get("x-camino-request-id") ?? "",
    headers: response.headers,
  };
}

const ways = STYLES.flatMap((style) =>
  [false, true].map((stream) => ({ style, stream, how: stream ? "streamed" : "whole" })),
);

describe.each(ways)("$style.endpoint, $how", ({ style, stream, how }) => {
  const name = `${style.protocol}-${how}`;

  test("a repeat gets the same bytes, free of charge and without a vendor", async () => {
    const first = await ask(`same-${name}`, { style, stream });
    expect(first).toMatchObject({ status: 200, replayed: null });
    const [before, calls] = [await scene.wallet(key), scene.simulator.log.total];
    const second = await ask(`same-${name}`, { style, stream });
    expect(second).toMatchObject({ status: 200, replayed: "true", type: first.type });
    expect(second.body).toBe(first.body);
    expect(await scene.wallet(key)).toMatchObject({
      balance_micro: before.balance_micro,
      uncollected_micro: before.uncollected_micro,
    });
    expect(scene.simulator.log.total).toBe(calls);
  });

  test("another body under the same key is refused", async () => {
    await ask(`other-${name}`, { style, stream });
    const other = await ask(`other-${name}`, { style, stream, text: "Say something else." });
    expectConflict(style, other, "idempotency_key_reused");
    expect(other.headers.get("x-should-retry")).toBe("false");
  });
});

function expectConflict(style: Style, told: Told, code: string): void {
  expect(told.status).toBe(409);
  const error = JSON.parse(told.body) as unknown;
  expect(errorCode(style, error)).toBe(style === messages ? "invalid_request_error" : code);
}

test("the same key on another endpoint is another request", async () => {
  await ask("endpoint");
  expectConflict(messages, await ask("endpoint", { style: messages }), "idempotency_key_reused");
});

test("a repeat of a request that still runs gets a 409 with a time to try again", async () => {
  const headers = { "idempotency-key": "running" };
  const running = await scene.stream(chat, key, "acme/stalls", { headers, text: "Say it once.", cap: 100 });
  await running.until(({ text }) => text !== "");
  const repeat = await ask("running", { stream: true, model: "acme/stalls" });
  expectConflict(chat, repeat, "idempotency_in_progress");
  expect(Number(repeat.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  running.leave();
  await scene.ended(running.request_id);
});

test.each(["acme/recovers", "acme/accepts"])("%s: a repeat of a failed request runs anew", async (model) => {
  const failed = await ask(`failed-${model}`, { model });
  expect(failed.status).toBeGreaterThanOrEqual(400);
  const repeat = await ask(`failed-${model}`, { model });
  expect(repeat).toMatchObject({ status: 200, replayed: null });
  expect(await ask(`failed-${model}`, { model })).toMatchObject({ status: 200, replayed: "true" });
});

test("a repeat of a refused request runs anew", async () => {
  const poor = await scene.newKey({ credit: "0.000001" });
  expect((await ask("refused", { by: poor })).status).toBe(402);
  await scene.gateway.admin("POST", `/accounts/${poor.account}/credits`, { amount: "1" });
  expect(await ask("refused", { by: poor })).toMatchObject({ status: 200, replayed: null });
});

test("a repeat of a stream that broke after content is refused: it was charged, and cannot be replayed", async () => {
  const broken = await ask("broken", { stream: true, model: "acme/breaks" });
  expect(broken.status).toBe(200);
  expect((await scene.ended(broken.id)).charge_micro).toBeGreaterThan(0);
  expectConflict(chat, await ask("broken", { stream: true, model: "acme/breaks" }), "idempotency_key_reused");
});

describe("an answer whose client left, and that was read to its end, is replayed as it would have been sent", () => {
  test.each(STYLES.flatMap((style) => ["drains/slow", "acme/thinks"].map((model) => ({ style, model }))))(
    "$style.endpoint, streamed by $model",
    async ({ style, model }) => {
      const idempotency_key = `left-${style.protocol}-${model}`;
      const headers = { "idempotency-key": idempotency_key };
      const left = await scene.stream(style, key, model, { headers, text: "Say it once.", cap: 100 });
      await left.until(({ events }) => events.length > 1);
      left.leave();
      const receipt = await scene.ended(left.request_id);
      expect(receipt).toMatchObject({ status: "settled", estimated: false, error: null });
      const calls = scene.simulator.log.total;
      const repeat = await ask(idempotency_key, { style, stream: true, model });
      expect(repeat).toMatchObject({ status: 200, replayed: "true" });
      expect(repeat.body.startsWith(left.received)).toBe(true);
      expect(brokenLaw(style, repeat.body)).toBeNull();
      expect(endingOfStream(style, repeat.body)).toBe("complete");
      expect(scene.simulator.log.total).toBe(calls);
    },
  );

  test.each(STYLES)("$endpoint, whole", async (style) => {
    const idempotency_key = `left-whole-${style.protocol}`;
    const client_id = `left-whole-${style.protocol}`;
    const headers = { "idempotency-key": idempotency_key, "x-request-id": client_id };
    const leaving = new AbortController();
    const total = scene.simulator.log.total;
    const asked = { headers, signal: leaving.signal, text: "Say it once.", cap: 100 };
    const answer = scene.call(style, key, "acme/slow", asked).catch(() => "left");
    await eventually("the vendor's request", async () => (scene.simulator.log.total > total ? true : null));
    leaving.abort();
    expect(await answer).toBe("left");
    expect(await scene.ended(client_id)).toMatchObject({ status: "settled", estimated: false, error: null });
    expect(await ask(idempotency_key, { style, model: "acme/slow" })).toMatchObject({ status: 200, replayed: "true" });
  });
});

test("an answer that the wallet cut is replayed as it was sent", async () => {
  const poor = await scene.newKey({ credit: ((4096 * 4 + 1000) / 1_000_000).toFixed(6) });
  const headers = { "idempotency-key": "cut" };
  const asked = { stream: true, text: "Say it once.", headers };
  const first = await (await scene.call(chat, poor, "acme/long", asked)).text();
  expect(endingOfStream(chat, first)).toBe("length");
  const repeat = await scene.call(chat, poor, "acme/long", asked);
  expect([repeat.headers.get("idempotent-replayed"), await repeat.text()]).toEqual(["true", first]);
});

test("many repeats at once reach the vendor once", async () => {
  const before = scene.simulator.log.total;
  const told = await Promise.all(Array.from({ length: 40 }, () => ask("at-once")));
  expect(scene.simulator.log.total - before).toBe(1);
  const answered = told.filter(({ status }) => status === 200);
  expect(new Set(answered.map(({ body }) => body)).size).toBe(1);
  expect(answered.filter(({ replayed }) => replayed === null)).toHaveLength(1);
  expect(told.every(({ status }) => status === 200 || status === 409)).toBe(true);
});

describe("an idempotency key belongs to the account", () => {
  test("another key of the account gets the stored answer", async () => {
    const first = await ask("account");
    const { id, key: secret } = await scene.gateway.admin<{ id: string; key: string }>("POST", "/keys", {
      account: key.account,
    });
    const second = await ask("account", { by: { id, key: secret, account: key.account } });
    expect({ replayed: second.replayed, body: second.body }).toEqual({ replayed: "true", body: first.body });
  });

  test("another account gets an answer of its own", async () => {
    const other = await scene.newKey();
    const [mine, theirs] = [await ask("accounts"), await ask("accounts", { by: other })];
    expect(theirs.replayed).toBeNull();
    expect(theirs.id).not.toBe(mine.id);
    expect((await scene.ended(theirs.id)).charge_micro).toBeGreaterThan(0);
  });
});

test("answers outlive the process, however it ended", async () => {
  const whole = await ask("restart-whole");
  const streamed = await ask("restart-streamed", { stream: true });
  await scene.gateway.stop("SIGKILL");
  scene.gateway = await scene.gateway.restart();
  const calls = scene.simulator.log.total;
  expect(await ask("restart-whole")).toMatchObject({ status: 200, replayed: "true", body: whole.body });
  expect(await ask("restart-streamed", { stream: true })).toMatchObject({ replayed: "true", body: streamed.body });
  expect(scene.simulator.log.total).toBe(calls);
});

test("the books are sound after all of it", async () => {
  expect(await scene.gateway.stop()).toBe(0);
  expect((await scene.audit()).problems).toEqual([]);
});
