import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TestKey } from "../../support/gateway.ts";
import { type Scene, startScene, type Wallet } from "./support/scene.ts";
import { STYLES, type Style } from "./support/styles.ts";

/** Limits and money hold however many calls come at once. */

/** A model with 20 output tokens at 50 micro units each and free input, so that hold and charge are equal. */
const EXACT = "acme/exact";
const TOKENS = 20;
const PRICE_OF_ONE_MICRO = 1000;
const CREDIT_FOR_TEN = "0.01";
const STALLS = "acme/stalls";

let scene: Scene;

beforeAll(async () => {
  scene = await startScene({
    models: {
      [EXACT]: { upstream_model: "long", max_completion_tokens: TOKENS, price: { input: "0", output: "50.00" } },
      [STALLS]: { upstream_model: "long@tokens=20&fault=stall-mid&after=1" },
    },
  });
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

interface Tally {
  answered: number;
  /** The gateway's ids of the answered requests. */
  ids: string[];
  refused: Record<string, number>;
}

/** Makes `count` calls at once, in turn in every style, streamed and not, with every key. Counts the outcomes. */
async function callAtOnce(count: number, keys: readonly TestKey[]): Promise<Tally> {
  const tally: Tally = { answered: 0, ids: [], refused: {} };
  const calls = Array.from({ length: count }, async (_, index) => {
    const key = keys[index % keys.length] as TestKey;
    const style = STYLES[index % STYLES.length] as Style;
    const response = await scene.call(style, key, EXACT, { stream: index % 2 === 0, cap: TOKENS });
    const body = await response.text();
    if (response.status === 200) {
      tally.answered += 1;
      tally.ids.push(response.headers.get("x-camino-request-id") ?? "");
      return;
    }
    const { error } = JSON.parse(body) as { error: { type: string; code?: string } };
    const name = `${response.status} ${error.code ?? error.type}`;
    tally.refused[name] = (tally.refused[name] ?? 0) + 1;
  });
  await Promise.all(calls);
  return tally;
}

function refusals({ refused }: Tally, status: number): number {
  return Object.entries(refused).reduce((sum, [name, n]) => sum + (name.startsWith(`${status} `) ? n : 0), 0);
}

describe("a wallet that can pay for exactly ten of 500 calls at once", () => {
  let tally: Tally;
  let keys: TestKey[];
  const seen: Wallet[] = [];

  beforeAll(async () => {
    const first = await scene.newKey({ credit: CREDIT_FOR_TEN });
    const more = Array.from({ length: 3 }, () =>
      scene.gateway.admin<{ id: string; key: string }>("POST", "/keys", { account: first.account }),
    );
    keys = [first, ...(await Promise.all(more)).map(({ id, key }) => ({ id, key, account: first.account }))];
    const running = { over: false };
    const watching = (async () => {
      while (!running.over) seen.push(await scene.wallet(first));
    })();
    tally = await callAtOnce(500, keys);
    running.over = true;
    await watching;
  });

  test("answers exactly ten and refuses the rest for lack of money", () => {
    expect({ answered: tally.answered, refused: refusals(tally, 402) }).toEqual({ answered: 10, refused: 490 });
  });

  test("sends no more than ten to the vendor", () => {
    expect(scene.simulator.log.count("long")).toBe(10);
  });

  test("never goes below zero, and holds nothing afterwards", async () => {
    expect(seen.length).toBeGreaterThan(0);
    for (const { balance_micro, uncollected_micro } of seen) {
      expect(balance_micro).toBeGreaterThanOrEqual(0);
      expect(balance_micro + uncollected_micro).toBeLessThanOrEqual(10 * PRICE_OF_ONE_MICRO);
    }
    const wallet = await scene.wallet(keys[0] as TestKey);
    expect(wallet).toMatchObject({ balance_micro: 0, uncollected_micro: 0 });
  });

  test("charges each answer once, and its entries add up", async () => {
    const entries = await scene.entries(keys[0] as TestKey);
    const charges = entries.filter(({ kind }) => kind === "charge");
    expect(charges.map(({ request }) => request).sort()).toEqual([...tally.ids].sort());
    expect(charges.every(({ amount_micro }) => amount_micro === -PRICE_OF_ONE_MICRO)).toBe(true);
    expect(entries.every(({ posted_after_micro }) => posted_after_micro >= 0)).toBe(true);
  });
});

describe("limits of a key hold for calls at once", () => {
  test("a budget", async () => {
    const key = await scene.newKey({ credit: "10", budget: { amount: CREDIT_FOR_TEN, window: "day" } });
    const tally = await callAtOnce(100, [key]);
    expect({ answered: tally.answered, refused: refusals(tally, 402) }).toEqual({ answered: 10, refused: 90 });
    expect(await scene.wallet(key)).toMatchObject({ balance_micro: 9_990_000, uncollected_micro: 0 });
  });

  test("requests per minute", async () => {
    const rpm = 10;
    const key = await scene.newKey({ rpm });
    const started_ms = performance.now();
    const tally = await callAtOnce(100, [key]);
    // The limit refills all the time, so on a machine that stalls meanwhile, more than ten requests may pass.
    const refilled = Math.floor(((performance.now() - started_ms) * rpm) / 60_000);
    expect(tally.answered).toBeGreaterThanOrEqual(rpm);
    expect(tally.answered).toBeLessThanOrEqual(rpm + refilled);
    expect(tally.answered + refusals(tally, 429)).toBe(100);
    expect(await scene.wallet(key)).toMatchObject({
      balance_micro: 10_000_000 - tally.answered * PRICE_OF_ONE_MICRO,
      uncollected_micro: 0,
    });
  });

  test("requests in flight, until one of them has ended", async () => {
    const concurrent = 5;
    const key = await scene.newKey({ concurrent });
    const [chat] = STYLES as [Style];
    const opened = await Promise.all(Array.from({ length: 30 }, () => scene.stream(chat, key, STALLS)));
    const running = opened.filter(({ status }) => status === 200);
    const refused = opened.filter(({ status }) => status === 429);
    expect({ running: running.length, refused: refused.length }).toEqual({ running: concurrent, refused: 25 });
    for (const stream of refused) {
      expect(stream.response.headers.get("retry-after")).not.toBeNull();
      await stream.finish();
      expect(stream.received).toContain("rate_limit_exceeded");
    }

    const [first, ...rest] = running;
    await first?.until(({ text }) => text !== "");
    first?.leave();
    await scene.ended(first?.request_id ?? "");
    const next = await scene.stream(chat, key, STALLS);
    expect(next.status).toBe(200);
    for (const stream of [...rest, next]) stream.leave();
    for (const stream of [...rest, next]) await scene.ended(stream.request_id);
    expect((await scene.wallet(key)).uncollected_micro).toBe(0);
  });

  test("tokens per minute, by what a request may use at most", async () => {
    const body_bytes = JSON.stringify((STYLES[0] as Style).body(EXACT, { cap: TOKENS })).length;
    // Room for three inputs by their upper bound; unused tokens are given back when a request has ended.
    const key = await scene.newKey({ tpm: body_bytes * 3 });
    const streams = await Promise.all(
      Array.from({ length: 20 }, () => scene.stream(STYLES[0] as Style, key, STALLS, { cap: TOKENS })),
    );
    const running = streams.filter(({ status }) => status === 200);
    expect(running.length).toBeGreaterThanOrEqual(2);
    expect(running.length).toBeLessThanOrEqual(4);
    for (const stream of streams) stream.leave();
    for (const stream of running) await scene.ended(stream.request_id);
  });
});

test("the books are sound after all of it", async () => {
  expect(await scene.gateway.stop()).toBe(0);
  const { problems } = await scene.audit();
  expect(problems).toEqual([]);
});
