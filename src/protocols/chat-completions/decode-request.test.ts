import { describe, expect, test } from "bun:test";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import { chatCompletions } from "./client.ts";
import { decodeRequest } from "./decode-request.ts";

type Fields = Readonly<Record<string, unknown>>;

const HEADERS = { get: () => null };
const USER = { role: "user", content: "Hi" };

function decode(fields: Fields = {}): GenerationRequest {
  const body = { model: "acme/swift", messages: [USER], ...fields };
  return decodeRequest(chatCompletions.readRequest(JSON.stringify(body), HEADERS));
}

const conversation = (...messages: readonly Fields[]) => decode({ messages }).messages;

describe("a chat request in neutral form", () => {
  test("has its model, its question, and no settings that the client did not send", () => {
    expect(decode()).toEqual({
      model: "acme/swift",
      stream: false,
      messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
      tools: [],
      extras: {},
    });
    const nulls = Object.fromEntries(
      ["stop", "seed", "tools", "logit_bias", "reasoning_effort", "acme"].map((name) => [name, null]),
    );
    expect(decode(nulls)).toEqual(decode());
  });

  const fields: readonly (readonly [Fields, Partial<GenerationRequest>])[] = [
    [
      { stream: true, stream_options: { include_usage: true } },
      { stream: true, include_usage: true },
    ],
    [{ max_completion_tokens: 7, max_tokens: 9 }, { max_output_tokens: 7 }],
    [{ max_tokens: 9 }, { max_output_tokens: 9 }],
    [
      { temperature: 0, top_p: 0.5, top_k: 40, seed: 1 },
      { temperature: 0, top_p: 0.5, top_k: 40, seed: 1 },
    ],
    [
      { presence_penalty: 1, frequency_penalty: -1 },
      { presence_penalty: 1, frequency_penalty: -1 },
    ],
    [{ stop: "END" }, { stop: ["END"] }],
    [{ stop: ["a", "b"] }, { stop: ["a", "b"] }],
    [{ stop: [] }, {}],
    [{ logprobs: true, top_logprobs: 3 }, { logprobs: { top: 3 } }],
    [{ logprobs: true }, { logprobs: { top: 0 } }],
    [{ logprobs: false, top_logprobs: 3 }, {}],
    [{ logit_bias: { "5": -1 } }, { logit_bias: { "5": -1 } }],
    [{ response_format: { type: "text" } }, {}],
    [{ response_format: { type: "json_object" } }, { format: { type: "json-object" } }],
    [
      {
        response_format: { type: "json_schema", json_schema: { name: "n", schema: { type: "object" }, strict: true } },
      },
      { format: { type: "json-schema", name: "n", schema: { type: "object" }, strict: true } },
    ],
    [{ reasoning_effort: "low", thinking: { type: "disabled" } }, { reasoning: { effort: "low" } }],
    [{ reasoning: { effort: "high", exclude: true } }, { reasoning: { effort: "high", show: "none" } }],
    [{ reasoning: { max_tokens: 2000, enabled: true } }, { reasoning: { budget_tokens: 2000, enabled: true } }],
    [{ thinking: { type: "enabled", budget_tokens: 5 } }, { reasoning: { enabled: true, budget_tokens: 5 } }],
    [{ thinking: { type: "disabled" } }, { reasoning: { enabled: false } }],
    [{ user: "u" }, { end_user: "u" }],
    [{ user: "u", safety_identifier: "s" }, { end_user: "s" }],
    [
      { metadata: { a: "b" }, service_tier: "flex" },
      { metadata: { a: "b" }, service_tier: "flex" },
    ],
    [
      { prompt_cache_key: "k", verbosity: "low" },
      { prompt_cache_key: "k", verbosity: "low" },
    ],
    [{ parallel_tool_calls: false }, { parallel_tool_calls: false }],
    // A value that changes nothing is dropped silently; every other unsupported field is reported by its name.
    [{ store: false, modalities: ["text"] }, {}],
    [
      { store: true, prediction: { type: "content" }, min_p: 0.1 },
      { extras: { store: true, prediction: { type: "content" }, min_p: 0.1 } },
    ],
    [
      { web_search_options: {}, modalities: ["text", "audio"] },
      { extras: { web_search_options: {}, modalities: ["text", "audio"] } },
    ],
  ];
  for (const [sent, said] of fields)
    test(`is decoded from ${JSON.stringify(sent)}`, () => expect(decode(sent)).toEqual({ ...decode(), ...said }));
});

