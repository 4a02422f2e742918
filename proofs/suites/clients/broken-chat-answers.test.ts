import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dataFrames, jsonBody } from "../../support/scripted-vendor.ts";
import { ScriptedClients, STYLES, type Style } from "./support/scripted-clients.ts";

/**
 * Answers of vendors of chat that lack something, or say it in another way, as the official clients read them: relayed and
 * translated, whole and streamed (docs/rulings.md 4, 172).
 */

type Fields = Readonly<Record<string, unknown>>;

let clients: ScriptedClients;
beforeAll(async () => {
  clients = await ScriptedClients.start(
    { chat: "chat-completions", shaky: "chat-completions", spare: "chat-completions" },
    { shaky: "spare" },
  );
}, 60_000);
afterAll(() => clients[Symbol.asyncDispose]());

const ENVELOPE = { id: "c1", object: "chat.completion.chunk", created: 1_700_000_000, model: "m" };
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const delta = (told: Fields, finish_reason: unknown = null) => ({
  ...ENVELOPE,
  choices: [{ index: 0, delta: told, finish_reason }],
});
const usage = { ...ENVELOPE, choices: [], usage: USAGE };
const role = delta({ role: "assistant", content: "" });
const hello = [role, delta({ content: "Hel" }), delta({ content: "lo" })];
const second = ["Not ", "asked for"].map((content) => ({ ...ENVELOPE, choices: [{ index: 1, delta: { content } }] }));
const piece = (index: unknown, id: string | undefined, name: string | undefined, text: unknown) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id, type: "function" }),
  function: { ...(name === undefined ? {} : { name }), arguments: text },
});
const calls = (...pieces: Fields[]) => delta({ tool_calls: pieces });
const whole = (message: Fields, finish_reason: unknown, more: Fields = { usage: USAGE }) =>
  jsonBody({ ...ENVELOPE, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], ...more });
const message = (told: unknown) => ({ role: "assistant", content: null, tool_calls: told });

const ENDS = {
  stop: { chat: "stop", messages: "end_turn", responses: "completed" },
  tools: { chat: "tool_calls", messages: "tool_use", responses: "completed" },
  length: { chat: "length", messages: "max_tokens", responses: "incomplete" },
} as const;
const HELLO = { end: ENDS.stop, text: "Hello", calls: [] };
const ONE = ['f {"q":"x"}'];
const TWO = ['f {"a":1}', 'g {"b":2}'];

const STREAMS: Readonly<
  Record<
    string,
    readonly [
      readonly unknown[],
      { readonly end: Readonly<Record<Style, string>>; readonly text: string; readonly calls: readonly string[] },
    ]
  >
