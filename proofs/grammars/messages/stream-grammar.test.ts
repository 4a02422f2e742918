import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { withCrlf } from "../../support/replay-stream.ts";
import { checkMessagesStream } from "./stream-grammar.ts";

/** Legal streams, and the smallest streams that break each of the grammar's rules. */

type Fields = Readonly<Record<string, unknown>>;

const USAGE = { input_tokens: 5, output_tokens: 0, cache_creation_input_tokens: null, cache_read_input_tokens: 2 };
const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "acme/sonnet",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: USAGE,
};

const start = (more: Fields = {}): Fields => ({ type: "message_start", message: { ...MESSAGE, ...more } });
const open = (index: number, content_block: unknown): Fields => ({ type: "content_block_start", index, content_block });
const delta = (index: number, said: unknown): Fields => ({ type: "content_block_delta", index, delta: said });
const close = (index: number): Fields => ({ type: "content_block_stop", index });
const end = (stop_reason: unknown, stop_sequence: unknown = null, usage: unknown = { output_tokens: 2 }): Fields => ({
  type: "message_delta",
  delta: { stop_reason, stop_sequence },
  usage,
});

const TEXT = { type: "text", text: "" };
const THINKING = { type: "thinking", thinking: "", signature: "" };
const use = (id: string, type = "tool_use") => ({ type, id, name: "look", input: {} });
const say = (index: number, text: unknown = "Hi") => delta(index, { type: "text_delta", text });
const think = (index: number) => delta(index, { type: "thinking_delta", thinking: "Hm" });
const sign = (index: number, signature: unknown = "c2ln") => delta(index, { type: "signature_delta", signature });
const json = (index: number, partial_json: unknown = "{}") => delta(index, { type: "input_json_delta", partial_json });

const START = start();
const PING = { type: "ping" };
const STOP = { type: "message_stop" };
const SAID = [open(0, TEXT), say(0), close(0)];
const CALLED = [open(0, use("t1")), json(0), close(0)];
const ERROR = { type: "error", error: { type: "api_error", message: "no" }, request_id: "req_1" };

const frame = (event: Fields) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;
const stream = (...events: readonly Fields[]) => events.map(frame).join("");
const whole = (...events: readonly Fields[]) => stream(START, ...events, STOP);

const LEGAL: Readonly<Record<string, string>> = {
  "an empty answer": whole(end("end_turn")),
  text: whole(...SAID, end("end_turn")),
  "pings anywhere": stream(START, PING, open(0, TEXT), PING, say(0), PING, close(0), PING, end("end_turn"), PING, STOP),
  "comments anywhere": `: hello\n\n${whole(...SAID, end("end_turn"))}`,
  "text with citations": whole(
    open(0, { ...TEXT, citations: [] }),
    delta(0, { type: "citations_delta", citation: {} }),
    say(0),
    close(0),
    end("end_turn"),
  ),
  "thinking with its signature": whole(open(0, THINKING), think(0), sign(0), close(0), end("end_turn")),
  "thinking whose text is omitted": whole(open(0, THINKING), sign(0), close(0), end("end_turn")),
  "redacted thinking": whole(open(0, { type: "redacted_thinking", data: "x" }), close(0), end("end_turn")),
  "parallel calls": whole(...CALLED, open(1, use("t2")), json(1, ""), close(1), end("tool_use")),
  "a call that was cut": whole(open(0, use("t1")), json(0, '{"a":'), close(0), end("max_tokens")),
  "a tool that the vendor runs": whole(
    open(0, use("s1", "server_tool_use")),
    json(0),
    close(0),
    open(1, { type: "web_search_tool_result", tool_use_id: "s1", content: [] }),
    close(1),
    end("pause_turn"),
  ),
  "a stop sequence": whole(...SAID, end("stop_sequence", "END")),
  "a refusal": whole(end("refusal")),
  "totals on the way": whole(
    ...SAID,
    end(null),
    end("end_turn", null, { output_tokens: 3, output_tokens_details: { thinking_tokens: 3 } }),
  ),
  "an error after the beginning": stream(START, open(0, TEXT), ERROR),
};

describe("legal:", () => {
  test.each(Object.entries(LEGAL))("%s", (_name, text) => {
    const ends = text.includes("event: error") ? "error" : "stop";
    expect(checkMessagesStream(text)).toEqual({ end: ends });
    expect(checkMessagesStream(text.replaceAll("\n", "\r\n"))).toEqual({ end: ends });
  });
});

const bad = (usage: Fields) => start({ usage: { ...USAGE, ...usage } });

