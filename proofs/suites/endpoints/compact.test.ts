import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { endedReceipt } from "../../support/receipts.ts";
import { type FiveVendors, PROTOCOLS, startFiveVendors } from "../clients/five-vendors.ts";

/** `POST /v1/responses/compact` and `/v1/responses/input_tokens` (docs/api.md 4.13, docs/rulings.md 212), by every protocol of vendors. */

let five: FiveVendors;
let openai: OpenAI;

beforeAll(async () => {
  five = await startFiveVendors();
  openai = new OpenAI({ apiKey: five.key, baseURL: `${five.gateway.url}/v1`, maxRetries: 0 });
});
afterAll(() => five[Symbol.asyncDispose]());

const INPUT: OpenAI.Responses.ResponseInputItem[] = [
  { role: "user", content: "Count the tides." },
  { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
  { type: "function_call_output", call_id: "call_1", output: "42 tides" },
  { role: "assistant", content: "42." },
  { role: "user", content: [{ type: "input_text", text: "And the waves?" }] },
];

const vendorSaw = () => JSON.stringify(five.simulator.log.last?.body);

async function post(path: string, body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(`${five.gateway.url}/v1/responses/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${five.key}`, ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

function errorOf(text: string): { code: string; param: string | null } {
  return (JSON.parse(text) as { error: { code: string; param: string | null } }).error;
}

describe.each(PROTOCOLS)("by %s", (vendor) => {
  test("a conversation becomes what its user said and one item, which goes on in its place", async () => {
    const model = `${vendor}/echo`;
    const { data: compacted, response } = await openai.responses.compact({ model, input: INPUT }).withResponse();
    expect(compacted).toMatchObject({ object: "response.compaction", id: expect.stringMatching(/^resp_/) });
    expect(vendorSaw()).toContain("42 tides");
    const { output } = compacted;
    expect(output.map(({ type }) => type)).toEqual(["message", "message", "compaction"]);
    expect(output[0]).toMatchObject({ role: "user", content: [{ type: "input_text", text: "Count the tides." }] });
    expect(output[1]).toMatchObject({ role: "user", content: [{ type: "input_text", text: "And the waves?" }] });
    const receipt = await endedReceipt(five.gateway, five.key, response.headers.get("x-camino-request-id") ?? "");
    expect(receipt).toMatchObject({ endpoint: "responses.compact", status: "settled", estimated: false });
    const { usage } = compacted as unknown as { usage: { input_tokens: number; cost: number } };
    expect(usage.input_tokens).toBeGreaterThan(10);
    expect(usage.cost).toBe(receipt.charge_micro / 1e6);

    const input = [...output, { role: "user", content: "Go on." }] as OpenAI.Responses.ResponseInput;
    const next = await openai.responses.create({ model, input, store: false });
    expect(next.output_text).toContain("Go on.");
    const again = await openai.responses.compact({ model, input });
    expect(again.output.map(({ type }) => type)).toEqual(["message", "message", "message", "compaction"]);
  });

  test("a stored response is compacted by its id", async () => {
    const model = `${vendor}/echo`;
    const first = await openai.responses.create({ model, input: "Remember the lighthouse." });
    const { output } = await openai.responses.compact({ model, previous_response_id: first.id });
    expect(vendorSaw()).toContain("lighthouse");
    expect(output.map(({ type }) => type)).toEqual(["message", "compaction"]);
  });

  test("input tokens are counted, free of charge", async () => {
    const count = await openai.responses.inputTokens.count({ model: `${vendor}/echo`, input: INPUT });
    expect(count.object).toBe("response.input_tokens");
    expect(count.input_tokens).toBeGreaterThan(5);
    expect("estimated" in count).toBe(vendor !== "responses");
  });
});

test.each([true, false])("a trigger's answer shows its cost, too (stream: %p)", async (stream) => {
  const input = [...INPUT, { type: "compaction_trigger" }];
  const answer = await fetch(`${five.gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${five.key}` },
    body: JSON.stringify({ model: "gemini/echo", input, stream, store: false }),
  });
  expect(await answer.text()).toMatch(/"cost":0\.\d+/);
});

test("a repeat is answered from what was kept", async () => {
  const headers = { "idempotency-key": crypto.randomUUID() };
  const body = { model: "gemini/echo", input: INPUT };
  const first = await post("compact", body, headers);
  const again = await post("compact", body, headers);
  expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
});

test("a text is a user's message, and a stream is not begun", async () => {
  const { status, headers, text } = await post("compact", { model: "messages/echo", input: "Hello", stream: true });
  expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
  expect((JSON.parse(text) as { output: { type: string }[] }).output.map(({ type }) => type)).toEqual([
    "message",
    "compaction",
  ]);
});

test("a large conversation is read in another thread, and answered the same way", async () => {
  const long = { role: "user", content: "waves ".repeat(120_000) };
  const { status, text } = await post("compact", { model: "chat-completions/echo", input: [long, ...INPUT] });
  expect(status).toBe(200);
  expect((JSON.parse(text) as { output: unknown[] }).output).toHaveLength(4);
  const counted = await post("input_tokens", { model: "responses/echo", input: [long] });
  expect((JSON.parse(counted.text) as { input_tokens: number }).input_tokens).toBeGreaterThan(100_000);
});

test.each([
  ["compact", { model: "chat-completions/echo", input: 5 }, "invalid_responses_input", "input"],
  [
    "compact",
    { model: "chat-completions/echo", previous_response_id: "resp_gone" },
    "previous_response_not_found",
    "previous_response_id",
  ],
  ["compact", { model: "nobody/none", input: "x" }, "model_not_found", "model"],
  ["input_tokens", { model: "chat-completions/echo", input: 5 }, "invalid_responses_input", "input"],
  [
    "input_tokens",
    { model: "chat-completions/echo", previous_response_id: "resp_gone" },
    "previous_response_not_found",
    "previous_response_id",
  ],
])("%s of %p is refused", async (path, body, code, param) => {
  expect(errorOf((await post(path, body)).text)).toMatchObject({ code, param });
});
