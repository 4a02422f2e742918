import { describe, expect, test } from "bun:test";
import type { ClientHeaders, ClientRequest } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { messages, readCountRequest } from "./client.ts";

const VERSION = headers({ "altstyle-version": "2023-06-01" });
const HELLO = { model: "acme/sonnet", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] };

function headers(all: Record<string, string>): ClientHeaders {
  return new Headers(all);
}

function read(body: unknown, sent = VERSION): ClientRequest {
  return messages.readRequest(typeof body === "string" ? body : JSON.stringify(body), sent);
}

function refusal(run: () => unknown): GatewayError {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error("was not refused");
}

function withContent(...content: unknown[]) {
  return { ...HELLO, messages: [{ role: "user", content }] };
}

describe("a request", () => {
  test("is read into what the pipeline needs", () => {
    const text = JSON.stringify({ ...HELLO, stream: true });
    expect(read(text)).toMatchObject({
      protocol: "messages",
      model: "acme/sonnet",
      stream: true,
      output_cap: 100,
      choices: 1,
      text,
      body: { ...HELLO, stream: true },
    });
  });

  test("is not streamed unless it asks for a stream", () => {
    expect(read(HELLO).stream).toBe(false);
    expect(read({ ...HELLO, stream: false }).stream).toBe(false);
  });

  test("bounds its input from its bytes, with room for tools", () => {
    const plain = read(HELLO).input_bound_tokens;
    expect(plain).toBeGreaterThanOrEqual("Hello".length);
    expect(read({ ...HELLO, tools: [{ name: "a", input_schema: {} }] }).input_bound_tokens).toBeGreaterThan(
      plain + 500,
    );
  });
});

/** The rows of docs/api.md 4.3, and further fields that real clients send. */
const ACCEPTED: Readonly<Record<string, unknown>> = {
  "system as text": { ...HELLO, system: "Be brief." },
  "system as blocks": {
    ...HELLO,
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ttl: "1h" } }],
  },
  "all sampling parameters": { ...HELLO, temperature: 1, top_p: 0.9, top_k: 40, stop_sequences: ["END"] },
  "a user id": { ...HELLO, metadata: { user_id: "u-1" } },
  "a null user id": { ...HELLO, metadata: { user_id: null } },
  "an image in base64": withContent({
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "aGk=" },
  }),
  "an image by URL": withContent({ type: "image", source: { type: "url", url: "https://images.example/a.png" } }),
  "an image by file": withContent({ type: "image", source: { type: "file", file_id: "file_1" } }),
  "a tool's use and result": {
    ...HELLO,
    messages: [
      { role: "user", content: "Time?" },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "now", input: {} }] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            is_error: false,
            content: [
              { type: "text", text: "06:12" },
              { type: "tool_reference", tool_name: "x" },
            ],
          },
        ],
      },
    ],
  },
  "a result without content": withContent({ type: "tool_result", tool_use_id: "toolu_1" }),
  "signed reasoning": {
    ...HELLO,
    messages: [
      { role: "assistant", content: [{ type: "thinking", thinking: "", signature: "sig" }] },
      { role: "user", content: "Go on" },
    ],
  },
  "redacted reasoning": withContent({ type: "redacted_thinking", data: "xyz" }),
  "blocks of the vendor's own tools": withContent(
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
    { type: "search_result", source: "s", title: "t", content: [] },
  ),
  "an unknown block type": withContent({ type: "hologram", shape: [1, 2, 3] }),
  "unknown fields": { ...HELLO, context_management: { edits: [] }, container: "c_1", betas: ["x"] },
  "thinking with a budget": { ...HELLO, thinking: { type: "enabled", budget_tokens: 2000 } },
  "adaptive thinking": { ...HELLO, thinking: { type: "adaptive", display: "omitted" } },
  "disabled thinking": { ...HELLO, thinking: { type: "disabled" } },
  "an effort and a format": {
    ...HELLO,
    output_config: { effort: "max", format: { type: "json_schema", schema: {} } },
  },
  "a tool of the client": {
    ...HELLO,
    tools: [{ name: "now", description: "The time", input_schema: { type: "object" }, strict: true }],
    tool_choice: { type: "tool", name: "now", disable_parallel_tool_use: true },
  },
  "a tool of type custom": { ...HELLO, tools: [{ type: "custom", name: "now", input_schema: { type: "object" } }] },
  "tools of the vendor": {
    ...HELLO,
    tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 5 }, { type: "computer_toolset_20260801" }],
    tool_choice: { type: "any" },
  },
  "no choice of tools": { ...HELLO, tool_choice: { type: "none" } },
  "an assistant's prefill": {
    ...HELLO,
    messages: [
      { role: "user", content: "Haiku" },
      { role: "assistant", content: "Old pond" },
    ],
  },
};