/** A stream, the index of the frame that breaks a rule, and the message of the violation. */
const ILLEGAL: Readonly<Record<string, readonly [string, number, RegExp]>> = {
  nothing: ["", 0, /without message_stop/],
  "a frame without a name": [`data: ${JSON.stringify(START)}\n\n`, 0, /not one line/],
  "a frame of another form": [`${stream(START)}event: ping\nid: 1\ndata: {}\n\n`, 1, /not one line/],
  "data that is no JSON": [`${stream(START)}event: ping\ndata: ping\n\n`, 1, /no JSON object/],
  "a name that is not the type": [`event: ping\ndata: ${JSON.stringify(START)}\n\n`, 0, /named "ping"/],
  "another beginning": [stream(open(0, TEXT)), 0, /the first event is/],
  "an error at the beginning": [stream(ERROR), 0, /belongs into the status/],
  "no message": [stream({ type: "message_start" }), 0, /'message' is no object/],
  "a message of another type": [stream(start({ type: "chat" })), 0, /'message.type'/],
  "another role": [stream(start({ role: "user" })), 0, /'message.role'/],
  "no id": [stream(start({ id: "" })), 0, /'message.id'/],
  "no model": [stream(start({ model: null })), 0, /'message.model'/],
  "content at the start": [stream(start({ content: [TEXT] })), 0, /'message.content'/],
  "a stop reason at the start": [stream(start({ stop_reason: "end_turn" })), 0, /'message.stop_reason'/],
  "no stop sequence at the start": [stream(start({ stop_sequence: undefined })), 0, /'message.stop_sequence'/],
  "no usage": [stream(start({ usage: undefined })), 0, /lacks input_tokens/],
  "no input tokens": [stream(bad({ input_tokens: null })), 0, /lacks input_tokens/],
  "no output tokens": [stream(bad({ output_tokens: -1 })), 0, /lacks output_tokens/],
  "cached tokens that are no count": [stream(bad({ cache_read_input_tokens: 0.5 })), 0, /cache_read_input_tokens/],
  "thinking tokens without a count": [stream(bad({ output_tokens_details: {} })), 0, /output_tokens_details/],
  "more thinking than output": [stream(bad({ output_tokens_details: { thinking_tokens: 1 } })), 0, /more thinking/],
  "a second start": [stream(START, START), 1, /second time/],
  "an unknown event": [stream(START, { type: "message_end" }), 1, /an event of the type/],
  "a block within a block": [stream(START, open(0, TEXT), open(1, TEXT)), 2, /starts within block 0/],
  "an index that is left out": [stream(START, ...SAID, open(2, TEXT)), 4, /index 2; expected 1/],
  "an index that comes again": [stream(START, ...SAID, open(0, TEXT)), 4, /index 0; expected 1/],
  "no block": [stream(START, open(0, null)), 1, /no object/],
  "a block without a type": [stream(START, open(0, {})), 1, /a block of the type/],
  "an unknown block": [stream(START, open(0, { type: "poem" })), 1, /a block of the type "poem"/],
  "text in a text's start": [stream(START, open(0, { type: "text", text: "x" })), 1, /'text' is not empty/],
  "thinking in its start": [stream(START, open(0, { ...THINKING, thinking: "x" })), 1, /thinking is not empty/],
  "no signature in its start": [stream(START, open(0, { ...THINKING, signature: null })), 1, /thinking is not empty/],
  "redacted thinking without data": [stream(START, open(0, { type: "redacted_thinking", data: "" })), 1, /'data'/],
  "a call without a name": [stream(START, open(0, { ...use("t"), name: "" })), 1, /'name' of a tool_use/],
  "a call without an id": [stream(START, open(0, { ...use("t"), id: 5 })), 1, /'id' of a tool_use/],
  "input in a call's start": [stream(START, open(0, { ...use("t"), input: { a: 1 } })), 1, /'input' of a tool_use/],
  "two calls of one id": [stream(START, ...CALLED, open(1, use("t1"))), 4, /two blocks have the id "t1"/],
  "a delta where no block is open": [stream(START, ...SAID, say(0)), 4, /where none is open/],
  "a delta of another block": [stream(START, open(0, TEXT), say(1)), 2, /block 1 goes on within block 0/],
  "no delta": [stream(START, open(0, TEXT), delta(0, null)), 2, /'delta' is no object/],
  "an unknown delta": [stream(START, open(0, TEXT), delta(0, { type: "x" })), 2, /a delta of the type/],
  "text in a call": [stream(START, open(0, use("t")), say(0)), 2, /a text_delta in a block of the type "tool_use"/],
  "a citation in a call": [
    stream(START, open(0, use("t")), delta(0, { type: "citations_delta", citation: {} })),
    2,
    /a citations_delta in/,
  ],
  "an empty citation": [stream(START, open(0, TEXT), delta(0, { type: "citations_delta" })), 2, /'delta.citation'/],
  "input in a text": [stream(START, open(0, TEXT), json(0)), 2, /an? input_json_delta in/],
  "thinking in a text": [stream(START, open(0, TEXT), think(0)), 2, /a thinking_delta in/],
  "a signature in a text": [stream(START, open(0, TEXT), sign(0)), 2, /a signature_delta in/],
  "an empty signature": [stream(START, open(0, THINKING), sign(0, "")), 2, /'delta.signature'/],
  "a second signature": [stream(START, open(0, THINKING), sign(0), sign(0)), 3, /a second signature/],
  "thinking after its signature": [stream(START, open(0, THINKING), sign(0), think(0)), 3, /goes on after/],
  "a delta in redacted thinking": [
    stream(START, open(0, { type: "redacted_thinking", data: "x" }), think(0)),
    2,
    /a thinking_delta in/,
  ],
  "text that is a number": [stream(START, open(0, TEXT), say(0, 5)), 2, /'delta.text'/],
  "input that is an object": [stream(START, open(0, use("t")), json(0, {})), 2, /'delta.partial_json'/],
  "an end where no block is open": [stream(START, close(0)), 1, /where none is open/],
  "an end of another block": [stream(START, open(0, TEXT), close(1)), 2, /within block 0/],
  "input that is no JSON": [whole(open(0, use("t")), json(0, "{"), close(0), end("tool_use")), 4, /no object of JSON/],
  "input that is a list": [stream(START, open(0, use("t")), json(0, "[]"), close(0), open(1, TEXT)), 4, /no object/],
  "the reason within a block": [stream(START, open(0, TEXT), end("end_turn")), 2, /within block 0/],
  "no delta at the end": [stream(START, { type: "message_delta" }), 1, /'delta' is no object/],
  "an unknown reason": [stream(START, end("stop")), 1, /the stop_reason is "stop"/],
  "a call without the reason tool_use": [stream(START, ...CALLED, end("end_turn")), 4, /there were calls of tools/],
  "the reason tool_use without a call": [stream(START, ...SAID, end("tool_use")), 4, /there was none/],
  "a stop sequence without its name": [stream(START, end("stop_sequence")), 1, /no stop_sequence is named/],
  "a stop sequence beside another reason": [stream(START, end("end_turn", "END")), 1, /'stop_sequence' is "END"/],
  "an end without a usage": [stream(START, end("end_turn", null, null)), 1, /lacks output_tokens/],
  "content after the reason": [stream(START, end("end_turn"), open(0, TEXT)), 2, /follows the stop_reason/],
  "a second reason": [stream(START, end("end_turn"), end("end_turn")), 2, /follows the stop_reason/],
  "a stop without a reason": [stream(START, ...SAID, STOP), 4, /before a message_delta/],
  "a stop after a delta without a reason": [stream(START, end(null), STOP), 2, /before a message_delta/],
  "no stop": [stream(START, end("end_turn")), 2, /without message_stop/],
  "a ping after the stop": [`${whole(end("end_turn"))}${frame(PING)}`, 3, /follows the end/],
  "a stop after an error": [stream(START, ERROR, STOP), 2, /follows the end/],
  "an error without a message": [stream(START, { type: "error", error: { type: "api_error" } }), 1, /'error.message'/],
  "an error that is text": [stream(START, { type: "error", error: "no" }), 1, /'error' is no object/],
  "an end within a frame": [whole(end("end_turn")).slice(0, -1), 2, /ends within a frame/],
};

