import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jsonBody, namedFrames } from "../../support/scripted-vendor.ts";
import { type Read, ScriptedClients, STYLES, type Style } from "./support/scripted-clients.ts";

/**
 * Answers of vendors of messages that lack something, or say it in another way, as the official clients read them: relayed
 * and translated, whole and streamed (docs/rulings.md 6, 172).
 */

type Fields = Readonly<Record<string, unknown>>;
type Event = Fields & { readonly type: string };

let clients: ScriptedClients;
beforeAll(async () => {
  clients = await ScriptedClients.start({ msg: "messages", chat: "chat-completions" });
}, 60_000);
afterAll(() => clients[Symbol.asyncDispose]());

const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [],
  stop_reason: null,
  stop_sequence: null,
};
const USAGE = { input_tokens: 10, output_tokens: 5 };
const start = (more: Fields = {}): Event => ({
  type: "message_start",
  message: { ...MESSAGE, usage: { input_tokens: 10, output_tokens: 1 }, ...more },
});
const open = (index: unknown, content_block: Fields): Event => ({ type: "content_block_start", index, content_block });
const delta = (index: unknown, told: Fields): Event => ({ type: "content_block_delta", index, delta: told });
const close = (index: unknown): Event => ({ type: "content_block_stop", index });
const text = (index: unknown = 0) => [
  open(index, { type: "text", text: "" }),
  delta(index, { type: "text_delta", text: "Hel" }),
  delta(index, { type: "text_delta", text: "lo" }),
  close(index),
];
const call = (index: unknown, args: string, id = "t1", name = "f") => [
  open(index, { type: "tool_use", id, name, input: {} }),
  ...[...args].map((partial_json) => delta(index, { type: "input_json_delta", partial_json })),
  close(index),
];
const end = (stop_reason: unknown): Event[] => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: USAGE },
  { type: "message_stop" },
];

const ENDS = {
  stop: { chat: "stop", messages: "end_turn", responses: "completed" },
  tools: { chat: "tool_calls", messages: "tool_use", responses: "completed" },
  length: { chat: "length", messages: "max_tokens", responses: "incomplete" },
  full: { chat: "length", messages: "model_context_window_exceeded", responses: "incomplete" },
  unknown: { chat: "length", messages: "a_word_of_tomorrow", responses: "incomplete" },
} as const;
type Expected = Omit<Read, "end"> & { readonly end: Readonly<Record<Style, string>> };
const HELLO: Expected = { end: ENDS.stop, text: "Hello", calls: [] };
const ONE: Expected = { end: ENDS.tools, text: "", calls: ['f {"q":"x"}'] };
const without = (...names: string[]): Event => start(Object.fromEntries(names.map((name) => [name, undefined])));