> = {
  "text and [DONE] alone": [[...hello, "[DONE]"], HELLO],
  "a finish reason of null": [[...hello, delta({}), "[DONE]"], HELLO],
  "an empty finish reason": [[...hello, delta({}, ""), usage, "[DONE]"], HELLO],
  "a usage in place of an end": [[...hello, usage, "[DONE]"], HELLO],
  "no usage chunk's choices": [[...hello, delta({}, "stop"), { ...usage, choices: null }, "[DONE]"], HELLO],
  "a usage chunk without choices": [[...hello, delta({}, "stop"), { ...usage, choices: undefined }, "[DONE]"], HELLO],
  "no role": [[delta({ content: "Hello" }), delta({}, "stop"), "[DONE]"], HELLO],
  "no index": [
    [
      ...["Hel", "lo"].map((content) => ({ ...ENVELOPE, choices: [{ delta: { role: "assistant", content } }] })),
      { ...ENVELOPE, choices: [{ index: null, delta: {}, finish_reason: "stop" }] },
      "[DONE]",
    ],
    HELLO,
  ],
  "an index of null in later chunks": [
    [...hello.slice(0, -1), { ...ENVELOPE, choices: [{ index: null, delta: { content: "lo" } }] }, "[DONE]"],
    HELLO,
  ],
  "a delta of null": [
    [...hello, { ...ENVELOPE, choices: [{ index: 0, delta: null }] }, delta({}, "stop"), "[DONE]"],
    HELLO,
  ],
  "two choices of which neither ends": [[...hello, ...second, "[DONE]"], HELLO],
  "two choices of which one ends": [[...hello, ...second, delta({}, "stop")], HELLO],
  "a call's later piece without a function": [
    [
      role,
      calls(piece(0, "c1", "f", '{"q":"x"}')),
      calls({ index: 0 }),
      calls({ index: 0, function: null }),
      delta({}, "tool_calls"),
      "[DONE]",
    ],
    { end: ENDS.tools, text: "", calls: ONE },
  ],
  "chunks of choices alone": [
    [{ choices: [{ delta: { content: "Hello" } }] }, { choices: [{ delta: {}, finish_reason: "stop" }] }, "[DONE]"],
    HELLO,
  ],
  "the message again in the last chunk": [
    [
      ...hello,
      { ...ENVELOPE, choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }] },
      "[DONE]",
    ],
    HELLO,
  ],
  "the completion again at the end": [
    [
      ...hello,
      {
        ...ENVELOPE,
        object: "chat.completion",
        choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
        usage: USAGE,
      },
      "[DONE]",
    ],
    HELLO,
  ],
  "the completion alone": [
    [
      {
        ...ENVELOPE,
        object: "chat.completion",
        choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
      },
    ],
    HELLO,
  ],
  "a vendor's word for a good end": [[...hello, delta({}, "eos_token"), "[DONE]"], HELLO],
  "a word in capitals": [[...hello, delta({}, "COMPLETE"), "[DONE]"], HELLO],
  "a full context": [[...hello, delta({}, "model_context_window_exceeded"), "[DONE]"], { ...HELLO, end: ENDS.length }],
  "a word of tomorrow": [[...hello, delta({}, "toString"), "[DONE]"], { ...HELLO, end: ENDS.length }],
  "a whole call and [DONE]": [
    [role, calls(piece(0, "c1", "f", '{"q":')), calls(piece(0, undefined, undefined, '"x"}')), "[DONE]"],
    { end: ENDS.tools, text: "", calls: ONE },
  ],
  "a first call with index 1": [
    [role, calls(piece(1, "c1", "f", '{"q":"x"}')), delta({}, "tool_calls"), "[DONE]"],
    { end: ENDS.tools, text: "", calls: ONE },
  ],
  "calls without an index": [
    [
      role,
      calls(piece(undefined, "c1", "f", '{"a":1}')),
      calls(piece(undefined, "c2", "g", '{"b":2}')),
      delta({}, "tool_calls"),
      "[DONE]",
    ],
    { end: ENDS.tools, text: "", calls: TWO },
  ],
  "two calls with one index": [
    [
      role,
      calls(piece(0, "c1", "f", '{"a":1}')),
      calls(piece(0, "c2", "g", '{"b":2}')),
      delta({}, "tool_calls"),
      "[DONE]",
    ],
    { end: ENDS.tools, text: "", calls: TWO },
  ],
  "two calls with one id": [
    [
      role,
      calls(piece(0, "c1", "f", '{"a":1}')),
      calls(piece(1, "c1", "g", '{"b":2}')),
      delta({}, "tool_calls"),
      "[DONE]",
    ],
    { end: ENDS.tools, text: "", calls: TWO },
  ],
  "whole calls with one index and no ids": [
    [
      role,
      calls(piece(0, undefined, "f", '{"a":1}')),
      calls(piece(0, undefined, "g", '{"b":2}')),
      delta({}, "tool_calls"),
      "[DONE]",
    ],
    { end: ENDS.tools, text: "", calls: TWO },
  ],
  "a call whose id and name are repeated": [
    [role, calls(piece(0, "c1", "f", '{"q":')), calls(piece(0, "c1", "f", '"x"}')), delta({}, "tool_calls"), "[DONE]"],
    { end: ENDS.tools, text: "", calls: ONE },
  ],
  "a call that is told twice": [
    [
      role,
      calls(piece(0, "c1", "f", '{"q":"x"}')),
      {
        ...ENVELOPE,
        choices: [
          { index: 0, message: message([piece(undefined, "c1", "f", '{"q":"x"}')]), finish_reason: "tool_calls" },
        ],
      },
      "[DONE]",
    ],
    { end: ENDS.tools, text: "", calls: ONE },
  ],
  "arguments that are an object": [
    [role, calls(piece(0, "c1", "f", { q: "x" })), delta({}, "tool_calls"), "[DONE]"],
    { end: ENDS.tools, text: "", calls: ONE },
  ],
  "arguments that are null": [
    [role, calls(piece(0, "c1", "f", null)), delta({}, "tool_calls"), "[DONE]"],
    { end: ENDS.tools, text: "", calls: ["f {}"] },
  ],
};

