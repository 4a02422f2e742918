import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkResponsesStream } from "../../../proofs/grammars/responses/stream-grammar.ts";
import { decodeInPieces, outcomeOf } from "../../../proofs/support/decoded-answer.ts";
import { generation } from "../../../proofs/support/generation.ts";
import { PIECE_SIZES, withCrlf } from "../../../proofs/support/replay-stream.ts";
import { targetFor } from "../../../proofs/support/target.ts";
import type { AnswerBlock } from "../../core/answer/answer.ts";
import type { FinishReason } from "../../core/answer/stream-event.ts";
import { NO_USAGE, type Usage } from "../../core/money/usage.ts";
import { ResponsesStreamDecoder, responsesClientCodec, responsesVendorCodec } from "./codec.ts";

/** Recorded streams and bodies of vendors, decoded into events. */

const FIXTURES = join(import.meta.dir, "../../../proofs/fixtures/responses");
const fixture = (name: string) => readFileSync(join(FIXTURES, name));

const usage = (input_tokens: number, output_tokens: number, rest: Partial<Usage> = {}): Usage => ({
  ...NO_USAGE,
  input_tokens,
  output_tokens,
  ...rest,
});
const text = (said: string): AnswerBlock => ({ kind: "text", text: said });
const call = (id: string, name: string, written: string): AnswerBlock => ({
  kind: "tool-call",
  id,
  name,
  tool: "function",
  text: written,
});
const encrypted = (id: string) => ({ family: "openai", form: "encrypted", id, data: expect.stringMatching(/^gAAAAA/) });

interface Expected {
  readonly blocks: readonly unknown[];
  readonly reason?: FinishReason;
  readonly raw_reason?: string;
  readonly usage: Usage | null;
}
const ended = ({ blocks, reason = "stop", raw_reason, usage: used }: Expected) => ({
  id: expect.any(String),
  created: 1787659560,
  blocks,
  reason,
  stop_sequence: null,
  raw_reason: raw_reason ?? null,
  usage: used,
});
const failed = (status: number, message: RegExp, retry_after_ms: number | null = null) => ({
  type: "error",
  status,
  message: expect.stringMatching(message),
  retry_after_ms,
});

const STREAMS: Readonly<Record<string, unknown>> = {
  text: ended({
    blocks: [text('Rivers carry "silt"\n\nand salt: 水と塩 🧂')],
    usage: usage(60, 24, { cache_read_tokens: 2048, cache_write_tokens: 64 }),
  }),
  "tool-use": ended({
    blocks: [call("call_FixtureWeather", "get_weather", '{"city":"Lisbon"}')],
    reason: "tool-calls",
    usage: usage(45, 25),
  }),
  "parallel-tools": ended({
    blocks: [
      { kind: "reasoning", text: "", opaque: encrypted("rs_0a1b2c3d4e5f60718293") },
      call("call_FixtureA", "get_time", '{"zone":"Europe/Lisbon"}'),
      call("call_FixtureB", "get_time", '{"zone":"Asia/Tokyo"}'),
    ],
    reason: "tool-calls",
    usage: usage(81, 120, { reasoning_tokens: 64 }),
  }),
  "interleaved-tools": ended({
    blocks: [call("call_a", "look", '{"a":1}'), call("call_b", "look", '{"b":2}')],
    reason: "tool-calls",
    usage: usage(40, 30),
  }),
  "custom-tool": ended({
    blocks: [{ kind: "tool-call", id: "call_FixtureShell", name: "shell", tool: "custom", text: "ls -l | head\n" }],
    reason: "tool-calls",
    usage: usage(52, 14),
  }),
  reasoning: ended({
    blocks: [
      {
        kind: "reasoning",
        text: "**Dividing**\n\n1071 = 2·462 + 147.\n\n**Again**\n\n462 = 3·147 + 21.",
        opaque: encrypted("rs_0a1b2c3d4e5f60718293"),
      },
      text("The greatest common divisor is 21."),
    ],
    usage: usage(47, 84, { reasoning_tokens: 62 }),
  }),
  "reasoning-text": ended({
    blocks: [{ kind: "reasoning", text: "Short thought." }, text("Yes.")],
    usage: usage(20, 9),
  }),
  refusal: ended({
    blocks: [{ kind: "refusal", text: "I can't help with that." }],
    reason: "refusal",
    usage: usage(18, 9),
  }),
  incomplete: ended({
    blocks: [text("One, two, thr")],
    reason: "length",
    raw_reason: "max_output_tokens",
    usage: usage(20, 16),
  }),
  "content-filter": ended({
    blocks: [text("Once upon")],
    reason: "content-filter",
    raw_reason: "content_filter",
    usage: usage(20, 6),
  }),
  "web-search": ended({
    blocks: [text("High water is at 06:12 (tides.example).")],
    usage: usage(4108, 96, { cache_read_tokens: 4096, extra: { calls: { web_search: 1 } } }),
  }),
  "without-usage": ended({ blocks: [text("Nobody counted.")], usage: null }),
  "absurd-usage": ended({ blocks: [text("A lot.")], usage: null }),
  "reasoning-apart": ended({
    blocks: [text("Forty-two.")],
    usage: usage(26, 119, { cache_read_tokens: 6, reasoning_tokens: 110 }),
  }),
  "data-only": ended({ blocks: [text("Hi there")], usage: usage(12, 3) }),
  spaced: ended({ blocks: [text('潮汐 🌊\ta "delta": b\\')], usage: usage(33, 7) }),
  "error-first": failed(429, /quota/),
  "error-flat": failed(429, /Rate limit/, 1500),
  "failed-only": failed(502, /./),
  "bad-image": failed(400, /./),
  "failed-midway": failed(502, /had an error/),
  "broken-off": "unfinished",
};

