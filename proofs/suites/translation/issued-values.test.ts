import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { dataFrames, namedFrames } from "../failures/support/scripted-vendor.ts";

/**
 * What a vendor signed or encrypted goes back to it byte for byte, and to nobody else (docs/rulings.md 192): in every style, whole and
 * streamed, in relay and in translation.
 */

type Json = Record<string, unknown>;

const SIGNED = "SIGNED-BY-THE-FIRST";
const USAGE = { input_tokens: 5, output_tokens: 5 };
const call = { type: "tool_use", id: "toolu_1", name: "f", input: { a: 1 } };
const message = (content: readonly object[]): Json => ({
  ...{ id: "m", type: "message", role: "assistant", model: "m", content },
  ...{ stop_reason: "tool_use", stop_sequence: null, usage: USAGE },
});
const reasoning = { type: "reasoning", id: "rs_x", summary: [], encrypted_content: SIGNED };
const item = { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: "{}", status: "completed" };
const response = (status: string, output: readonly object[]): Json => ({
  ...{ id: "resp_1", object: "response", created_at: 1, status, model: "m", output },
  ...(status === "completed" && { usage: { ...USAGE, total_tokens: 10 } }),
});
const candidates = {
  candidates: [
    {
      ...{ index: 0, finishReason: "STOP" },
      content: {
        role: "model",
        parts: [{ functionCall: { id: "fc1", name: "f", args: {} }, thoughtSignature: SIGNED }],
      },
    },
  ],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 },
};

function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/chat-completions/${name}`, import.meta.url), "utf8");
}

/** The answers of each protocol: whole, and as a stream. */
const ANSWERS: Readonly<Record<string, readonly [whole: Json, stream: string]>> = {
  messages: [
    message([{ type: "thinking", thinking: "t", signature: SIGNED }, call]),
    namedFrames(
      { type: "message_start", ...{ message: { ...message([]), stop_reason: null } } },
      {
        type: "content_block_start",
        ...{ index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      },
      { type: "content_block_delta", ...{ index: 0, delta: { type: "thinking_delta", thinking: "t" } } },
      { type: "content_block_delta", ...{ index: 0, delta: { type: "signature_delta", signature: SIGNED } } },
      { type: "content_block_stop", ...{ index: 0 } },
      { type: "content_block_start", ...{ index: 1, content_block: { ...call, input: {} } } },
      { type: "content_block_delta", ...{ index: 1, delta: { type: "input_json_delta", partial_json: '{"a":1}' } } },
      { type: "content_block_stop", ...{ index: 1 } },
      { type: "message_delta", ...{ delta: { stop_reason: "tool_use", stop_sequence: null }, usage: USAGE } },
      { type: "message_stop" },
    ),
  ],
  responses: [
    response("completed", [reasoning, item]),
    namedFrames(
      { type: "response.created", ...{ sequence_number: 0, response: response("in_progress", []) } },
      { type: "response.output_item.added", ...{ sequence_number: 1, output_index: 0, item: reasoning } },
      { type: "response.output_item.done", ...{ sequence_number: 2, output_index: 0, item: reasoning } },
      {
        type: "response.output_item.added",
        ...{ sequence_number: 3, output_index: 1, item: { ...item, arguments: "" } },
      },
      {
        type: "response.function_call_arguments.done",
        ...{ sequence_number: 4, output_index: 1, item_id: "fc_1", arguments: "{}" },
      },
      { type: "response.output_item.done", ...{ sequence_number: 5, output_index: 1, item } },
      { type: "response.completed", ...{ sequence_number: 6, response: response("completed", [reasoning, item]) } },
    ),
  ],
  gemini: [candidates, dataFrames(candidates)],
  "chat-completions": [JSON.parse(fixture("openrouter-sealed.json")) as Json, fixture("openrouter-sealed.sse")],
};

const VENDORS: Readonly<Record<string, string>> = {
  google: "gemini",
  vertex: "gemini",
  anthropic: "messages",
  deepseek: "messages",
  minimax: "messages",
  mine: "messages",
  openai: "responses",
  xai: "responses",
  yours: "responses",
  openrouter: "chat-completions",
  theirs: "chat-completions",
};
/** What OpenRouter passes on is marked with the format of OpenAI's, and is not OpenAI's. */
const ALIKE = ["openrouter", "openai"];
/** Vendors of the operator's own, and whose values they give. */
const SHARED: Readonly<Record<string, string>> = { frontdesk: "anthropic", backdesk: "openai", sidedesk: "google" };
const PAIRS = Object.entries(VENDORS).flatMap(([from, protocol]) =>
  Object.keys(VENDORS)
    .filter((to) => to !== from && (VENDORS[to] === protocol || (ALIKE.includes(from) && ALIKE.includes(to))))
    .map((to) => ({ from, to })),
);

const protocolOf = (vendor: string): string => VENDORS[vendor] ?? VENDORS[SHARED[vendor] ?? ""] ?? "";

/** What each vendor was asked last. */
const asked = new Map<string, string>();
const server = Bun.serve({
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    const [, vendor = ""] = pathname.split("/");
    const body = await request.text();
    asked.set(vendor, body);
    const [whole, stream] = ANSWERS[protocolOf(vendor)] ?? [{}, ""];
    const streams = pathname.includes("stream") || (JSON.parse(body) as Json).stream === true;
    return streams ? new Response(stream, { headers: { "content-type": "text/event-stream" } }) : Response.json(whole);
  },
});

let gateway: Gateway;
let key: TestKey;

beforeAll(async () => {
  const ids = [...Object.keys(VENDORS), ...Object.keys(SHARED)];
  const vendors = Object.fromEntries(
    ids.map((id) => [
      id,
      {
        ...{ protocol: protocolOf(id), base_url: `http://127.0.0.1:${server.port}/${id}`, api_key: "k" },
        ...(SHARED[id] !== undefined && { issuer: SHARED[id] }),
      },
    ]),
  );
  const models = Object.fromEntries(
    ids.map((id) => [
      `${id}/m`,
      {
        price: { input: "1", output: "2" },
        upstream_model: "m",
        capabilities: { reasoning: { effort: ["low", "high"] } },
      },
    ]),
  );
  gateway = await startGateway({ config: JSON.stringify({ catalog: "none", vendors, models }) });
  key = await gateway.newKey({ credit: "1000" });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await server.stop(true);
});

