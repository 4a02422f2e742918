import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Addresses, freshPlaces, problemsIn } from "../../../support/cells.ts";
import type { TestKey } from "../../../support/gateway.ts";
import { eventually, type Scene, startScene, type Wallet } from "./scene.ts";
import { chat, STYLES, type Style } from "./styles.ts";

/** Two gateways on PostgreSQL share money and limits as a single gateway does. */

const EXACT = "acme/exact";
const TOKENS = 20;
const PRICE_OF_ONE_MICRO = 1000;
const SHARED = { CAMINO_SECRET: "a secret that both have, of no value", CAMINO_ADMIN_TOKEN: "admin-token-of-both" };

let first: Scene;
let second: Scene;

let places: Addresses;

interface Tally {
  readonly ids: string[];
  readonly statuses: Record<number, number>;
}

/** Makes `count` calls at once, in turn at each gateway, in every style, streamed and not. */
async function callBoth(count: number, key: TestKey): Promise<Tally> {
  const tally: Tally = { ids: [], statuses: {} };
  const calls = Array.from({ length: count }, async (_, index) => {
    const style = STYLES[index % STYLES.length] as Style;
    const scene = index % 2 === 0 ? first : second;
    const response = await scene.call(style, key, EXACT, { stream: index % 4 < 2, cap: TOKENS });
    await response.text();
    tally.statuses[response.status] = (tally.statuses[response.status] ?? 0) + 1;
    if (response.status === 200) tally.ids.push(response.headers.get("x-camino-request-id") ?? "");
  });
  await Promise.all(calls);
  return tally;
}

/** `cells`: of a directory and two cells accounts live in the cells alone, and the second gateway has several processes. */
export function describeTwoGateways(kind: "postgres" | "cells"): void {
  describe(`two gateways on ${kind}`, () => {
    beforeAll(async () => {
      places = await freshPlaces(kind);
      const options = {
        models: {
          [EXACT]: { upstream_model: "long", max_completion_tokens: TOKENS, price: { input: "0", output: "50.00" } },
          "chatty/echo": {},
          "acme/stalls": { upstream_model: "long@tokens=20&fault=stall-mid&after=4" },
        },
        vendors: { chatty: { protocol: ["chat-completions"] } },
        database: places.database_url,
        env: { ...SHARED, ...places.cells_env },
      };
      const several = { ...options, env: { ...options.env, CAMINO_WORKERS: "2" } };
      [first, second] = await Promise.all([startScene(options), startScene(kind === "cells" ? several : options)]);
    }, 60_000);

    afterAll(async () => {
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
    });

    sharedLimitTests();
    changeTests();
    repeatTests();
    conversationTests();
    deathTests();
  });
}

function sharedLimitTests(): void {
  test("a wallet that can pay for ten of 500 calls at once pays for ten", async () => {
    const key = await first.newKey({ credit: "0.01" });
    const watched: Wallet[] = [];
    const running = { over: false };
    const watching = (async () => {
      while (!running.over) watched.push(await second.wallet(key));
    })();
    const tally = await callBoth(500, key);
    running.over = true;
    await watching;

    expect(tally.statuses).toEqual({ 200: 10, 402: 490 });
    expect(watched.every(({ balance_micro }) => balance_micro >= 0)).toBe(true);
    for (const scene of [first, second])
      expect(await scene.wallet(key)).toMatchObject({ balance_micro: 0, uncollected_micro: 0 });
    const charges = (await second.entries(key)).filter(({ kind }) => kind === "charge");
    expect(charges.map(({ request }) => request).sort()).toEqual([...tally.ids].sort());
    expect(charges.every(({ amount_micro }) => amount_micro === -PRICE_OF_ONE_MICRO)).toBe(true);
  });

  test("a budget is shared by both", async () => {
    const key = await first.newKey({ credit: "10", budget: { amount: "0.01", window: "day" } });
    expect((await callBoth(100, key)).statuses).toEqual({ 200: 10, 402: 90 });
  });

  test("requests in flight are counted at both", async () => {
    const key = await second.newKey({ concurrent: 4 });
    const opened = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? first : second).stream(chat, key, "acme/stalls")),
    );
    const running = opened.filter(({ status }) => status === 200);
    expect([running.length, opened.filter(({ status }) => status === 429).length]).toEqual([4, 8]);
    await Promise.all(running.map((stream) => stream.until(({ text }) => text !== "")));
    for (const stream of opened) stream.leave();
    await Promise.all(running.map(({ request_id }) => first.ended(request_id)));
  });

  test("requests that one refuses are taken from the rate at both", async () => {
    const key = await first.newKey({ rpm: 3 });
    const authorization = `Bearer ${key.key}`;
    for (const body of ["{", "[]", "nonsense"]) {
      const asked = { method: "POST", headers: { authorization }, body };
      expect((await fetch(first.gateway.url + chat.path("acme/echo"), asked)).status).toBe(400);
    }
    await eventually("three refusals in the books", async () => {
      const usage = await fetch(`${second.gateway.url}/v1/usage`, { headers: { authorization } });
      const { daily } = (await usage.json()) as { daily: { request_count: number } };
      return daily.request_count === 3 ? true : null;
    });
    expect((await second.call(chat, key, EXACT)).status).toBe(429);
  });
}