describe("accepted:", () => {
  test.each(Object.entries(ACCEPTED))("%s", (_name, body) => {
    expect(read(body).body).toEqual(body as Record<string, unknown>);
  });
});

/** Body, parameter and message of each refusal. All are 400 invalid_request_error (docs/api.md 7.3). */
const REFUSED: Readonly<Record<string, readonly [body: unknown, param: string | null, words: RegExp]>> = {
  "malformed JSON": ['{"model": "x",', null, /not valid JSON/],
  "an empty body": ["", null, /empty/],
  "a body that is no object": [[], null, /array; allowed: a JSON object/],
  "no model": [{ ...HELLO, model: undefined }, "model", /'model' is missing/],
  "an empty model": [{ ...HELLO, model: "" }, "model", /a string of at least 1/],
  "a model that is no string": [{ ...HELLO, model: 7 }, "model", /the number 7; allowed: a string/],
  "no messages": [{ ...HELLO, messages: undefined }, "messages", /missing/],
  "an empty conversation": [{ ...HELLO, messages: [] }, "messages", /at least 1 item/],
  "a conversation that is text": [{ ...HELLO, messages: "Hi" }, "messages", /allowed: an array/],
  "the role system": [
    { ...HELLO, messages: [{ role: "system", content: "Be brief." }] },
    "messages[0].role",
    /"system" before the first turn; allowed: "user" or "assistant". .* belongs in 'system'/,
  ],
  "the role tool": [{ ...HELLO, messages: [{ role: "tool", content: "x" }] }, "messages[0].role", /"tool"/],
  "a message without a role": [{ ...HELLO, messages: [{ content: "x" }] }, "messages[0].role", /missing/],
  "a message without content": [{ ...HELLO, messages: [{ role: "user" }] }, "messages[0].content", /missing/],
  "content that is null": [
    { ...HELLO, messages: [{ role: "user", content: null }] },
    "messages[0].content",
    /null; allowed: a string or an array/,
  ],
  "a block without a type": [withContent({ text: "x" }), "messages[0].content[0].type", /missing/],
  "a text block without text": [withContent({ type: "text" }), "messages[0].content[0].text", /missing/],
  "an image without a source": [withContent({ type: "image" }), "messages[0].content[0].source", /missing/],
  "an image of an unknown source": [
    withContent({ type: "image", source: { type: "ftp" } }),
    "messages[0].content[0].source.type",
    /"ftp"; allowed: "base64", "url" or "file"/,
  ],
  "an image without its data": [
    withContent({ type: "image", source: { type: "base64", media_type: "image/png" } }),
    "messages[0].content[0].source.data",
    /missing/,
  ],
  "an image without its URL": [
    withContent({ type: "image", source: { type: "url" } }),
    "messages[0].content[0].source.url",
    /missing/,
  ],
  "a document without its type": [
    withContent({ type: "text", text: "Read:" }, { type: "document", source: { type: "base64", data: "" } }),
    "messages[0].content[1].source.media_type",
    /missing/,
  ],
  "a document in a tool's result": [
    withContent({ type: "tool_result", tool_use_id: "t", content: [{ type: "document", source: {} }] }),
    "messages[0].content[0].content[0].source.type",
    /missing; allowed: "base64", "text", "content", "url" or "file"/,
  ],
  "nothing but system messages": [
    { ...HELLO, messages: [{ role: "system", content: [], output_config: { effort: "low" } }] },
    "messages[0].role",
    /before the first turn/,
  ],
  "a system prompt after a message that only configures the output": [
    {
      ...HELLO,
      messages: [
        { role: "system", content: [], output_config: {} },
        { role: "system", content: "Be brief." },
      ],
    },
    "messages[1].role",
    /belongs in 'system'/,
  ],
  "an image in a system message": [
    { ...HELLO, messages: [...HELLO.messages, { role: "system", content: [{ type: "image" }] }] },
    "messages[1].content[0]",
    /a block of the type "image"; allowed in a system message: text/,
  ],
  "a system message that is a number": [
    { ...HELLO, messages: [...HELLO.messages, { role: "system", content: 5 }] },
    "messages[1].content",
    /the number 5/,
  ],
  "an unknown role": [
    { ...HELLO, messages: [...HELLO.messages, { role: "tool", content: "x" }] },
    "messages[1].role",
    /"tool"; allowed: "user", "assistant" or "system"/,
  ],
  "a tool's use without an id": [
    withContent({ type: "tool_use", name: "a", input: {} }),
    "messages[0].content[0].id",
    /missing/,
  ],
  "a tool's use without a name": [
    withContent({ type: "tool_use", id: "a", input: {} }),
    "messages[0].content[0].name",
    /missing/,
  ],
  "a tool's input that is text": [
    withContent({ type: "tool_use", id: "a", name: "b", input: "{}" }),
    "messages[0].content[0].input",
    /allowed: an object/,
  ],
  "a tool's result without its use": [
    withContent({ type: "tool_result", content: "x" }),
    "messages[0].content[0].tool_use_id",
    /missing/,
  ],
  "a tool's result that is a number": [
    withContent({ type: "tool_result", tool_use_id: "t", content: 5 }),
    "messages[0].content[0].content",
    /the number 5/,
  ],
  "an error flag that is text": [
    withContent({ type: "tool_result", tool_use_id: "t", is_error: "no" }),
    "messages[0].content[0].is_error",
    /allowed: true/,
  ],
  "no max_tokens": [{ ...HELLO, max_tokens: undefined }, "max_tokens", /'max_tokens' is missing/],
  "max_tokens of 0": [{ ...HELLO, max_tokens: 0 }, "max_tokens", /at least 1/],
  "negative max_tokens": [{ ...HELLO, max_tokens: -5 }, "max_tokens", /at least 1/],
  "fractional max_tokens": [{ ...HELLO, max_tokens: 1.5 }, "max_tokens", /whole number/],
  "max_tokens as text": [{ ...HELLO, max_tokens: "100" }, "max_tokens", /whole number/],
  "system as an object": [{ ...HELLO, system: {} }, "system", /a string or an array/],
  "an image in system": [{ ...HELLO, system: [{ type: "image" }] }, "system[0].type", /"text"/],
  "a temperature that is text": [{ ...HELLO, temperature: "hot" }, "temperature", /a number/],
  "a top_p that is text": [{ ...HELLO, top_p: "0.5" }, "top_p", /a number/],
  "a fractional top_k": [{ ...HELLO, top_k: 0.5 }, "top_k", /whole number/],
  "stop_sequences as text": [{ ...HELLO, stop_sequences: "END" }, "stop_sequences", /an array/],
  "a stop sequence that is a number": [{ ...HELLO, stop_sequences: ["a", 1] }, "stop_sequences[1]", /a string/],
  "tools as an object": [{ ...HELLO, tools: {} }, "tools", /an array/],
  "a tool without a name": [{ ...HELLO, tools: [{ input_schema: {} }] }, "tools[0].name", /missing/],
  "a tool's schema as text": [
    { ...HELLO, tools: [{ name: "a", input_schema: "x" }] },
    "tools[0].input_schema",
    /object/,
  ],
  "tool_choice as text": [{ ...HELLO, tool_choice: "auto" }, "tool_choice", /allowed: an object/],
  "an unknown tool_choice": [
    { ...HELLO, tool_choice: { type: "required" } },
    "tool_choice.type",
    /"required"; allowed: "auto", "any", "tool" or "none"/,
  ],
  "a tool_choice without its tool": [{ ...HELLO, tool_choice: { type: "tool" } }, "tool_choice.name", /missing/],
  "metadata as text": [{ ...HELLO, metadata: "x" }, "metadata", /object/],
  "a user id that is a number": [{ ...HELLO, metadata: { user_id: 5 } }, "metadata.user_id", /a string or null/],
  "an unknown kind of thinking": [{ ...HELLO, thinking: { type: "hard" } }, "thinking.type", /"enabled", "disabled"/],
  "thinking as a flag": [{ ...HELLO, thinking: true }, "thinking", /an object/],
  "enabled thinking without a budget": [
    { ...HELLO, thinking: { type: "enabled" } },
    "thinking.budget_tokens",
    /'thinking.budget_tokens' is missing/,
  ],
  "a budget of 0": [
    { ...HELLO, thinking: { type: "enabled", budget_tokens: 0 } },
    "thinking.budget_tokens",
    /at least 1/,
  ],
  "a thread that the vendor would hold": [{ ...HELLO, thread: { type: "create" } }, "thread", /Send all messages/],
  "stream as text": [{ ...HELLO, stream: "true" }, "stream", /allowed: true/],
};

