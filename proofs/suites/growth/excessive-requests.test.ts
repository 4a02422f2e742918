import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TestKey } from "../../support/gateway.ts";
import { type SimulatedGateway, startSimulatedGateway } from "../../support/simulated-gateway.ts";

/** Requests beyond the bounds of their shape (docs/rulings.md 140), against a running gateway: a 400, and nothing else. */

let simulated: SimulatedGateway;
let key: TestKey;

beforeAll(async () => {
  simulated = await startSimulatedGateway({ models: { "acme/echo": {}, "chatty/echo": {}, "wordy/echo": {} } });
  key = await simulated.gateway.newKey({ credit: "10" });
});
afterAll(async () => {
  await simulated[Symbol.asyncDispose]();
});

const DEEP = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
const BODIES: Readonly<Record<string, object>> = {
  "/v1/chat/completions": { messages: [{ role: "user", content: "Hi" }] },
  "/v1/responses": { input: "Hi" },
  "/v1/messages": { max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
  "/v1/messages/count_tokens": { messages: [{ role: "user", content: "Hi" }] },
  "/v1/decisions": { input: "Hi", questions: [{ type: "predicate", instructions: "Is it?" }] },
  "/v1/systemone": { state: "Hi", questions: { a: { type: "noul", instructions: "Is it?" } } },
};

async function send(path: string, body: string): Promise<{ readonly status: number; readonly message: string }> {
  const headers = {
    authorization: `Bearer ${key.key}`,
    "content-type": "application/json",
    "anthropic-version": "2023-06-01",
  };
  const answer = await fetch(simulated.gateway.url + path, { method: "POST", headers, body });
  const { error } = (await answer.json()) as { error: { message: string } };
  return { status: answer.status, message: error.message };
}

async function moneyLeft(): Promise<unknown> {
  const headers = { authorization: `Bearer ${key.key}` };
  return await (await fetch(`${simulated.gateway.url}/v1/credits`, { headers })).json();
}

describe.each(Object.entries(BODIES))("%s", (path, body) => {
  test("refuses 200,000 levels in members that it knows and in others, relayed and translated", async () => {
    const money = await moneyLeft();
    const asked = simulated.simulator.log.requests.length;
    for (const model of ["acme/echo", "chatty/echo", "wordy/echo"]) {
      for (const member of ["metadata", "unknown", "漢"]) {
        const text = JSON.stringify({ model, stream: true, ...body, [member]: "@" }).replace('"@"', DEEP);
        const { status, message } = await send(path, text);
        expect(message).toContain("nested 200001 levels deep, counted from the body; allowed: at most 512 levels");
        expect(status).toBe(400);
      }
    }
    expect(await moneyLeft()).toEqual(money);
    expect(simulated.simulator.log.requests.length).toBe(asked);
  });
});

test("many small things that stand for large work are refused, and the gateway goes on", async () => {
  const calls = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      id: `c${at}`,
      type: "function",
      function: { name: "f", arguments: "" },
    }));
  const result = (at: number) => ({ role: "tool", tool_call_id: `c${at}`, content: "ok" });
  const many = (count: number, of: number) => [
    { role: "assistant", tool_calls: calls(of) },
    ...Array.from({ length: count }, (_, at) => result(of - 1 - (at % of))),
  ];
  const cases = [
    ["'messages' has 150001 messages; allowed: at most 100000.", { messages: many(150_000, 80_000) }],
    ["'messages' has 100001 messages; allowed: at most 100000.", { messages: Array(100_001).fill({ role: "user" }) }],
  ] as const;
  for (const [sentence, body] of cases) {
    const { status, message } = await send("/v1/chat/completions", JSON.stringify({ model: "acme/echo", ...body }));
    expect([status, message]).toEqual([400, sentence]);
  }
  const wide = `{"model":"acme/echo",${Array.from({ length: 200_000 }, (_, at) => `"m${at}":1`).join(",")}}`;
  const { status, message } = await send("/v1/chat/completions", wide);
  expect([status, message]).toEqual([
    400,
    "The body has 200001 members; allowed: at most 20000 in an object outside schemas and the arguments of tools.",
  ]);
  expect((await fetch(`${simulated.gateway.url}/healthz`)).status).toBe(200);
});

test("the console's API takes no deeper body either", async () => {
  const admin = simulated.gateway.admin("POST", "/accounts", { email: "a@example.com", notes: 1 });
  await admin.catch(() => null);
  const token = (await Bun.file(`${simulated.gateway.data}/admin-token`).text()).trim();
  const answer = await fetch(`${simulated.gateway.url}/console/api/accounts`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: `{"email":${DEEP}}`,
  });
  expect(answer.status).toBe(400);
});
