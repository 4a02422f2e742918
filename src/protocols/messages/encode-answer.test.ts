import { describe, expect, test } from "bun:test";
import { generation } from "../../../proofs/support/generation.ts";
import type { AssembledAnswer } from "../../core/answer/answer.ts";
import type { AnswerContext } from "../../core/answer/codec.ts";
import type { GenerationRequest, Opaque } from "../../core/answer/generation.ts";
import type { BlockKind, FinishReason, StreamEvent } from "../../core/answer/stream-event.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Usage } from "../../core/money/usage.ts";
import { packOpaque } from "../shared/opaque.ts";
import { messagesClientCodec } from "./codec.ts";
import { readSignature } from "./opaque-values.ts";

/** Answers as a client of this protocol receives them. */

function contextOf(request: Partial<GenerationRequest> = { reasoning: { enabled: true } }): AnswerContext {
  return { model: "acme/sonnet", request: generation(request), body: {}, input_estimate_tokens: 12, created: 1 };
}

const USAGE: Usage = {
  input_tokens: 7,
  cache_read_tokens: 5,
  cache_write_tokens: 3,
  output_tokens: 11,
  reasoning_tokens: 2,
};

const start: StreamEvent = { type: "start", id: "x_1", created: null, usage: null };
const finish = (reason: FinishReason = "stop", stop_sequence: string | null = null): StreamEvent => ({
  type: "finish",
  reason,
  stop_sequence,
  raw_reason: null,
  usage: USAGE,
});
function block(index: number, kind: BlockKind, pieces: readonly string[], opaque?: Opaque): StreamEvent[] {
  const deltas = pieces.map((text): StreamEvent => ({ type: "block-delta", index, text }));
  return [
    { type: "block-start", index, block: kind },
    ...deltas,
    { type: "block-end", index, ...(opaque && { opaque }) },
  ];
}

function encode(events: readonly StreamEvent[], context = contextOf()): string {
  const encoder = messagesClientCodec.openEncoder(context);
  return events.map((event) => encoder.encode(event)).join("");
}

/** The events of a stream, each in a few words. */
function outline(stream: string): string[] {
  return [...stream.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => {
    const event = JSON.parse(data);
    const of = event.content_block?.type ?? event.delta?.type ?? event.delta?.stop_reason;
    return [event.type, event.index, of].filter((word) => word !== undefined).join(" ");
  });
}

function eventOf(stream: string, type: string): Record<string, unknown> {
  const [, data = "{}"] = new RegExp(`^event: ${type}\ndata: (.*)$`, "m").exec(stream) ?? [];
  return JSON.parse(data);
}

const CALL: BlockKind = { kind: "tool-call", id: "t", name: "look", tool: "function" };
const SIGNATURE: Opaque = { family: "anthropic", form: "signature", data: "c2ln" };
const ENCRYPTED: Opaque = { family: "openai", form: "encrypted", data: "gAAA", id: "rs_1" };

test("a stream from its start to its end", () => {
  const events = [start, ...block(0, { kind: "text" }, ["Hi", " \n"]), ...block(1, CALL, ["{}"]), finish("tool-calls")];
  const stream = encode(events);
  expect(outline(stream)).toEqual([
    "message_start",
    "content_block_start 0 text",
    "content_block_delta 0 text_delta",
    "content_block_delta 0 text_delta",
    "content_block_stop 0",
    "content_block_start 1 tool_use",
    "content_block_delta 1 input_json_delta",
    "content_block_delta 1 input_json_delta",
    "content_block_stop 1",
    "message_delta tool_use",
    "message_stop",
  ]);
  expect(stream).toContain(
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" \\n"}}\n\n',
  );
});

describe("the start", () => {
  test("has an estimate of the input, and the gateway's name of the model", () => {
    expect(eventOf(encode([start]), "message_start").message).toMatchObject({
      id: "x_1",
      type: "message",
      role: "assistant",
      model: "acme/sonnet",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 12, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    });
  });

  test("has the exact input where the vendor sends it", () => {
    const { message } = eventOf(encode([{ ...start, usage: USAGE } as StreamEvent]), "message_start");
    expect(message).toMatchObject({ usage: { input_tokens: 7, cache_read_input_tokens: 5 } });
  });

  test("has an id of the gateway's where the vendor sent none", () => {
    const { message } = eventOf(encode([{ ...start, id: null } as StreamEvent]), "message_start");
    expect(message).toMatchObject({ id: expect.stringMatching(/^msg_[0-9A-Za-z]{22}$/) });
  });
});