describe("refused:", () => {
  test.each(Object.entries(REFUSED))("%s", (_name, [body, param, words]) => {
    const error = refusal(() => read(body));
    expect(error.row).toMatchObject({ status: 400, type_b: "invalid_request_error" });
    expect(error.param).toBe(param);
    expect(error.message).toMatch(words);
  });

  test("a thread is refused with the message after which the official clients send the whole conversation", () => {
    const error = refusal(() => read({ ...HELLO, thread: { type: "continue", previous_message_id: "msg_1" } }));
    expect(error.details).toEqual({ error_code: "thread_unsupported_request" });
    expect(read({ ...HELLO, thread: null }).model).toBe("acme/sonnet");
  });

  test("a member that occurs twice is refused", () => {
    const twice = JSON.stringify(HELLO).replace("{", '{"model":"other",');
    expect(refusal(() => read(twice))).toMatchObject({ code: "invalid_json", param: "model" });
  });
});

describe("the version header", () => {
  test.each([
    ["altstyle-version", "2023-06-01"],
    ["anthropic-version", "2023-06-01"],
    ["anthropic-version", "2026-10-21"],
    ["Anthropic-Version", "2024-02-29"],
  ])("%s: %s is accepted", (name, value) => {
    expect(read(HELLO, headers({ [name]: value })).model).toBe("acme/sonnet");
  });

  test.each([
    ["no version header", {}, /missing: send anthropic-version, for example/],
    ["an empty version", { "altstyle-version": "" }, /altstyle-version is empty/],
    ["a version that is no date", { "altstyle-version": "latest" }, /altstyle-version is "latest"; allowed: a date/],
    ["a date of another form", { "anthropic-version": "2023-6-1" }, /anthropic-version/],
    ["a date that does not exist", { "altstyle-version": "2023-02-30" }, /allowed: a date/],
    [
      "an invalid version beside a valid one",
      { "altstyle-version": "x", "anthropic-version": "2023-06-01" },
      /altstyle-version/,
    ],
  ])("%s is refused", (_name, sent, words) => {
    const error = refusal(() => read(HELLO, headers(sent as Record<string, string>)));
    expect(error.row).toMatchObject({ status: 400, type_b: "invalid_request_error" });
    expect(error.message).toMatch(words);
  });
});

describe("a request to count tokens", () => {
  const { max_tokens, ...question } = HELLO;

  test("needs no max_tokens and has no output cap", () => {
    expect(readCountRequest(JSON.stringify(question), VERSION)).toMatchObject({ output_cap: null, stream: false });
  });

  test("is checked like any other", () => {
    const missing = { ...question, messages: [] };
    expect(refusal(() => readCountRequest(JSON.stringify(missing), VERSION)).param).toBe("messages");
    expect(refusal(() => readCountRequest(JSON.stringify(question), headers({}))).message).toMatch(/version/);
  });
});
