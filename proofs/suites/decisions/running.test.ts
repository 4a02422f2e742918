import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { RequestRecord } from "../../../simulator/request-log.ts";
import type { Json } from "../../support/calls.ts";
import { endedReceipt } from "../../support/receipts.ts";
import {
  CHAT_PRICE,
  DECISION_PRICE,
  type DecisionGateway,
  type DecisionGatewayOptions,
  judged,
  served,
  startDecisionGateway,
} from "./support/decision-gateway.ts";
import { QUESTIONS, SHAPES, STATE } from "./support/questions.ts";

/** Running decisions: how many calls run at once, what ends them, and how the hold ends. */

const OPTIONS: DecisionGatewayOptions = {
  judges: {
    slow: "judge@first_ms=150",
    hanging: "judge@fault=hang",
    overloaded: "judge@fault=fail-first&n=1&status=503",
    failing: "judge@fault=fail-500",
  },
  models: {
    "chat/slow-decider": judged("slow"),
    "chat/hanging-decider": judged("hanging"),
    "chat/overloaded-decider": judged("overloaded"),
    "chat/with-spare": { ...judged("failing"), price: { input: 50 }, fallbacks: ["decisions/decider"] },
    "several/judge": { price: CHAT_PRICE },
    "several/decider": { ...judged("judge"), decide_with: { engine: "logprobs", model: "several/judge" } },
    "decisions/hanging": served("decider-hang"),
    "decisions/slow": served("decider-slow"),
    "decisions/with-spare": { ...served("decider-incomplete"), fallbacks: ["chat/engine"] },
    "decisions/two-routes": {
      ...{ kind: "decision", price: DECISION_PRICE },
      routes: [
        { vendor: "away", upstream_model: "decider", weight: 1_000_000 },
        { vendor: "systemone", upstream_model: "decider" },
      ],
    },
  },
};

let decisions: DecisionGateway;

beforeAll(async () => {
  decisions = await startDecisionGateway(OPTIONS);
});

afterAll(async () => {
  await decisions[Symbol.asyncDispose]();
});

const MANY = Array.from({ length: 12 }, (_, index) => ({ ...QUESTIONS[1], name: `q${index}` }));

function ask(model: string, more: Json = {}): Json {
  return { ...SHAPES.decisions.body(model), ...more };
}

/** Watches the vendor's requests while work runs: all requests, and how many ran at once at the arrival of each. */
async function watching<Result>(work: () => Promise<Result>) {
  const seen: RequestRecord[] = [];
  const at_once: number[] = [];
  let open = 0;
  decisions.simulator.log.onRequest = (record) => {
    seen.push(record);
    open += 1;
    at_once.push(open);
    void record.ended.then(() => (open -= 1));
  };
  const result = await work();
  decisions.simulator.log.onRequest = null;
  return { result, seen, at_once };
}

