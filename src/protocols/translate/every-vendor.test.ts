import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { checkChatStream } from "../../../proofs/grammars/chat-completions/stream-grammar.ts";
import { targetFor } from "../../../proofs/support/target.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import type { VendorCodec } from "../../core/answer/codec.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { bedrockConverse } from "../bedrock-converse/codec.ts";
import { chatCompletions } from "../chat-completions/client.ts";
import { chatClientCodec, chatVendorCodec } from "../chat-completions/codec.ts";
import { gemini } from "../gemini/codec.ts";
import { messagesVendorCodec } from "../messages/codec.ts";
import { responsesVendorCodec } from "../responses/codec.ts";
import { translateBetween } from "./translate-between.ts";

/** Runs a chat client's agent on a model of every vendor protocol, over real HTTP. */

const VENDORS: readonly (readonly [Protocol, VendorCodec])[] = [
  ["chat-completions", chatVendorCodec],
  ["responses", responsesVendorCodec],
  ["messages", messagesVendorCodec],
  ["gemini", gemini],
  ["bedrock-converse", bedrockConverse],
];

const HEADERS = { get: () => null };
const THINKING = { toggle: true, effort: ["low", "medium", "high"], budget_tokens: { min: 1024, max: 32_000 } };

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

type Fields = Readonly<Record<string, unknown>>;
interface Call {
  readonly index?: number;
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}
interface Message {
  readonly role: "assistant";
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly reasoning_details?: readonly Fields[];
  readonly tool_calls?: readonly Call[];
}
interface Answer {
  readonly message: Message;
  readonly finish_reason: string;
  readonly usage: { readonly completion_tokens: number };
}

/** One request through translation. Returns the message that a client keeps and sends again. */
async function ask([protocol, codec]: readonly [Protocol, VendorCodec], model: string, body: Fields): Promise<Answer> {
  const target = targetFor(protocol, { upstream_model: model, capabilities: { thinking: true, reasoning: THINKING } });
  const text = JSON.stringify({ model: "acme/swift", stream_options: { include_usage: true }, ...body });
  const exchange = translateBetween(chatClientCodec, codec).prepare(
    chatCompletions.readRequest(text, HEADERS),
    target,
    HEADERS,
  );
  const headers = { "content-type": "application/json", ...exchange.headers };
  const reply = await fetch(simulator.base_url + exchange.path, { method: "POST", headers, body: exchange.body });
  if (!reply.ok) throw new Error(`${reply.status}: ${await reply.text()}`);
  if (body.stream !== true) return readCompletion(bytesOf(exchange.readWhole(await reply.bytes()).body).toString());
  const stream = exchange.openStream();
  const out: Uint8Array[] = [];
  for await (const chunk of reply.body as ReadableStream<Uint8Array>) out.push(stream.push(chunk));
  out.push(stream.end());
  expect(stream).toMatchObject({ complete: true, failure: null, has_content: true });
  // Where the gateway itself has cut the answer, it is billed by estimate.
  out.push(stream.finish(stream.usage ?? NO_USAGE));
  const frames = Buffer.concat(out).toString();
  expect(checkChatStream(frames, { include_usage: true })).toEqual({ end: "done" });
  return readStream(frames);
}

function readCompletion(text: string): Answer {
  const { choices, usage } = JSON.parse(text) as {
    choices: Pick<Answer, "message" | "finish_reason">[];
    usage: Answer["usage"];
  };
  const [choice] = choices;
  if (choice === undefined) throw new Error("no choice");
  return { ...choice, usage };
}

/** Gathers deltas as clients do: texts joined, calls by index, details in a list. */
function readStream(frames: string): Answer {
  const chunks = frames
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: {"))
    .map((frame) => JSON.parse(frame.slice(6)) as Chunk);
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const joined = (field: "content" | "reasoning_content") => deltas.map((delta) => delta[field] ?? "").join("");
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
  for (const { index, ...delta } of deltas.flatMap((one) => one.tool_calls ?? [])) {
    const call = calls[index ?? 0];
    if (call === undefined) calls.push({ type: "function", ...delta, function: { ...delta.function } });
    else call.function.arguments += delta.function.arguments;
  }
  const reasoning_details = deltas.flatMap((delta) => delta.reasoning_details ?? []);
  return {
    message: {
      role: "assistant",
      content: joined("content") || null,
      ...(joined("reasoning_content") && { reasoning_content: joined("reasoning_content") }),
      ...(reasoning_details.length > 0 && { reasoning_details }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    finish_reason: chunks.map(({ choices }) => choices[0]?.finish_reason).find((reason) => reason) ?? "none",
    usage: chunks.at(-1)?.usage as Answer["usage"],
  };
}

interface Chunk {
  readonly choices: readonly { readonly delta: Partial<Message>; readonly finish_reason: string | null }[];
  readonly usage?: unknown;
}

const TOOLS = ["weather", "tides"].map((name) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] } },
}));