describe("tools of a chat request", () => {
  const look = {
    type: "function",
    function: { name: "look", description: "Looks.", parameters: { type: "object" }, strict: true },
  };
  const patch = {
    type: "custom",
    custom: { name: "patch", format: { type: "grammar", grammar: { syntax: "lark", definition: "start: X" } } },
  };
  const tools = [
    { kind: "function", name: "look", description: "Looks.", parameters: { type: "object" }, strict: true },
    { kind: "custom", name: "patch", format: { type: "grammar", syntax: "lark", definition: "start: X" } },
  ] as const;

  test("are functions and custom tools", () => {
    expect(decode({ tools: [look, patch] }).tools).toEqual([...tools]);
    expect(decode({ tools: [{ ...look, cache_control: { type: "ephemeral", ttl: "1h" } }] }).tools).toEqual([
      { ...tools[0], cache: { ttl: "1h" } },
    ]);
  });

  const choices: readonly (readonly [unknown, unknown])[] = [
    ["auto", { mode: "auto" }],
    ["required", { mode: "required" }],
    ["none", { mode: "none" }],
    [
      { type: "function", function: { name: "look" } },
      { mode: "named", name: "look" },
    ],
    [
      { type: "custom", custom: { name: "patch" } },
      { mode: "named", name: "patch" },
    ],
  ];
  for (const [sent, choice] of choices) {
    test(`may be chosen by ${JSON.stringify(sent)}`, () =>
      expect(decode({ tools: [look, patch], tool_choice: sent })).toMatchObject({ tools, tool_choice: choice }));
  }

  test("may be narrowed down to the allowed tools", () => {
    const allowed_tools = { mode: "required", tools: [{ type: "custom", custom: { name: "patch" } }] };
    const request = decode({ tools: [look, patch], tool_choice: { type: "allowed_tools", allowed_tools } });
    expect([request.tools, request.tool_choice]).toEqual([[tools[1]], { mode: "required" }]);
  });
});

describe("messages of a chat request", () => {
  test("keep their roles, names and order", () => {
    const messages = conversation(
      { role: "system", content: "Be brief." },
      {
        role: "developer",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      { role: "user", content: "", name: "Ann" },
      { role: "assistant", content: "Hello", name: "bot" },
    );
    expect(messages).toEqual([
      { role: "system", authority: "system", content: [{ type: "text", text: "Be brief." }] },
      {
        role: "system",
        authority: "developer",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      { role: "user", name: "Ann", content: [] },
      { role: "assistant", name: "bot", content: [{ type: "text", text: "Hello" }] },
    ]);
  });

  const blocks: readonly (readonly [Fields, unknown])[] = [
    [
      { type: "text", text: "x", cache_control: { type: "ephemeral" } },
      { type: "text", text: "x", cache: { ttl: null } },
    ],
    [
      { type: "image_url", image_url: { url: "https://a.example/i.png", detail: "low" } },
      { type: "image", source: { kind: "url", url: "https://a.example/i.png" }, detail: "low" },
    ],
    [
      { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
      { type: "image", source: { kind: "base64", media_type: "image/png", data: "AA==" } },
    ],
    [
      { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
      { type: "audio", data: "AA==", format: "wav" },
    ],
    [
      { type: "video_url", video_url: { url: "https://a.example/v" } },
      { type: "video", source: { kind: "url", url: "https://a.example/v" } },
    ],
    [
      { type: "file", file: { file_id: "f1" } },
      { type: "document", source: { kind: "file-id", file_id: "f1" } },
    ],
    [
      { type: "file", file: { file_data: "data:application/pdf;base64,AA==", filename: "a.pdf" } },
      { type: "document", source: { kind: "base64", media_type: "application/pdf", data: "AA==" }, filename: "a.pdf" },
    ],
    [
      { type: "file", file: { file_data: "JVBERi0=" } },
      { type: "document", source: { kind: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
    ],
    [
      { type: "file", file: { file_data: "https://a.example/a.pdf" } },
      { type: "document", source: { kind: "url", url: "https://a.example/a.pdf" } },
    ],
  ];
  for (const [block, part] of blocks) {
    test(`may hold ${JSON.stringify(block)}`, () => {
      expect(conversation({ role: "user", content: [block] })[0]?.content as unknown).toEqual([part]);
    });
  }

  test("have the signatures of calls on the calls, or in details, in any order; signatures without a call are dropped", () => {
    const detail = (id: string, data: string) => ({
      type: "reasoning.encrypted",
      data,
      id,
      format: "google-gemini-v1",
    });
    const signed = { extra_content: { google: { thought_signature: "on-call" } } };
    const call = (id: string, more: object = {}) => ({
      id,
      type: "function",
      function: { name: "f", arguments: "{}" },
      ...more,
    });
    const answer = {
      role: "assistant",
      content: "So.",
      reasoning_details: [
        detail("c2", "second"),
        detail("gone", "stray"),
        detail("content", "text"),
        detail("c1", "late"),
      ],
      tool_calls: [call("c1", signed), call("c2"), call("c3", { extra_content: { google: {}, other: 1 } })],
    };
    const seal = (data: string) => ({ opaque: { family: "google", form: "signature", data } });
    const called = (id: string) => ({ type: "tool-call", id, name: "f", arguments: "{}", kind: "function" });
    expect(conversation(USER, answer)[1]?.content as unknown).toEqual([
      { type: "text", text: "So.", ...seal("text") },
      { ...called("c1"), ...seal("on-call") },
      { ...called("c2"), ...seal("second") },
      called("c3"),
    ]);
  });

  test("replay answers with their reasoning, text, refusal and calls, and their results", () => {
    const answer = {
      role: "assistant",
      content: "Look",
      refusal: "No.",
      reasoning_content: "not read beside details",
      reasoning_details: [
        // The pieces of a stream as the client received them.
        { type: "reasoning.text", text: "H", format: "anthropic-claude-v1", index: 0 },
        { type: "reasoning.text", text: "m", format: "anthropic-claude-v1", index: 0 },
        { type: "reasoning.text", signature: "s", format: "anthropic-claude-v1", index: 0 },
        { type: "reasoning.summary", summary: "Sum", format: "openai-responses-v1", id: "rs_1", index: 1 },
        { type: "reasoning.encrypted", data: "enc", format: "openai-responses-v1", id: "rs_1", index: 2 },
        { type: "reasoning.encrypted", data: "red", format: "anthropic-claude-v1", index: 3 },
        { type: "reasoning.encrypted", data: "sig", format: "google-gemini-v1", id: "c1", index: 4 },
      ],
      tool_calls: [
        { id: "c1", type: "function", function: { name: "look", arguments: "{}" } },
        { id: "c2", type: "custom", custom: { name: "patch", input: "x" } },
      ],
    };
    const image = { type: "image_url", image_url: { url: "https://a.example/i.png" } };
    const messages = conversation(
      USER,
      answer,
      { role: "tool", tool_call_id: "c1", content: "seen" },
      { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "done" }, image] },
    );
    expect(messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm", opaque: { family: "anthropic", form: "signature", data: "s" } },
          { type: "reasoning", text: "Sum", opaque: { family: "openai", form: "encrypted", data: "enc", id: "rs_1" } },
          { type: "reasoning", text: "", opaque: { family: "anthropic", form: "redacted", data: "red" } },
          { type: "text", text: "Look" },
          { type: "refusal", text: "No." },
          {
            type: "tool-call",
            id: "c1",
            name: "look",
            arguments: "{}",
            kind: "function",
            opaque: { family: "google", form: "signature", data: "sig" },
          },
          { type: "tool-call", id: "c2", name: "patch", arguments: "x", kind: "custom" },
        ],
      },
      { role: "tool", call_id: "c1", content: [{ type: "text", text: "seen" }], is_error: false },
      {
        role: "tool",
        call_id: "c2",
        content: [
          { type: "text", text: "done" },
          { type: "image", source: { kind: "url", url: "https://a.example/i.png" } },
        ],
        is_error: false,
      },
    ]);
  });

  test("replay answers in blocks, with reasoning in the shape of some vendors", () => {
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "Hm" }] },
      { type: "text", text: "Yes" },
      { type: "refusal", refusal: "No" },
    ];
    const parts = [
      { type: "reasoning", text: "Hm" },
      { type: "text", text: "Yes" },
      { type: "refusal", text: "No" },
    ];
    expect(conversation(USER, { role: "assistant", content })[1]?.content as unknown).toEqual(parts);
    const plain = { role: "assistant", content: "Yes", reasoning: "Hm" };
    expect(conversation(USER, plain)[1]?.content as unknown).toEqual(parts.slice(0, 2));
  });
});