test("the end has the usage in this protocol's classes", () => {
  expect(eventOf(encode([start, finish()]), "message_delta").usage).toMatchObject({
    input_tokens: 7,
    cache_creation_input_tokens: 3,
    cache_read_input_tokens: 5,
    output_tokens: 11,
    output_tokens_details: { thinking_tokens: 2 },
  });
});

describe("the stop reason", () => {
  const refusal = block(0, { kind: "refusal" }, ["I ", "won't."]);
  const details = (explanation: string | null) => ({ type: "refusal", category: null, explanation });

  test.each([
    ["stop", [], finish(), { stop_reason: "end_turn", stop_sequence: null, stop_details: null }],
    [
      "a stop sequence",
      [],
      finish("stop", "END"),
      { stop_reason: "stop_sequence", stop_sequence: "END", stop_details: null },
    ],
    ["length", [], finish("length"), { stop_reason: "max_tokens" }],
    ["calls", block(0, CALL, ["{}"]), finish("tool-calls"), { stop_reason: "tool_use" }],
    ["a filter", [], finish("content-filter"), { stop_reason: "refusal", stop_details: details(null) }],
    ["a refusal", [], finish("refusal"), { stop_reason: "refusal", stop_details: details(null) }],
    ["a refusal with text", refusal, finish(), { stop_reason: "refusal", stop_details: details("I won't.") }],
    ["a refusal that was cut", refusal, finish("length"), { stop_reason: "max_tokens", stop_details: null }],
  ] as const)("for %s", (_name, blocks, end, expected) => {
    expect(eventOf(encode([start, ...blocks, end]), "message_delta").delta).toMatchObject(expected);
  });
});

describe("reasoning", () => {
  const thought = (pieces: readonly string[], opaque?: Opaque, request?: Partial<GenerationRequest>) =>
    encode([start, ...block(0, { kind: "reasoning" }, pieces, opaque), finish()], contextOf(request ?? undefined));
  const within = (stream: string) => outline(stream).slice(1, -2);
  const omitted = { reasoning: { enabled: true, show: "none" } } as const;

  test("has its text and its signature", () => {
    expect(within(thought(["Hm", "?"], SIGNATURE))).toEqual([
      "content_block_start 0 thinking",
      "content_block_delta 0 thinking_delta",
      "content_block_delta 0 thinking_delta",
      "content_block_delta 0 signature_delta",
      "content_block_stop 0",
    ]);
    expect(thought(["Hm"], SIGNATURE)).toContain('"signature":"c2ln"');
  });

  test("is packed where another family made it", () => {
    expect(thought(["Hm"], ENCRYPTED)).toContain(JSON.stringify(packOpaque(ENCRYPTED)));
    const hidden = thought([], ENCRYPTED);
    expect(within(hidden)).toEqual(["content_block_start 0 redacted_thinking", "content_block_stop 0"]);
    expect(hidden).toContain(JSON.stringify(packOpaque(ENCRYPTED)));
  });

  test("is left out where it has neither text nor an opaque form", () => {
    expect(within(thought([]))).toEqual([]);
  });

  test("has its signature alone where the client wants no text", () => {
    expect(within(thought(["Hm"], SIGNATURE, omitted))).toEqual([
      "content_block_start 0 thinking",
      "content_block_delta 0 signature_delta",
      "content_block_stop 0",
    ]);
  });

  test.each([SIGNATURE, { family: "google", form: "signature", data: "c2ln+/=" } as const])(
    "that is signed and hidden comes back with its text, because vendors refuse a signature without its text",
    (opaque) => {
      const streamed =
        /"signature_delta","signature":"([^"]*)"/.exec(thought(["Hm", "\u00e9!"], opaque, omitted))?.[1] ?? "";
      expect(readSignature(streamed)).toEqual({ opaque, hidden_text: "Hm\u00e9!" });
      // The vendor hid the text, so there is no text for the signature to hold.
      expect(thought([], SIGNATURE, omitted)).toContain('"signature":"c2ln"');
    },
  );

  test("has the gateway's own signature where its vendor signs nothing, because clients keep only signed reasoning", () => {
    const signature = (frames: string) => /"signature_delta","signature":"([^"]*)"/.exec(frames)?.[1];
    const shown = thought(["Hm", "!"], undefined);
    expect(within(shown).slice(-2)).toEqual(["content_block_delta 0 signature_delta", "content_block_stop 0"]);
    expect(signature(shown)).toBe("camino:unsigned:");
    // The signature holds a text that is not shown.
    const hidden = thought(["Hm", "!"], undefined, omitted);
    expect(within(hidden)).toEqual([
      "content_block_start 0 thinking",
      "content_block_delta 0 signature_delta",
      "content_block_stop 0",
    ]);
    expect(signature(hidden)).toBe(`camino:unsigned:${Buffer.from("Hm!").toString("base64url")}`);
  });

  test.each([{}, { reasoning: { enabled: false } }, { reasoning: { effort: "low" } }])(
    "is not shown to a client that did not ask for thinking: %j",
    (request) => {
      expect(within(thought(["Hm"], SIGNATURE, request))).toEqual([]);
    },
  );

  test("that is hidden leaves no gap in the indexes", () => {
    const blocks = [...block(0, { kind: "reasoning" }, ["Hm"], SIGNATURE), ...block(1, { kind: "text" }, ["Hi"])];
    expect(outline(encode([start, ...blocks, finish()], contextOf({}))).slice(1, -2)).toEqual([
      "content_block_start 0 text",
      "content_block_delta 0 text_delta",
      "content_block_stop 0",
    ]);
  });
});