/** The simulator's model for a format: a vendor without the format answers with a tool call. */
function modelFor(protocol: Protocol, format: "schema" | "object"): string {
  return protocol === "bedrock-converse" && format === "schema" ? "tools" : "json";
}

for (const vendor of VENDORS) {
  for (const stream of [false, true]) {
    describe(`a chat client of a ${vendor[0]} vendor, ${stream ? "streamed" : "whole"}`, () => {
      test("calls tools in parallel, gives back results with all seals, and is answered", async () => {
        const question = { role: "user", content: "Compare weather and tides." };
        const settings = { tools: TOOLS, stream, reasoning_effort: "medium", max_tokens: 8000 };
        const first = await ask(vendor, "reason", { ...settings, messages: [question] });
        const calls = first.message.tool_calls ?? [];
        expect(first.finish_reason).toBe("tool_calls");
        expect(calls.map((call) => call.function.name)).toEqual(["weather", "tides"]);
        for (const call of calls) expect(JSON.parse(call.function.arguments)).toHaveProperty("place");
        expect(first.usage.completion_tokens).toBeGreaterThan(0);
        // The simulator refuses reasoning that differs by a byte from its own.
        const results = calls.map((call, at) => ({ role: "tool", tool_call_id: call.id, content: `result ${at}` }));
        const second = await ask(vendor, "reason", { ...settings, messages: [question, first.message, ...results] });
        expect(second).toMatchObject({
          finish_reason: "stop",
          message: { content: expect.stringContaining("result 0; result 1") },
        });
      });

      test("gets the reasoning, and its seals where the vendor seals it", async () => {
        const answer = await ask(vendor, "reason", {
          messages: [{ role: "user", content: "Why?" }],
          stream,
          reasoning_effort: "low",
        });
        expect(answer.message.reasoning_content).toContain("Simulated thought 1.");
        const seals = answer.message.reasoning_details ?? [];
        expect(seals.length > 0).toBe(vendor[0] !== "chat-completions");
      });

      test("has its answer stopped at its stop sequence", async () => {
        const answer = await ask(vendor, "echo", {
          messages: [{ role: "user", content: "one two END three" }],
          stream,
          stop: "END",
        });
        expect(answer.finish_reason).toBe("stop");
        expect(answer.message.content).toContain("one two");
        expect(answer.message.content).not.toMatch(/END|three/);
      });

      test("is answered in the format that it asked for", async () => {
        const schema = {
          type: "object",
          properties: { n: { type: "integer" } },
          required: ["n"],
          additionalProperties: false,
        };
        const response_format = { type: "json_schema", json_schema: { name: "count", schema, strict: true } };
        const messages = [{ role: "user", content: "How many? Answer in JSON." }];
        const answer = await ask(vendor, modelFor(vendor[0], "schema"), { messages, stream, response_format });
        expect(answer.finish_reason).toBe("stop");
        expect(JSON.parse(answer.message.content ?? "")).toEqual({ n: expect.any(Number) });
        const free = await ask(vendor, modelFor(vendor[0], "object"), {
          messages,
          stream,
          response_format: { type: "json_object" },
        });
        expect(JSON.parse(free.message.content ?? "")).toBeTypeOf("object");
      });

      test("has its answer cut at its output cap", async () => {
        const answer = await ask(vendor, "echo", {
          messages: [{ role: "user", content: "word ".repeat(50) }],
          stream,
          max_tokens: 20,
        });
        expect(answer).toMatchObject({ finish_reason: "length", usage: { completion_tokens: 20 } });
      });
    });
  }
}
