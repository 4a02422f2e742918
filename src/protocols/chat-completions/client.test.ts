import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ClientRequest } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { chatCompletions } from "./client.ts";

const HELLO = { model: "acme/swift", messages: [{ role: "user", content: "Hello" }] };

function read(body: unknown): ClientRequest {
  return chatCompletions.readRequest(typeof body === "string" ? body : JSON.stringify(body), new Headers());
}

/** The code and parameter of the error that refuses a body; null when the body is accepted. */
function refusal(body: unknown): readonly [string, string | null] | null {
  try {
    read(body);
  } catch (error) {
    if (error instanceof GatewayError) return [error.code, error.param];
    throw error;
  }
  return null;
}

const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const saying = (...messages: unknown[]) => ({ ...HELLO, messages });
const withBlock = (block: unknown) => saying({ role: "user", content: [block] });

describe("a request", () => {
  test("is read into what the pipeline needs", () => {
    const text = JSON.stringify({ ...HELLO, stream: true, n: 2, max_tokens: 9, max_completion_tokens: 7 });
    expect(read(text)).toMatchObject({
      protocol: "chat-completions",
      model: "acme/swift",
      stream: true,
      output_cap: 7,
      choices: 2,
      input_bound_tokens: Buffer.byteLength(text),
      text,
      body: { ...HELLO, n: 2 },
    });
    expect([...(read(text).members?.keys() ?? [])]).toEqual([...Object.keys(JSON.parse(text))]);
  });

  test("has its defaults where a field is absent or null", () => {
    const nothing = { stream: false, output_cap: null, choices: 1 };
    expect(read(HELLO)).toMatchObject(nothing);
    expect(read({ ...HELLO, stream: null, n: null, max_tokens: null, max_completion_tokens: null })).toMatchObject(
      nothing,
    );
    expect(read({ ...HELLO, max_tokens: 5 }).output_cap).toBe(5);
  });

  test("is read, or refused with a message, whatever the bytes", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const body = fc.record(
      {
        model: value,
        messages: fc.oneof(value, fc.array(fc.record({ role: value, content: value }))),
        tools: value,
        n: value,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          body.map((one) => JSON.stringify(one)),
        ),
        (text) => {
          expect(refusal(text)).not.toEqual(["internal_error", null]);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

/** The rows of docs/api.md 4.1, and further fields that real clients send. */
const ACCEPTED: Readonly<Record<string, unknown>> = {
  "stream and its options": {
    ...HELLO,
    stream: true,
    stream_options: { include_usage: true, include_obfuscation: false },
  },
  "both output caps": { ...HELLO, max_tokens: 1, max_completion_tokens: 2 },
  sampling: { ...HELLO, temperature: 1.7, top_p: 0.1 },
  "a stop sequence": { ...HELLO, stop: "END" },
  "stop sequences": { ...HELLO, stop: ["a", "b"] },
  "a function tool": { ...HELLO, tools: [{ type: "function", function: { name: "f" } }] },
  "a full function tool": {
    ...HELLO,
    tools: [
      { type: "function", function: { name: "f", description: "d", parameters: { type: "object" }, strict: true } },
    ],
  },
  "a custom tool": { ...HELLO, tools: [{ type: "custom", custom: { name: "patch", format: { type: "text" } } }] },
  "no tools": { ...HELLO, tools: [] },
  "a tool choice as a string": { ...HELLO, tool_choice: "required" },
  "a named tool": { ...HELLO, tool_choice: { type: "function", function: { name: "f" } } },
  "allowed tools": { ...HELLO, tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [] } } },
  "the end user": { ...HELLO, safety_identifier: "hash", user: "old" },
  "every extended parameter": {
    ...HELLO,
    presence_penalty: 0.5,
    frequency_penalty: -1,
    response_format: { type: "json_schema", json_schema: { name: "x", schema: {} } },
    parallel_tool_calls: false,
    n: 1,
    logprobs: true,
    top_logprobs: 5,
    modalities: ["text", "audio"],
    audio: { voice: "alloy", format: "wav" },
    prediction: { type: "content", content: "x" },
    seed: 7,
    metadata: { a: "b" },
    store: false,
    service_tier: "auto",
    verbosity: "low",
    web_search_options: {},
  },
  "unknown fields everywhere": {
    ...HELLO,
    extra: { a: 1 },
    messages: [{ role: "user", content: "x", cache_control: {} }],
  },
  "null for every optional field": {
    ...HELLO,
    stop: null,
    tools: null,
    tool_choice: null,
    reasoning_effort: null,
    user: null,
    temperature: null,
    response_format: null,
  },
  "every role": saying(
    { role: "system", content: "a" },
    { role: "developer", content: [{ type: "text", text: "b" }] },
    { role: "user", content: "c", name: "Ann" },
    { role: "assistant", content: null, tool_calls: [call("1"), call("2")] },
    { role: "tool", tool_call_id: "2", content: "d" },
    { role: "tool", tool_call_id: "1", content: [{ type: "text", text: "e" }] },
    { role: "assistant", content: "f" },
  ),
  "an assistant without content beside tool calls": saying(
    { role: "assistant", tool_calls: [call("1")] },
    { role: "tool", tool_call_id: "1", content: "" },
  ),
  "a custom tool's call": saying(
    { role: "assistant", content: "", tool_calls: [{ id: "1", type: "custom", custom: { name: "p", input: "x" } }] },
    { role: "tool", tool_call_id: "1", content: "ok" },
  ),
  "a replayed refusal and reasoning": saying(
    { role: "user", content: "x" },
    { role: "assistant", content: null, refusal: "No." },
    { role: "assistant", content: null, reasoning_content: "Hm." },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: [] },
        { type: "refusal", refusal: "No." },
      ],
    },
  ),
};