describe("the engine's calls", () => {
  test("run a few at once, never more than eight, however many questions there are", async () => {
    const { result, at_once } = await watching(() =>
      decisions.caller.post("/v1/decisions", ask("chat/slow-decider", { questions: MANY })),
    );
    expect(result.status).toBe(200);
    expect(at_once).toHaveLength(12 * 3);
    expect(Math.max(...at_once)).toBe(8);
  });

  test("begin with a single call where the input is long enough for a vendor's prefix cache", async () => {
    const input = `${STATE} `.repeat(100);
    const { result, seen, at_once } = await watching(() =>
      decisions.caller.post("/v1/decisions", ask("chat/slow-decider", { input })),
    );
    expect(result.status).toBe(200);
    expect(at_once.slice(0, 2)).toEqual([1, 1]);
    expect(Math.max(...at_once)).toBe(6);
    expect(seen).toHaveLength(7);
  });

  test("are retried by the chat model's own rules, and the receipt has both attempts", async () => {
    const answer = await decisions.caller.post("/v1/decisions", ask("chat/overloaded-decider"));
    expect(answer.status).toBe(200);
    const receipt = await endedReceipt(decisions.gateway, decisions.key.key, answer.headers.get("x-request-id") ?? "");
    expect(receipt.attempts as unknown).toMatchObject([{ vendor: "chat", calls: 8, failures: 1, status: 503 }]);
  });

  test("all end with the first failed call, and nothing is charged", async () => {
    let asked = 0;
    const closed: Promise<void>[] = [];
    // The vendor never answers, except for the last of the calls that run at once, which fails.
    using vendor = Bun.serve({
      port: 0,
      fetch: (request) => {
        asked += 1;
        if (asked === 8) return Response.json({ error: { message: "out of order" } }, { status: 500 });
        const { promise, resolve } = Promise.withResolvers<Response>();
        closed.push(new Promise((left) => request.signal.addEventListener("abort", () => left())));
        request.signal.addEventListener("abort", () => resolve(new Response()));
        return promise;
      },
    });
    await using odd = await startDecisionGateway({
      odd: { base_url: `http://127.0.0.1:${vendor.port}/v1`, models: ["judge"] },
      models: { "odd/decider": { ...judged("judge"), decide_with: { engine: "logprobs", model: "odd/judge" } } },
    });
    const answer = await odd.caller.post("/v1/decisions", ask("odd/decider", { questions: MANY }));
    expect([answer.status, answer.error.code]).toEqual([502, "provider_error"]);
    await Promise.all(closed);
    expect([asked, closed.length]).toEqual([8, 7]);
    const receipt = await endedReceipt(odd.gateway, odd.key.key, answer.headers.get("x-request-id") ?? "");
    expect(receipt).toMatchObject({ status: "voided", charge_micro: 0, error: "provider_error" });
    expect(receipt.attempts as unknown).toMatchObject([
      { vendor: "odd", calls: 8, failures: 1, status: 500, error: "provider_error" },
    ]);
  });

  test("share one time limit", async () => {
    // Each call has much more time than it takes, also on a busy machine, and all of them together have too little.
    await using impatient = await startDecisionGateway({ ...OPTIONS, vendor: { timeouts: { total: "2s" } } });
    const questions = Array.from({ length: 140 }, (_, index) => ({ ...QUESTIONS[1], name: `q${index}` }));
    const body = ask("chat/slow-decider", { questions });
    const { status, error } = await impatient.caller.post("/v1/decisions", body);
    expect([status, error.code]).toEqual([502, "provider_error"]);
    expect(error.message).toContain("every question");
    expect((await impatient.caller.get("/v1/credits")).json.uncollected_micro).toBe(0);
  });
});

test("a vendor of several protocols is asked in chat completions, whichever it prefers", async () => {
  const { status } = await decisions.caller.post("/v1/decisions", ask("several/decider"));
  expect([status, decisions.simulator.log.last?.protocol]).toEqual([200, "chat-completions"]);
});

