import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { bytesOf } from "../../../src/core/answer/sent-body.ts";
import type { Protocol } from "../../../src/core/endpoints.ts";
import { NO_USAGE } from "../../../src/core/money/usage.ts";
import { adapterBetween, clientProtocols } from "../../../src/main/protocols.ts";
import { targetFor } from "../../support/target.ts";

/** Conversations in chat's form before `tools`, which their programs go on with (docs/rulings.md 52), over real HTTP. */

const VENDORS = ["chat-completions", "responses", "messages", "gemini", "bedrock-converse"] as const;
const HEADERS = { get: () => null };
const USER = { role: "user", content: "The tides in Lima and Rome?" };

function called(name: string, text: string) {
  return { role: "assistant", content: null, function_call: { name, arguments: text } };
}

/** Two calls of one function, and one of another. */
const MESSAGES = [
  USER,
  called("tides", '{"place":"Lima"}'),
  { role: "function", name: "tides", content: "high in Lima" },
  called("tides", '{"place":"Rome"}'),
  { role: "function", name: "tides", content: "low in Rome" },
  called("clock", "{}"),
  { role: "function", name: "clock", content: "noon" },
  { role: "user", content: "So?" },
];

/** A result of nothing, which the API has for functions alone. */
const NOTHING = [USER, called("clock", "{}"), { role: "function", name: "clock", content: null }, USER];

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

function prepared(vendor: Protocol, body: object) {
  const client = clientProtocols["chat.completions"];
  const request = client.readRequest(JSON.stringify({ model: "acme/swift", messages: MESSAGES, ...body }), HEADERS);
  const exchange = adapterBetween("chat-completions", vendor)?.prepare(
    request,
    targetFor(vendor, { upstream_model: "echo" }),
    HEADERS,
  );
  if (exchange === undefined) throw new Error(`no way to ${vendor}`);
  return exchange;
}

async function ask(vendor: Protocol, body: object): Promise<{ readonly status: number; readonly text: string }> {
  const exchange = prepared(vendor, body);
  const headers = { "content-type": "application/json", ...exchange.headers };
  const reply = await fetch(simulator.base_url + exchange.path, { method: "POST", headers, body: exchange.body });
  const bytes = await reply.bytes();
  if (!reply.ok) return { status: reply.status, text: Buffer.from(bytes).toString() };
  if (!("stream" in body)) return { status: 200, text: bytesOf(exchange.readWhole(bytes).body).toString() };
  const stream = exchange.openStream();
  const frames = [stream.push(bytes), stream.end(), stream.finish(stream.usage ?? NO_USAGE)];
  return { status: 200, text: Buffer.concat(frames).toString() };
}

describe.each(VENDORS)("a conversation with function calls of the old form, at a vendor of %s", (vendor) => {
  test.each([{}, { stream: true }])("is answered: %j", async (body) => {
    const { status, text } = await ask(vendor, body);
    expect([status, text]).toEqual([200, expect.stringContaining("Simulated")]);
  });

  test("gives each result to the nearest call of its function", () => {
    const { body, ignored } = prepared(vendor, {});
    expect(ignored).toEqual([]);
    if (vendor === "chat-completions") expect(JSON.parse(body).messages).toEqual(MESSAGES);
    else expect(body).not.toMatch(/"role":"function"|"function_call":/);
    const results = ["high in Lima", "low in Rome"].map((part) => body.indexOf(part));
    expect([results[0] === -1, results[1] === -1, (results[0] ?? 0) < (results[1] ?? 0)]).toEqual([false, false, true]);
  });

  // OpenRouter's official SDK demands the member of whole answers, and takes no null for it in chunks.
  test("has a fingerprint where it is whole, and none that is null where it is streamed", async () => {
    const whole = JSON.parse((await ask(vendor, {})).text);
    const fingerprint = vendor === "chat-completions" ? expect.any(String) : null;
    expect(whole).toHaveProperty("system_fingerprint", fingerprint);
    const chunks = (await ask(vendor, { stream: true })).text.split("\n\n").flatMap(dataOf);
    expect(chunks.length).toBeGreaterThan(0);
    for (const chunk of chunks) expect(chunk).not.toHaveProperty("system_fingerprint", null);
  });
});

function dataOf(frame: string): unknown[] {
  return frame.startsWith("data: {") ? [JSON.parse(frame.slice(6))] : [];
}

test("a result of null is relayed as it came, and is empty elsewhere", async () => {
  const body = { messages: NOTHING };
  expect(JSON.parse(prepared("chat-completions", body).body).messages).toEqual(NOTHING);
  expect((await ask("chat-completions", body)).status).toBe(200);
  expect(JSON.parse(prepared("responses", body).body).input).toContainEqual({
    type: "function_call_output",
    call_id: "function_call_1",
    output: "",
  });
});

test("a translated call and its result have one id, and no two calls have the same", () => {
  const { messages } = JSON.parse(prepared("messages", {}).body) as {
    messages: { content: { type: string; id?: string; tool_use_id?: string }[] | string }[];
  };
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const calls = blocks.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
  const results = blocks.flatMap(({ type, tool_use_id }) => (type === "tool_result" ? [tool_use_id] : []));
  expect(calls).toHaveLength(3);
  expect(new Set(calls).size).toBe(3);
  expect(results).toEqual(calls);
});