test("the seal of a call follows the call, also where no thinking is shown", () => {
  const opaque = { family: "google", form: "signature", data: "c2Vh" } as const;
  const stream = encode([start, ...block(0, CALL, ["{}"], opaque), finish("tool-calls")], contextOf({}));
  expect(outline(stream).slice(5, -2)).toEqual(["content_block_start 1 redacted_thinking", "content_block_stop 1"]);
  expect(stream).toContain(JSON.stringify(packOpaque({ ...opaque, id: "t" })));
});

test("the seal of a text comes before the next block, and is never the last block", () => {
  const opaque = { family: "google", form: "signature", data: "c2Vh" } as const;
  const text = block(0, { kind: "text" }, ["Hi"], opaque);
  const thinks = contextOf({ reasoning: { enabled: true } });
  const before_call = outline(encode([start, ...text, ...block(1, CALL, ["{}"]), finish("tool-calls")], thinks));
  expect(before_call.filter((line) => line.startsWith("content_block_start"))).toEqual([
    "content_block_start 0 text",
    "content_block_start 1 redacted_thinking",
    "content_block_start 2 tool_use",
  ]);
  expect(encode([start, ...text, finish()], thinks)).not.toContain("redacted_thinking");
});

test("a failure after content is an error event with the request's id", () => {
  const error = new GatewayError("provider_error", "The vendor broke off.");
  const stream = messagesClientCodec.openEncoder(contextOf()).fail(error, "req_1");
  expect(stream).toStartWith("event: error\ndata: ");
  expect(eventOf(stream, "error")).toEqual({
    type: "error",
    error: { type: "api_error", message: "The vendor broke off." },
    request_id: "req_1",
  });
});

describe("a whole answer", () => {
  const answer: AssembledAnswer = {
    id: "x_1",
    created: null,
    blocks: [
      { kind: "reasoning", text: "Hm", opaque: SIGNATURE },
      { kind: "text", text: "Let me look." },
      { kind: "tool-call", id: "t", name: "look", tool: "function", text: '{"id":12345678901234567890}' },
    ],
    reason: "tool-calls",
    stop_sequence: null,
    raw_reason: null,
    usage: USAGE,
  };

  test("is a message object", () => {
    const body = messagesClientCodec.encodeWhole(answer, contextOf());
    expect(JSON.parse(body)).toMatchObject({
      id: "x_1",
      type: "message",
      role: "assistant",
      model: "acme/sonnet",
      content: [
        { type: "thinking", thinking: "Hm", signature: "c2ln" },
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "t", name: "look" },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 7, cache_creation_input_tokens: 3, cache_read_input_tokens: 5, output_tokens: 11 },
    });
    expect(body).toContain('"input":{"id":12345678901234567890}');
  });

  test("keeps arguments that are no JSON object as text", () => {
    const blocks = [{ kind: "tool-call", id: "t", name: "look", tool: "function", text: '{"a":' } as const];
    const body = JSON.parse(messagesClientCodec.encodeWhole({ ...answer, blocks, reason: "length" }, contextOf()));
    expect(body.content).toEqual([
      { type: "tool_use", id: "t", name: "look", input: { a: null, INVALID_JSON: '{"a":' } },
    ]);
  });
});