describe("a client that leaves", () => {
  test.each([
    ["chat/hanging-decider", 7],
    ["decisions/hanging", 1],
  ])("before %s has decided closes its %i calls and owes nothing, by the policy abort", async (model, calls) => {
    await using leavable = await startDecisionGateway({ ...OPTIONS, vendor: { on_disconnect: "abort" } });
    const leaving = new AbortController();
    const begun: RequestRecord[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    leavable.simulator.log.onRequest = (record) => {
      begun.push(record);
      if (begun.length === calls) resolve();
    };
    const id = `leaving-${model.replace("/", "-")}`;
    const call = fetch(`${leavable.gateway.url}/v1/decisions`, {
      method: "POST",
      headers: { authorization: `Bearer ${leavable.key.key}`, "x-request-id": id },
      body: JSON.stringify(ask(model)),
      signal: leaving.signal,
    }).catch((thrown: unknown) => thrown);
    await promise;
    leaving.abort();
    await call;
    leavable.simulator.log.onRequest = null;
    const ends = await Promise.all(begun.map(({ ended }) => ended));
    expect(ends.every(({ aborted }) => aborted)).toBe(true);
    expect(begun).toHaveLength(calls);
    const receipt = await endedReceipt(leavable.gateway, leavable.key.key, id);
    expect(receipt).toMatchObject({ status: "voided", charge_micro: 0, error: null });
  });

  test.each(["chat/slow-decider", "decisions/slow"])(
    "before %s has decided pays for the decision, which is made to its end and kept for a repeat",
    async (model) => {
      const leaving = new AbortController();
      const { promise, resolve } = Promise.withResolvers<void>();
      decisions.simulator.log.onRequest = () => resolve();
      const id = `paying-${model.replace("/", "-")}`;
      const headers = { authorization: `Bearer ${decisions.key.key}`, "x-request-id": id, "idempotency-key": id };
      const sent = { method: "POST", headers, body: JSON.stringify(ask(model)) };
      const url = `${decisions.gateway.url}/v1/decisions`;
      const call = fetch(url, { ...sent, signal: leaving.signal }).catch((thrown: unknown) => thrown);
      await promise;
      decisions.simulator.log.onRequest = null;
      leaving.abort();
      await call;
      const receipt = await endedReceipt(decisions.gateway, decisions.key.key, id);
      expect(receipt).toMatchObject({ status: "settled", error: null });
      expect(receipt.charge_micro).toBeGreaterThan(0);
      const repeat = await fetch(url, sent);
      expect([repeat.status, repeat.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
      expect(((await repeat.json()) as Json).answers).toHaveLength(QUESTIONS.length);
    },
  );
});

describe("another model", () => {
  test("decides where the engine's model cannot, and its own price is charged", async () => {
    const { status, json, headers } = await decisions.caller.post("/v1/decisions", ask("chat/with-spare"));
    expect([status, json.model]).toEqual([200, "decisions/decider"]);
    const receipt = await endedReceipt(decisions.gateway, decisions.key.key, headers.get("x-request-id") ?? "");
    const { input_tokens } = json.usage as { input_tokens: number };
    expect(receipt).toMatchObject({ status: "settled", charge_micro: input_tokens * 10 });
    expect(receipt.hold_micro).toBeGreaterThan(receipt.charge_micro);
    expect(receipt.attempts.map(({ vendor, error }) => [vendor, error])).toEqual([
      ["chat", "provider_error"],
      ["decisions", null],
    ]);
  });

  test("decides where a vendor's answer was invalid", async () => {
    const { status, json } = await decisions.caller.post(
      "/v1/systemone",
      SHAPES.systemone.body("decisions/with-spare"),
    );
    expect([status, json.model]).toEqual([200, "chat/engine"]);
  });

  test("is not needed where another route of the model answers", async () => {
    const { status, json, headers } = await decisions.caller.post("/v1/decisions", ask("decisions/two-routes"));
    expect([status, json.model]).toEqual([200, "decisions/two-routes"]);
    const receipt = await endedReceipt(decisions.gateway, decisions.key.key, headers.get("x-request-id") ?? "");
    expect(receipt.attempts.map(({ vendor }) => vendor)).toEqual(["away", "systemone"]);
  });
});

describe("the end of the gateway", () => {
  test("waits for decisions on SIGTERM: they are answered and charged, and it ends with 0", async () => {
    await using ending = await startDecisionGateway(OPTIONS);
    const { promise, resolve } = Promise.withResolvers<void>();
    ending.simulator.log.onRequest = () => resolve();
    const call = ending.caller.post("/v1/decisions", ask("chat/slow-decider"));
    await promise;
    ending.gateway.signal("SIGTERM");
    expect((await call).status).toBe(200);
    expect(await ending.gateway.exited).toBe(0);
    await using again = await ending.gateway.restart();
    const receipt = await endedReceipt(again, ending.key.key, (await call).headers.get("x-request-id") ?? "");
    expect(receipt.status).toBe("settled");
  });

  test("by kill -9 leaves no hold behind: answers that nobody got are not charged", async () => {
    await using ending = await startDecisionGateway(OPTIONS);
    const begun = Promise.withResolvers<void>();
    const models = new Set<string>();
    ending.simulator.log.onRequest = ({ model }) => {
      if (models.add(model ?? "").size === 2) begun.resolve();
    };
    const calls = ["chat/hanging-decider", "decisions/hanging"].map((model) =>
      fetch(`${ending.gateway.url}/v1/decisions`, {
        method: "POST",
        headers: { authorization: `Bearer ${ending.key.key}`, "x-request-id": model.replace("/", "-") },
        body: JSON.stringify(ask(model)),
      }).catch(() => null),
    );
    await begun.promise;
    await ending.gateway.stop("SIGKILL");
    await Promise.all(calls);
    await using again = await ending.gateway.restart();
    for (const id of ["chat-hanging-decider", "decisions-hanging"]) {
      const receipt = await endedReceipt(again, ending.key.key, id);
      expect(receipt).toMatchObject({ status: "voided", charge_micro: 0, error: "internal_error" });
    }
    const credits = await fetch(`${again.url}/v1/credits`, { headers: { authorization: `Bearer ${ending.key.key}` } });
    expect(await credits.json()).toMatchObject({ balance_micro: 10_000_000, uncollected_micro: 0 });
  });
});