/** Two turns of a conversation, by a client that sends back what it got. */
type Conversation = (first: string, second: string) => Promise<void>;

const parameters = { type: "object" } as const;

async function post(path: string, body: Json): Promise<Json> {
  const answer = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "anthropic-version": "2023-06-01" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Json;
}

function idOf(called: object | undefined): string {
  return called !== undefined && "call_id" in called ? String(called.call_id) : "";
}

const CLIENTS: Readonly<Record<string, Conversation>> = {
  "chat.completions": async (first, second) => {
    const tools = [{ type: "function", function: { name: "f", parameters } }];
    const messages: object[] = [{ role: "user", content: "hi" }];
    const answer = await post("/v1/chat/completions", { model: first, messages, tools });
    const [{ message: said }] = answer.choices as [{ message: { tool_calls: [{ id: string }] } }];
    const result = { role: "tool", tool_call_id: said.tool_calls[0].id, content: "ok" };
    await post("/v1/chat/completions", { model: second, messages: [...messages, said, result], tools });
  },
  "chat.completions, streamed": async (first, second) => {
    const tools = [{ type: "function" as const, function: { name: "f", parameters } }];
    const client = new OpenAI({ apiKey: key.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "hi" }];
    const details: unknown[] = [];
    const calls: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall[] = [];
    for await (const { choices } of await client.chat.completions.create({
      model: first,
      messages,
      tools,
      stream: true,
    })) {
      const delta: Json & OpenAI.ChatCompletionChunk.Choice.Delta = { ...choices[0]?.delta };
      if (Array.isArray(delta.reasoning_details)) details.push(...delta.reasoning_details);
      // Each scripted call begins with all that the client needs of it.
      calls.push(...(delta.tool_calls ?? []).filter(({ id }) => id !== undefined));
    }
    const said = {
      role: "assistant" as const,
      reasoning_details: details,
      tool_calls: calls.map(({ index: _, ...call }) => ({ ...call, function: { name: "f", arguments: "{}" } })),
    };
    const result = { role: "tool", tool_call_id: calls[0]?.id, content: "ok" };
    await post("/v1/chat/completions", { model: second, messages: [...messages, said, result], tools });
  },
  ...Object.fromEntries(
    [false, true].map((streams): [string, Conversation] => [
      `messages, ${streams ? "streamed" : "whole"}`,
      async (first, second) => {
        const client = new Anthropic({ apiKey: key.key, baseURL: gateway.url, maxRetries: 0 });
        const tools = [{ name: "f", input_schema: parameters }];
        const messages: Anthropic.MessageParam[] = [{ role: "user", content: "hi" }];
        const thinking = { type: "enabled", budget_tokens: 1024 } as const;
        const body = { model: first, max_tokens: 3000, messages, tools, thinking };
        const said = await (streams ? client.messages.stream(body).finalMessage() : client.messages.create(body));
        const id = said.content.find((block) => block.type === "tool_use")?.id ?? "";
        messages.push({ role: "assistant", content: said.content });
        messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] });
        await client.messages.create({ ...body, model: second, messages });
      },
    ]),
  ),
  ...Object.fromEntries(
    [false, true].map((streams): [string, Conversation] => [
      `responses, ${streams ? "streamed" : "whole"}`,
      async (first, second) => {
        const client = new OpenAI({ apiKey: key.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
        const tools = [{ type: "function" as const, name: "f", parameters, strict: false }];
        const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "hi" }];
        const body = { model: first, input, tools, store: false };
        const said = await (streams ? client.responses.stream(body).finalResponse() : client.responses.create(body));
        const called = said.output.find((one) => one.type === "function_call");
        const result = { type: "function_call_output" as const, call_id: idOf(called), output: "ok" };
        await client.responses.create({
          ...body,
          model: second,
          input: [...input, ...(said.output as OpenAI.Responses.ResponseInput), result],
        });
      },
    ]),
  ),
};

describe.each(Object.keys(CLIENTS))("a client of %s", (client) => {
  const converse = CLIENTS[client] as Conversation;

  test.each(Object.keys(VENDORS))("gives back to %s what it signed", async (vendor) => {
    await converse(`${vendor}/m`, `${vendor}/m`);
    // A vendor of chat that nothing says about takes no reasoning back in translation, and all that it said in relay.
    if (vendor !== "theirs" || client.startsWith("chat")) expect(asked.get(vendor)).toContain(`"${SIGNED}"`);
    expect(asked.get(vendor)).not.toContain("camino:");
  });

  test.each(Object.entries(SHARED))("gives %s, which gives the values of %s, the same values", async (own, issuer) => {
    for (const [from, to] of [
      [own, issuer],
      [issuer, own],
    ] as const) {
      await converse(`${from}/m`, `${to}/m`);
      expect(asked.get(to)).toContain(`"${SIGNED}"`);
    }
  });

  test.each(PAIRS)("shows what $from signed not to $to", async ({ from, to }) => {
    await converse(`${from}/m`, `${to}/m`);
    expect(asked.get(to)).not.toContain(SIGNED);
    expect(asked.get(to)).not.toContain("camino:");
  });
});