describe("illegal:", () => {
  test.each(Object.entries(ILLEGAL))("%s", (_name, [text, at, words]) => {
    const result = checkMessagesStream(text);
    if ("end" in result) throw new Error(`The stream was accepted: ${text}`);
    expect(result.problem).toMatch(words);
    expect(result.frame).toBe(at);
  });
});

describe("recorded streams of vendors", () => {
  const folder = new URL("../../fixtures/messages/", import.meta.url);
  const dialects: Readonly<Record<string, RegExp>> = {
    "absurd-usage.sse": /lacks output_tokens/,
    "broken-off.sse": /ends within a frame/,
    "data-only.sse": /not one line/,
    "error-first.sse": /belongs into the status/,
    "error-midway.sse": /follows the end/,
    "without-stop.sse": /without message_stop/,
    "without-usage.sse": /lacks input_tokens/,
  };

  test.each(readdirSync(folder).filter((name) => name.endsWith(".sse")))("%s", (name) => {
    const bytes = readFileSync(new URL(name, folder));
    const result = checkMessagesStream(bytes.toString());
    expect(checkMessagesStream(withCrlf(bytes).toString())).toEqual(result);
    const problem = dialects[name];
    if (problem === undefined) expect(result).toEqual({ end: name === "rate-limited.sse" ? "error" : "stop" });
    else expect("problem" in result && result.problem).toMatch(problem);
  });
});