const STREAMS: Readonly<Record<string, readonly [readonly Event[], Expected]>> = {
  "no content at the start": [[without("content"), ...text(), ...end("end_turn")], HELLO],
  "content of null": [[start({ content: null }), ...text(), ...end("end_turn")], HELLO],
  "no usage at the start": [[without("usage"), ...text(), ...end("end_turn")], HELLO],
  "nothing at the start": [[{ type: "message_start" }, ...text(), ...end("end_turn")], HELLO],
  "no start": [[...text(), ...end("end_turn")], HELLO],
  "two starts": [[start(), start(), ...text(), ...end("end_turn")], HELLO],
  "a first block with index 1": [[start(), ...text(1), ...end("end_turn")], HELLO],
  "a first call with index 1": [[start(), ...call(1, '{"q":"x"}'), ...end("tool_use")], ONE],
  "no indexes": [[start(), ...text(undefined), ...end("end_turn")], HELLO],
  "no end of a block": [
    [start(), ...text().slice(0, -1), ...call(1, '{"q":"x"}'), ...end("tool_use")],
    { ...ONE, text: "Hello" },
  ],
  "no end of the last block": [[start(), ...call(0, '{"q":"x"}').slice(0, -1), ...end("tool_use")], ONE],
  "a block without its text": [[start(), open(0, { type: "text" }), ...text().slice(1), ...end("end_turn")], HELLO],
  "thinking without its text": [
    [
      start(),
      open(0, { type: "thinking" }),
      delta(0, { type: "thinking_delta", thinking: "Hm" }),
      close(0),
      ...text(1),
      ...end("end_turn"),
    ],
    HELLO,
  ],
  "a call without input": [
    [start(), open(0, { type: "tool_use", id: "t1", name: "f" }), ...call(0, '{"q":"x"}').slice(1), ...end("tool_use")],
    ONE,
  ],
  "a call without pieces": [[start(), ...call(0, ""), ...end("tool_use")], { ...ONE, calls: ["f {}"] }],
  "a block without its type": [[start(), open(0, { text: "" }), ...text().slice(1), ...end("end_turn")], HELLO],
  "a call without its type": [
    [start(), open(0, { id: "t1", name: "f", input: {} }), ...call(0, '{"q":"x"}').slice(1), ...end("tool_use")],
    ONE,
  ],
  "a delta without its type": [
    [start(), ...text().slice(0, 1), delta(0, { text: "Hel" }), delta(0, { text: "lo" }), close(0), ...end("end_turn")],
    HELLO,
  ],
  "a later delta without its type": [
    [
      start(),
      ...text().slice(0, 1),
      delta(0, { type: "text_delta", text: "Hel" }),
      delta(0, { text: "lo" }),
      ...end("end_turn"),
    ],
    HELLO,
  ],
  "a text of null": [
    [start(), ...text().slice(0, -1), delta(0, { type: "text_delta", text: null }), close(0), ...end("end_turn")],
    HELLO,
  ],
  "a start of a block without an index": [
    [start(), { ...open(0, { type: "text", text: "" }), index: undefined }, ...text().slice(1), ...end("end_turn")],
    HELLO,
  ],
  "counts of null between the blocks": [
    [start(), { type: "message_delta", usage: null }, ...text(), { type: "message_delta" }, ...end("end_turn")],
    HELLO,
  ],
  "two calls of one id": [
    [start(), ...call(0, '{"q":"x"}'), ...call(1, '{"q":"x"}'), ...end("tool_use")],
    { ...ONE, calls: ['f {"q":"x"}', 'f {"q":"x"}'] },
  ],
  "no stop reason": [[start(), ...text(), { type: "message_stop" }], HELLO],
  "no stop reason behind a call": [[start(), ...call(0, '{"q":"x"}'), { type: "message_stop" }], ONE],
  "a stop reason of null": [[start(), ...text(), ...end(null)], HELLO],
  "counts without a delta": [
    [start(), ...text(), { type: "message_delta", usage: USAGE }, { type: "message_stop" }],
    HELLO,
  ],
  "a stop reason and no counts": [
    [start(), ...text(), { type: "message_delta", delta: { stop_reason: "end_turn" } }, { type: "message_stop" }],
    HELLO,
  ],
  "chat's word for the end": [[start(), ...text(), ...end("stop")], HELLO],
  "chat's word for calls": [[start(), ...call(0, '{"q":"x"}'), ...end("tool_calls")], ONE],
  "chat's word for a cut": [[start(), ...text(), ...end("length")], { ...HELLO, end: ENDS.length }],
  "a full context": [[start(), ...text(), ...end("model_context_window_exceeded")], { ...HELLO, end: ENDS.full }],
  "a word of tomorrow": [[start(), ...text(), ...end("a_word_of_tomorrow")], { ...HELLO, end: ENDS.unknown }],
};

const whole = (content: unknown, stop_reason: unknown, more: Fields = {}) =>
  jsonBody({ ...MESSAGE, content, stop_reason, usage: USAGE, ...more });
const SAID = [{ type: "text", text: "Hello" }];
const used = (more: Fields) => [{ type: "tool_use", id: "t1", name: "f", input: { q: "x" }, ...more }];

