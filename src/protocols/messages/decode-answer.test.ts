import { describe, expect, test } from "bun:test";
import { checked, decodeInPieces, outcomeOf } from "../../../proofs/support/decoded-answer.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { decodeResponse, MessagesDecoder } from "./codec.ts";

/** Vendor answers beyond the recorded traffic: dialects, mistakes, and blocks of unknown types. */

type Fields = Readonly<Record<string, unknown>>;

const frame = (event: Fields) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;
const decode = (...events: readonly Fields[]): StreamEvent[] =>
  decodeInPieces(new MessagesDecoder(), Buffer.from(events.map(frame).join("")), null);

const START = { type: "message_start", message: { id: "msg_1", usage: { input_tokens: 3, output_tokens: 1 } } };
const STOP = { type: "message_stop" };
const open = (index: number, content_block: Fields) => ({ type: "content_block_start", index, content_block });
const say = (index: number, text: string) => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text },
});
const close = (index: number) => ({ type: "content_block_stop", index });
const end = (stop_reason: string, more: Fields = {}) => ({
  type: "message_delta",
  delta: { stop_reason, stop_sequence: null, ...more },
  usage: { output_tokens: 2 },
});
const TEXT = { type: "text", text: "" };

function said(events: readonly StreamEvent[]): unknown {
  const outcome = outcomeOf(events);
  return typeof outcome === "object" && "blocks" in outcome
    ? outcome.blocks.map(({ kind, text }) => [kind, text])
    : outcome;
}

const FILLED = { type: "content_block_start", index: 0, content_block: { type: "text", text: "x" } };

describe("the stop reason", () => {
  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "tool-calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["pause_turn", "length"],
    ["refusal", "refusal"],
    ["a_word_of_tomorrow", "length"],
    ["toString", "length"],
  ])("%s is %s", (stop_reason, reason) => {
    expect(decode(START, FILLED, end(stop_reason), STOP).at(-1)).toMatchObject({
      type: "finish",
      reason,
      raw_reason: stop_reason,
    });
  });

  test("a stop sequence is reported only where it stopped the answer", () => {
    const ends = (stop_reason: string) => decode(START, end(stop_reason, { stop_sequence: "END" }), STOP).at(-1);
    expect(ends("stop_sequence")).toMatchObject({ stop_sequence: "END" });
    expect(ends("end_turn")).toMatchObject({ stop_sequence: null });
  });
});

describe("a server that only resembles Anthropic's", () => {
  test("may leave out the start", () => {
    expect(said(decode(open(0, TEXT), say(0, "Hi"), close(0), end("end_turn"), STOP))).toEqual([["text", "Hi"]]);
  });

  test("may send a second start", () => {
    expect(said(decode(START, open(0, TEXT), say(0, "Hi"), START, close(0), end("end_turn"), STOP))).toEqual([
      ["text", "Hi"],
    ]);
  });

  test("may leave out the ends of blocks", () => {
    const events = decode(START, open(0, TEXT), say(0, "a"), open(1, TEXT), say(1, "b"), end("end_turn"), STOP);
    expect(said(events)).toEqual([
      ["text", "a"],
      ["text", "b"],
    ]);
  });

  test("may start a block with its text", () => {
    const block = { type: "text", text: "Hello" };
    expect(said(decode(START, open(0, block), say(0, " there"), close(0), end("end_turn"), STOP))).toEqual([
      ["text", "Hello there"],
    ]);
  });

  test("may start a call with its arguments", () => {
    const call = { type: "tool_use", id: "t", name: "look", input: { a: 1 } };
    expect(said(decode(START, open(0, call), close(0), end("tool_use"), STOP))).toEqual([["tool-call", '{"a":1}']]);
  });

  test("may leave out the stop reason", () => {
    expect(decode(START, STOP).at(-1)).toMatchObject({ reason: "stop", raw_reason: null, usage: null });
  });
});

test("blocks of unknown types are skipped, wherever they stand", () => {
  const events = decode(
    START,
    open(0, { type: "server_tool_use", id: "s", name: "web_search", input: {} }),
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"q":1}' } },
    close(0),
    open(1, { type: "web_search_tool_result", tool_use_id: "s", content: [] }),
    close(1),
    open(2, { type: "hologram", beam: "x" }),
    { type: "content_block_delta", index: 2, delta: { type: "hologram_delta", text: "not text" } },
    close(2),
    open(3, TEXT),
    { type: "content_block_delta", index: 3, delta: { type: "citations_delta", citation: {} } },
    say(3, "Found."),
    close(3),
    { type: "event_of_tomorrow" },
    end("end_turn"),
    STOP,
  );
  expect(said(events)).toEqual([["text", "Found."]]);
});

test("a delta for a block that is not open is an error, because content would be misplaced", () => {
  const events = decode(START, open(0, TEXT), say(0, "a"), say(1, "b"), close(0), end("end_turn"), STOP);
  expect(events.at(-1)).toMatchObject({ type: "error", status: 502, message: expect.stringContaining("block 1") });
  expect(said(decode(START, open(0, TEXT), say(0, "a"), close(0), say(0, ""), end("end_turn"), STOP))).toEqual([
    ["text", "a"],
  ]);
});

test("an event that cannot be parsed is an error, because content would be missing", () => {
  const text = `${frame(START)}event: content_block_delta\ndata: {"type":"content_block_delta","ind\n\n${frame(STOP)}`;
  const events = checked(new MessagesDecoder().push(Buffer.from(text)));
  expect(events.at(-1)).toMatchObject({ type: "error", status: 502 });
});

test("events after an error are not read", () => {
  const decoder = new MessagesDecoder();
  decoder.push(Buffer.from(frame({ type: "error", error: { type: "api_error", message: "no" } })));
  expect(decoder.push(Buffer.from(frame(START)))).toEqual([]);
  expect(decoder.end()).toEqual([]);
});

describe("a whole answer", () => {
  const decodeText = (text: string) => decodeResponse(Buffer.from(text));

  test("keeps the digits of numbers in a call", () => {
    const body = '{"content":[{"type":"tool_use","id":"t","name":"f","input":{"id":12345678901234567890,"x":1.10}}]}';
    expect(said(decodeText(body).events)).toEqual([["tool-call", '{"id":12345678901234567890,"x":1.10}']]);
  });

  test.each([
    ["text", "upstream connect error"],
    ["nothing", ""],
    ["null", "null"],
    ["an object of another kind", '{"object":"chat.completion"}'],
  ])("that is %s is an error", (_name, body) => {
    expect(decodeText(body).events).toEqual([
      { type: "error", status: 502, message: expect.stringContaining("no message"), retry_after_ms: null },
    ]);
  });

  test("with an absurd usage has no usage, and the sent one is kept for the log", () => {
    const { events, rejected_usage } = decodeText('{"content":[],"usage":{"input_tokens":1,"output_tokens":2.5}}');
    expect(events.at(-1)).toMatchObject({ type: "finish", usage: null });
    expect(rejected_usage).toEqual({ input_tokens: 1, output_tokens: 2.5 });
  });
});