for (const effort of ["none", "minimal", "low", "medium", "high", "xhigh"]) {
  Object.assign(ACCEPTED, { [`reasoning effort ${effort}`]: { ...HELLO, reasoning_effort: effort } });
}

const BLOCKS: Readonly<Record<string, unknown>> = {
  text: { type: "text", text: "a" },
  "image URL": { type: "image_url", image_url: { url: "https://x.example/a.png", detail: "high" } },
  "image data": { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
  sound: { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
  "video URL": { type: "video_url", video_url: { url: "https://x.example/a.mp4" } },
  video: { type: "video", video: ["https://x.example/1.png"] },
  file: { type: "file", file: { file_data: "data:application/pdf;base64,AAAA", filename: "a.pdf" } },
};

describe("accepted:", () => {
  for (const [name, body] of Object.entries(ACCEPTED)) test(name, () => expect(refusal(body)).toBeNull());
  for (const [name, block] of Object.entries(BLOCKS)) {
    test(`a content block with ${name}`, () => expect(refusal(withBlock(block))).toBeNull());
  }
});

const OLD_CALL = { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } };

/** The 400 codes of docs/api.md 7.1, each with the field that the error names (docs/rulings.md 19a). */
const REFUSED: readonly (readonly [string, unknown, string, string | null])[] = [
  ["text that is no JSON", '{"model":', "invalid_json", null],
  ["an empty body", "", "invalid_json", null],
  ["JSON that is no object", "[]", "invalid_json", null],
  ["two models", '{"model":"a","messages":[{"role":"user","content":"x"}],"mod\\u0065l":"b"}', "invalid_json", "model"],
  ["no model", { messages: HELLO.messages }, "unsupported_parameter", "model"],
  ["an empty model", { ...HELLO, model: "" }, "unsupported_parameter", "model"],
  ["a model that is no string", { ...HELLO, model: 4 }, "unsupported_parameter", "model"],
  ["no messages", { model: "m" }, "invalid_messages", "messages"],
  ["no message", saying(), "invalid_messages", "messages"],
  ["messages that are no array", { ...HELLO, messages: "hi" }, "invalid_messages", "messages"],
  ["a message that is no object", saying("hi"), "invalid_messages", "messages[0]"],
  ["a responses request", { model: "m", input: "hi" }, "invalid_messages", "messages"],
  ["an unknown role", saying({ role: "robot", content: "x" }), "unsupported_message_role", "messages[0].role"],
  [
    "a function's result without a name",
    saying({ role: "function", content: "x" }),
    "invalid_messages",
    "messages[0].name",
  ],
  [
    "a function's result before its call",
    saying({ role: "function", name: "f", content: "x" }, OLD_CALL),
    "invalid_messages",
    "messages[0].name",
  ],
  [
    "a result of another function",
    saying(OLD_CALL, { role: "function", name: "g", content: "x" }),
    "invalid_messages",
    "messages[1].name",
  ],
  [
    "a function's result in blocks",
    saying(OLD_CALL, { role: "function", name: "f", content: [] }),
    "invalid_messages",
    "messages[1].content",
  ],
  [
    "an old call without arguments",
    saying({ role: "assistant", function_call: { name: "f" } }),
    "invalid_messages",
    "messages[0].function_call.arguments",
  ],
  ["a role that is no string", saying({ role: 1, content: "x" }), "unsupported_message_role", "messages[0].role"],
  ["no role", saying({ content: "x" }), "invalid_messages", "messages[0].role"],
  ["a user without content", saying({ role: "user" }), "invalid_messages", "messages[0].content"],
  ["a user with null", saying({ role: "user", content: null }), "invalid_messages", "messages[0].content"],
  [
    "an assistant without content and calls",
    saying({ role: "assistant", content: null }),
    "invalid_messages",
    "messages[0].content",
  ],
  [
    "an assistant with no calls",
    saying({ role: "assistant", tool_calls: [] }),
    "invalid_messages",
    "messages[0].content",
  ],
  ["a block of unknown type", withBlock({ type: "hologram" }), "invalid_messages", "messages[0].content[0].type"],
  ["a block without type", withBlock({ text: "a" }), "invalid_messages", "messages[0].content[0].type"],
  ["a text block without text", withBlock({ type: "text" }), "invalid_messages", "messages[0].content[0].text"],
  [
    "an image as text",
    withBlock({ type: "image_url", image_url: "u" }),
    "invalid_messages",
    "messages[0].content[0].image_url",
  ],
  [
    "an image without URL",
    withBlock({ type: "image_url", image_url: {} }),
    "invalid_messages",
    "messages[0].content[0].image_url.url",
  ],
  [
    "audio without format",
    withBlock({ type: "input_audio", input_audio: { data: "" } }),
    "invalid_messages",
    "messages[0].content[0].input_audio.format",
  ],
  ["a file without file", withBlock({ type: "file" }), "invalid_messages", "messages[0].content[0].file"],
  ["a name that is no string", saying({ role: "user", content: "x", name: 1 }), "invalid_messages", "messages[0].name"],
  ["a tool message without id", saying({ role: "tool", content: "x" }), "invalid_messages", "messages[0].tool_call_id"],
  [
    "a tool message first",
    saying({ role: "tool", content: "x", tool_call_id: "1" }),
    "tool_call_id_mismatch",
    "messages[0].tool_call_id",
  ],
  [
    "a tool message for another id",
    saying({ role: "assistant", tool_calls: [call("1")] }, { role: "tool", content: "x", tool_call_id: "2" }),
    "tool_call_id_mismatch",
    "messages[1].tool_call_id",
  ],
  [
    "a tool message for an older assistant message",
    saying(
      { role: "assistant", tool_calls: [call("1")] },
      { role: "assistant", content: "x" },
      { role: "tool", content: "x", tool_call_id: "1" },
    ),
    "tool_call_id_mismatch",
    "messages[2].tool_call_id",
  ],
  [
    "tool arguments that are no text",
    saying({ role: "assistant", tool_calls: [{ ...call("1"), function: { name: "f", arguments: {} } }] }),
    "invalid_messages",
    "messages[0].tool_calls[0].function.arguments",
  ],
  ["an effort that is no word", { ...HELLO, reasoning_effort: 3 }, "unsupported_parameter", "reasoning_effort"],
  ["an effort that is no string", { ...HELLO, reasoning_effort: 3 }, "unsupported_parameter", "reasoning_effort"],
  ["a stream that is no boolean", { ...HELLO, stream: "yes" }, "unsupported_parameter", "stream"],
  ["stream options as text", { ...HELLO, stream_options: "usage" }, "unsupported_parameter", "stream_options"],
  [
    "include_usage as text",
    { ...HELLO, stream_options: { include_usage: "yes" } },
    "unsupported_parameter",
    "stream_options.include_usage",
  ],
  ["an output cap of 0", { ...HELLO, max_completion_tokens: 0 }, "unsupported_parameter", "max_completion_tokens"],
  ["half a token", { ...HELLO, max_tokens: 1.5 }, "unsupported_parameter", "max_tokens"],
  ["a temperature as text", { ...HELLO, temperature: "hot" }, "unsupported_parameter", "temperature"],
  ["a top_p as text", { ...HELLO, top_p: "all" }, "unsupported_parameter", "top_p"],
  ["a stop that is no text", { ...HELLO, stop: [1] }, "unsupported_parameter", "stop[0]"],
  ["tools that are no array", { ...HELLO, tools: {} }, "unsupported_parameter", "tools"],
  ["a tool of unknown type", { ...HELLO, tools: [{ type: "oracle" }] }, "unsupported_parameter", "tools[0].type"],
  [
    "a tool without name",
    { ...HELLO, tools: [{ type: "function", function: {} }] },
    "unsupported_parameter",
    "tools[0].function.name",
  ],
  [
    "a tool with parameters as text",
    { ...HELLO, tools: [{ type: "function", function: { name: "f", parameters: "x" } }] },
    "unsupported_parameter",
    "tools[0].function.parameters",
  ],
  ["an unknown tool choice", { ...HELLO, tool_choice: "any" }, "unsupported_parameter", "tool_choice"],
  [
    "a tool choice without name",
    { ...HELLO, tool_choice: { type: "function", function: {} } },
    "unsupported_parameter",
    "tool_choice.function.name",
  ],
  ["an end user as number", { ...HELLO, safety_identifier: 1 }, "unsupported_parameter", "safety_identifier"],
  ["a legacy user as number", { ...HELLO, user: 1 }, "unsupported_parameter", "user"],
  ["no answers at all", { ...HELLO, n: 0 }, "unsupported_parameter", "n"],
  ["a seed as text", { ...HELLO, seed: "x" }, "unsupported_parameter", "seed"],
  ["a format as text", { ...HELLO, response_format: "json" }, "unsupported_parameter", "response_format"],
];

describe("refused:", () => {
  for (const [name, body, code, param] of REFUSED) {
    test(`${name}, with ${code}`, () => expect(refusal(body)).toEqual([code, param]));
  }

  test("with a message that says what was found and what is allowed", () => {
    expect(() => read(withBlock({ type: "hologram" }))).toThrow(
      `'messages[0].content[0].type' is the string "hologram"; allowed: "text", "image_url", "input_audio", "video_url", "video" or "file".`,
    );
    const answers = saying(
      { role: "assistant", tool_calls: [call("1")] },
      { role: "tool", content: "x", tool_call_id: "2" },
    );
    expect(() => read(answers)).toThrow(
      `'messages[1].tool_call_id' is the string "2"; allowed: the id of a tool call of the preceding assistant message ("1").`,
    );
  });
});