test("every recorded stream has an expected outcome", () => {
  const recorded = readdirSync(FIXTURES).filter((name) => name.endsWith(".sse"));
  expect(recorded.map((name) => name.slice(0, -4)).sort()).toEqual(Object.keys(STREAMS).sort());
});

describe.each(Object.entries(STREAMS))("the stream %p", (name, expected) => {
  const bytes = fixture(`${name}.sse`);
  for (const [line_ends, all] of [["LF", bytes] as const, ["CRLF", withCrlf(bytes)] as const]) {
    test.each(PIECE_SIZES)(`decodes to its expected outcome, in pieces of %p (${line_ends})`, (size) => {
      const decoder = new ResponsesStreamDecoder();
      expect(outcomeOf(decodeInPieces(decoder, all, size))).toEqual(expected as never);
      expect(decoder.rejected_usage !== null).toBe(name === "absurd-usage");
    });
  }

  test("is encoded again as a legal stream for a client", () => {
    const context = { model: "acme/m", request: generation(), body: {}, input_estimate_tokens: 1, created: 1 };
    const encoder = responsesClientCodec.openEncoder(context);
    const events = decodeInPieces(new ResponsesStreamDecoder(), bytes, null);
    if (events.at(-1)?.type !== "finish") return;
    expect(checkResponsesStream(events.map((event) => encoder.encode(event)).join(""))).not.toHaveProperty("problem");
  });
});

/** Frames with event names, as most vendors send them. */
function frames(...events: readonly Record<string, unknown>[]): Buffer {
  return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

function decoded(...events: readonly Record<string, unknown>[]) {
  return outcomeOf(decodeInPieces(new ResponsesStreamDecoder(), frames(...events), null));
}

const completed = (output: unknown) => ({
  type: "response.completed",
  response: { id: "resp_1", status: "completed", output },
});

describe("a vendor that leaves events out", () => {
  const message = { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "Hello" }] };
  const shell = { type: "function_call", id: "f", call_id: "c", name: "sh", arguments: '{"a":1}' };

  test("is read from its last event alone", () => {
    expect(decoded(completed([message, shell]))).toMatchObject({
      blocks: [text("Hello"), call("c", "sh", '{"a":1}')],
      reason: "tool-calls",
    });
  });

  test("is read from done items alone, also when its last event has no output", () => {
    const done = { type: "response.output_item.done", output_index: 0, item: message };
    expect(decoded(done, completed([]))).toMatchObject({ blocks: [text("Hello")], reason: "stop" });
    const called = { type: "response.output_item.done", output_index: 0, item: shell };
    expect(decoded(called, completed(undefined))).toMatchObject({ reason: "tool-calls" });
  });

  test("has cut texts completed from the whole item", () => {
    const place = { output_index: 0, content_index: 0, item_id: "m" };
    expect(
      decoded(
        { type: "response.output_text.delta", ...place, delta: "Hel" },
        { type: "response.output_item.done", output_index: 0, item: message },
        completed([message]),
      ),
    ).toMatchObject({ blocks: [text("Hello")] });
  });

  test("has no reasoning block for an empty reasoning item", () => {
    const item = { type: "reasoning", id: "r", summary: [] };
    expect(decoded(completed([item, message]))).toMatchObject({ blocks: [text("Hello")] });
  });

  test("has its reasoning once, from the summary, when it sends the text and a summary of it", () => {
    const item = {
      type: "reasoning",
      id: "r",
      summary: [{ type: "summary_text", text: "Short." }],
      content: [{ type: "reasoning_text", text: "The whole of it." }],
    };
    expect(decoded(completed([item]))).toMatchObject({ blocks: [{ kind: "reasoning", text: "Short." }] });
  });
});

describe("a call", () => {
  test("without a call_id gets the id of its item", () => {
    const item = { type: "function_call", id: "fc_1", name: "look", arguments: "{}" };
    expect(decoded(completed([item]))).toMatchObject({ blocks: [call("fc_1", "look", "{}")] });
  });
});

const target = targetFor("responses");
const whole = (body: string | Uint8Array) => responsesVendorCodec.decodeWhole(Buffer.from(body), target, generation());

describe("an answer in one piece", () => {
  test("is read with its reason and usage", () => {
    const { events, rejected_usage } = whole(fixture("response.json"));
    expect(rejected_usage).toBeNull();
    expect(outcomeOf(events)).toMatchObject({ reason: expect.any(String), usage: expect.anything() });
  });

  test.each(["failed.json", "queued.json"])("is an error when it is not finished: %s", (name) => {
    expect(outcomeOf(whole(fixture(name)).events)).toMatchObject({
      type: "error",
      message: expect.stringMatching(/./),
    });
  });

  test.each(["", "[]", "null", '"text"', "{", '{"output":1}', "<html>"])(
    "is an error when it is no response: %p",
    (body) => {
      expect(outcomeOf(whole(body).events)).toMatchObject({ type: "error", status: 502 });
    },
  );

  test("reports a usage that was rejected, for the log", () => {
    const { events, rejected_usage } = whole(
      JSON.stringify({ id: "r", status: "completed", output: [{ type: "reasoning" }], usage: { input_tokens: -1 } }),
    );
    expect(outcomeOf(events)).toMatchObject({ usage: null, blocks: [] });
    expect(rejected_usage).toEqual({ input_tokens: -1 });
  });
});