describe("a field that no other protocol has is refused by its place", () => {
  const cases: readonly (readonly [string, Fields, string, string])[] = [
    [
      "video frames",
      { messages: [{ role: "user", content: [{ type: "video", video: [] }] }] },
      "invalid_messages",
      "messages[0].content[0]",
    ],
    [
      "an image in a system message",
      { messages: [{ role: "system", content: [{ type: "image_url", image_url: { url: "https://a.example" } }] }] },
      "invalid_messages",
      "messages[0].content[0]",
    ],
    [
      "an answer as audio",
      { messages: [USER, { role: "assistant", audio: { id: "a" } }] },
      "invalid_messages",
      "messages[1].audio",
    ],
    [
      "functions in the old form beside tools",
      { functions: [{ name: "f" }], tools: [{ type: "function", function: { name: "f" } }] },
      "unsupported_parameter",
      "functions",
    ],
    [
      "a file without data",
      { messages: [{ role: "user", content: [{ type: "file", file: {} }] }] },
      "invalid_messages",
      "messages[0].content[0].file",
    ],
    [
      "a format without a schema",
      { response_format: { type: "json_schema" } },
      "unsupported_parameter",
      "response_format",
    ],
    ["a format that nobody knows", { response_format: { type: "xml" } }, "unsupported_parameter", "response_format"],
    [
      "allowed tools without tools",
      { tool_choice: { type: "allowed_tools" } },
      "unsupported_parameter",
      "tool_choice.allowed_tools",
    ],
  ];
  for (const [name, fields, code, param] of cases) {
    test(name, () => {
      try {
        decode(fields);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(GatewayError);
        expect(thrown).toMatchObject({ code, param });
        expect((thrown as GatewayError).message).toContain(`'${param}'`);
        return;
      }
      throw new Error("it was not refused");
    });
  }
});