function changeTests(): void {
  describe("a change at one gateway holds at the other at once:", () => {
    test("a key that is revoked", async () => {
      const key = await first.newKey();
      for (const scene of [first, second]) expect((await scene.call(chat, key, EXACT)).status).toBe(200);
      await first.gateway.admin("POST", `/keys/${key.id}/revoke`);
      for (const scene of [second, first]) expect((await scene.call(chat, key, EXACT)).status).toBe(401);
    });

    test("an account that is disabled", async () => {
      const key = await first.newKey();
      expect((await second.call(chat, key, EXACT)).status).toBe(200);
      await first.gateway.admin("POST", `/accounts/${key.account}/disable`);
      expect((await second.call(chat, key, EXACT)).status).toBe(401);
    });

    test("credit", async () => {
      const key = await first.newKey({ credit: "0.000001" });
      expect((await second.call(chat, key, EXACT)).status).toBe(402);
      await first.gateway.admin("POST", `/accounts/${key.account}/credits`, { amount: "1" });
      expect((await second.call(chat, key, EXACT)).status).toBe(200);
    });
  });
}

function repeatTests(): void {
  test("an answer of one gateway is replayed by the other", async () => {
    const key = await first.newKey();
    const headers = { "idempotency-key": "told by the other" };
    const given = await (await first.call(chat, key, EXACT, { stream: true, headers })).text();
    const replayed = await second.call(chat, key, EXACT, { stream: true, headers });
    expect([replayed.headers.get("idempotent-replayed"), await replayed.text()]).toEqual(["true", given]);
  });

  test("of requests with one idempotency key at both gateways at once, only one runs", async () => {
    const key = await first.newKey();
    const headers = { "idempotency-key": "at both at once" };
    const told = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 === 0 ? first : second).call(chat, key, EXACT, { headers, cap: TOKENS }),
      ),
    );
    await Promise.all(told.map((response) => response.arrayBuffer()));
    expect(told.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const anew = told.filter(
      (response) => response.status === 200 && response.headers.get("idempotent-replayed") === null,
    );
    expect(anew).toHaveLength(1);
    expect((await first.wallet(key)).balance_micro).toBe(10_000_000 - PRICE_OF_ONE_MICRO);
  });
}

function conversationTests(): void {
  test("a conversation goes on at each in turn, and a response that one deletes is gone at the other", async () => {
    const key = await first.newKey();
    const headers = { authorization: `Bearer ${key.key}`, "content-type": "application/json" };
    const ask = async ({ gateway }: Scene, body: object) => {
      const sent = JSON.stringify({ model: "chatty/echo", ...body });
      const response = await fetch(`${gateway.url}/v1/responses`, { method: "POST", headers, body: sent });
      const answer = (await response.json()) as { id: string; error?: { code: string } };
      return { ...answer, status: response.status };
    };
    const look = async ({ gateway }: Scene, id: string, method = "GET") =>
      (await fetch(`${gateway.url}/v1/responses/${id}`, { method, headers })).status;
    let previous_response_id: string | null = null;
    const turns: string[] = [];
    for (const [at, scene] of [first, second, first, second].entries()) {
      const body = { input: `turn ${at}`, previous_response_id };
      const { id } = await eventually(`turn ${at}`, async () => {
        // For a moment, the other node does not have the turn before.
        const answer = await ask(scene, body);
        return answer.status === 200 ? answer : null;
      });
      previous_response_id = id;
      turns.push(id);
    }
    const [begun = "", , , last = ""] = turns;
    await eventually("the last turn at the first", async () => ((await look(first, last)) === 200 ? true : null));
    const other = second.simulator.log.requests.at(-1)?.body as { messages: unknown[] };
    expect(other.messages).toHaveLength(7);
    expect(await look(second, begun, "DELETE")).toBe(200);
    expect(await look(first, begun)).toBe(404);
    expect((await ask(first, { input: "on", previous_response_id: last })).error?.code).toBe(
      "previous_response_not_found",
    );
  });
}

function deathTests(): void {
  test("when a gateway dies, the other ends the dead one's holds within half a minute", async () => {
    const key = await first.newKey();
    const left = await Promise.all(Array.from({ length: 5 }, () => first.stream(chat, key, "acme/stalls")));
    await Promise.all(left.map((stream) => stream.until(({ text }) => text !== "")));
    const kept = await second.stream(chat, key, "acme/stalls");
    await kept.until(({ text }) => text !== "");
    await first.gateway.stop("SIGKILL");
    await Promise.all(left.map((stream) => stream.finish()));

    const statusOf = async (id: string) =>
      (await second.gateway.admin<{ status: string }>("GET", `/requests/${id}`)).status;
    const probe = async () =>
      (await Promise.all(left.map(({ request_id }) => statusOf(request_id)))).includes("held") ? null : true;
    // The probe runs rarely: the wait takes some twenty seconds, in which other suites need the cores.
    await eventually("the end of what the dead gateway held", probe, 30_000, 250);
    // The holds of the living gateway stay.
    expect(await statusOf(kept.request_id)).toBe("held");
    kept.leave();
    await second.ended(kept.request_id);
    expect((await second.wallet(key)).uncollected_micro).toBe(0);

    expect(await second.gateway.stop()).toBe(0);
    expect(await problemsIn(places)).toEqual([]);
  }, 60_000);
}