const BODIES: Readonly<Record<string, readonly [ReturnType<typeof jsonBody>, Expected]>> = {
  "no stop reason": [whole(SAID, undefined), HELLO],
  "no stop reason behind a call": [whole(used({}), null), ONE],
  "neither id nor role nor type": [whole(SAID, "end_turn", { id: undefined, role: undefined, type: undefined }), HELLO],
  "chat's word": [whole(SAID, "length"), { ...HELLO, end: ENDS.length }],
  "a word of tomorrow": [whole(SAID, "a_word_of_tomorrow"), { ...HELLO, end: ENDS.unknown }],
  "entries that are no blocks": [whole([null, ...SAID, 7], "end_turn"), HELLO],
  "a text without its type": [whole([{ text: "Hello" }], "end_turn"), HELLO],
  "a call's input as text": [whole(used({ input: '{"q":"x"}' }), "tool_use"), ONE],
  "a call without input": [whole(used({ input: undefined }), "tool_use"), { ...ONE, calls: ["f {}"] }],
};

describe.each([...STYLES])("a client of %s reads", (style) => {
  const shown = (expected: Expected) => ({ ...expected, end: expected.end[style] });

  test.each(Object.entries(STREAMS))("a stream with %s", async (_, [events, expected]) => {
    expect(await clients.read(style, "msg", namedFrames(...events))).toEqual(shown(expected));
  });

  test.each(Object.entries(BODIES))("an answer with %s", async (_, [body, expected]) => {
    expect(await clients.read(style, "msg", body, false)).toEqual(shown(expected));
  });

  test("JSON in place of a stream", async () => {
    expect(await clients.read(style, "msg", whole([...SAID, ...used({})], "tool_use"))).toEqual(
      shown({ ...ONE, text: "Hello" }),
    );
    const failed = await clients.post(
      style,
      "msg",
      jsonBody({ type: "error", error: { type: "api_error", message: "It has expired" } }),
      { stream: true },
    );
    expect([failed.status, failed.receipt.charge_micro, failed.text]).toEqual([
      502,
      0,
      expect.stringContaining("It has expired"),
    ]);
  });

  test.each(["network_error", "error", "insufficient_system_resource"])(
    "an error where the vendor broke off with %s",
    async (word) => {
      const error = { error: expect.stringContaining(word) };
      expect(await clients.read(style, "msg", namedFrames(start(), ...text(), ...end(word)))).toEqual(error);
      expect(await clients.read(style, "msg", whole(SAID, word), false)).toEqual(error);
    },
  );

  test.each(["tool_use", "end_turn"])("an error where the vendor ends half a call with %s", async (word) => {
    const half = namedFrames(start(), ...call(0, '{"q":'), ...end(word));
    expect(await clients.read(style, "msg", half)).toEqual({ error: expect.stringContaining("within the arguments") });
  });
});

/** Arguments that are no object, and the input that a client of messages gets. */
const ARGUMENTS: readonly (readonly [string, Fields])[] = [
  ["hello", { INVALID_JSON: "hello" }],
  ["[1,2]", { INVALID_JSON: "[1,2]" }],
  ["null", { INVALID_JSON: "null" }],
  ['"text"', { INVALID_JSON: '"text"' }],
  ["{'q':1}", { INVALID_JSON: "{'q':1}" }],
  ['{"q":1,}', { q: 1, INVALID_JSON: '{"q":1,}' }],
];

test.each([...ARGUMENTS])(
  "the arguments %s reach a client of messages as an object, relayed and translated",
  async (args, input) => {
    const read = { end: "tool_use", text: "", calls: [`f ${JSON.stringify(input)}`] };
    expect(await clients.read("messages", "msg", namedFrames(start(), ...call(0, args), ...end("tool_use")))).toEqual(
      read,
    );
    const chunk = (told: Fields, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: told, finish_reason }] })}\n\n`;
    const called = chunk({
      role: "assistant",
      tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "f", arguments: args } }],
    });
    const body = `${called}${chunk({}, "tool_calls")}data: [DONE]\n\n`;
    expect(await clients.read("messages", "chat", { body })).toEqual(read);
    const tool_calls = [{ id: "c1", type: "function", function: { name: "f", arguments: args } }];
    const message = { role: "assistant", content: null, tool_calls };
    const answer = jsonBody({
      id: "c",
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: "tool_calls" }],
    });
    expect(await clients.read("messages", "chat", answer, false)).toEqual(read);
  },
);