const BODIES: Readonly<Record<string, readonly [ReturnType<typeof jsonBody>, (typeof STREAMS)[string][1]]>> = {
  "no finish reason": [whole({ role: "assistant", content: "Hello" }, null), HELLO],
  "no role": [whole({ content: "Hello" }, "stop"), HELLO],
  "a vendor's word": [whole({ role: "assistant", content: "Hello" }, "eos"), HELLO],
  "a word of tomorrow": [whole({ role: "assistant", content: "Hello" }, "later"), { ...HELLO, end: ENDS.length }],
  "calls without ids": [
    whole(
      message([piece(undefined, undefined, "f", '{"a":1}'), piece(undefined, undefined, "g", '{"b":2}')]),
      "tool_calls",
    ),
    { end: ENDS.tools, text: "", calls: TWO },
  ],
  "arguments that are an object": [
    whole(message([piece(undefined, "c1", "f", { q: "x" })]), "tool_calls"),
    { end: ENDS.tools, text: "", calls: ONE },
  ],
  "arguments that are null": [
    whole(message([piece(undefined, "c1", "f", null)]), "tool_calls"),
    { end: ENDS.tools, text: "", calls: ["f {}"] },
  ],
};

describe.each([...STYLES])("a client of %s reads", (style) => {
  test.each(Object.entries(STREAMS))("a stream with %s", async (_, [frames, expected]) => {
    expect(await clients.read(style, "chat", dataFrames(...frames))).toEqual({ ...expected, end: expected.end[style] });
  });

  test.each(Object.entries(BODIES))("an answer with %s", async (_, [body, expected]) => {
    expect(await clients.read(style, "chat", body, false)).toEqual({ ...expected, end: expected.end[style] });
  });

  test("JSON in place of a stream", async () => {
    const body = whole({ role: "assistant", content: "Hello" }, "stop");
    expect(await clients.read(style, "chat", body)).toEqual({ ...HELLO, end: HELLO.end[style] });
  });

  const half = calls(piece(0, "c1", "f", '{"q":'));
  test.each(
    Object.entries({
      "[DONE]": [half, "[DONE]"],
      tool_calls: [half, delta({}, "tool_calls"), "[DONE]"],
      stop: [half, delta({}, "stop"), "[DONE]"],
      network_error: [...hello, delta({}, "network_error"), "[DONE]"],
      insufficient_system_resource: [...hello, delta({}, "insufficient_system_resource"), "[DONE]"],
      abort: [...hello, delta({}, "abort"), usage, "[DONE]"],
    }),
  )("an error where the vendor ends half a call, or breaks off, with %s", async (_, frames) => {
    expect(await clients.read(style, "chat", dataFrames(role, ...frames))).toEqual({
      error: expect.stringContaining("The model"),
    });
  });
});

const GOOD = dataFrames(...hello, delta({}, "stop"), usage, "[DONE]");
const ZEROS = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const NO_ANSWERS = {
  "[DONE] alone": dataFrames("[DONE]"),
  "a usage of zeros": dataFrames({ ...usage, usage: ZEROS }, "[DONE]"),
  "a usage alone": dataFrames(usage, "[DONE]"),
  "an end with a usage of zeros": dataFrames({ ...delta({}, "stop"), usage: ZEROS }, "[DONE]"),
  "an error as JSON": jsonBody({ error: { message: "The token has expired" } }),
  "a sentence as JSON": jsonBody({ message: "The token has expired" }),
  "a failure before content": dataFrames(delta({}, "network_error"), "[DONE]"),
};

describe.each([...STYLES])("for a client of %s", (style) => {
  beforeAll(async () => {
    // Good answers keep the circuits closed.
    const good = () => ["spare", "chat", "shaky"].map((name) => clients.post(style, name, GOOD, { stream: true }));
    for (let at = 0; at < 8; at++) await Promise.all(good());
  });

  test.each(Object.entries(NO_ANSWERS))(
    "%s is no answer: it is free, and another route may answer",
    async (name, script) => {
      const alone = await clients.post(style, "chat", script, { stream: true });
      const free = [alone.receipt.charge_micro, alone.text.includes("[DONE]")];
      expect(free).toEqual([0, false]);
      if (script.type !== undefined) expect(alone.text).toContain("The token has expired");
      const other = await clients.post(style, "shaky", script, { stream: true });
      if (name === "an end with a usage of zeros" && style === "chat") return;
      const vendors = other.receipt.attempts.map(({ vendor }) => vendor);
      expect([alone.status, other.status, vendors]).toEqual([502, 200, ["shaky", "spare"]]);
    },
  );

  test("an empty turn that is counted is an answer, whole and streamed", async () => {
    const empty = { role: "assistant", content: "" };
    const streamed = await clients.post(style, "chat", dataFrames(delta(empty), delta({}, "stop"), usage, "[DONE]"), {
      stream: true,
    });
    const at_once = await clients.post(style, "chat", whole(empty, "stop"));
    expect([streamed.status, at_once.status]).toEqual([200, 200]);
    expect(streamed.receipt.charge_micro).toBeGreaterThan(0);
    expect(streamed.receipt.charge_micro).toBe(at_once.receipt.charge_micro);
  });
});
