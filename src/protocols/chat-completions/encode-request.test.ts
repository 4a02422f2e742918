import { describe, expect, test } from "bun:test";
import { generation, user } from "../../../proofs/support/generation.ts";
import { type TargetOptions, targetFor } from "../../../proofs/support/target.ts";
import type { GenerationRequest, Message, UserPart } from "../../core/answer/generation.ts";
import type { ReasoningControls } from "../../core/catalog/catalog.ts";
import { chatTraits, encodeRequest } from "./encode-request.ts";

function encode(request: Partial<GenerationRequest> = {}, options: TargetOptions = {}) {
  const encoded = encodeRequest(generation(request), targetFor("chat-completions", options));
  return { ...encoded, body: JSON.parse(encoded.body) as Record<string, unknown> };
}

const thinking = (reasoning: ReasoningControls) => ({ capabilities: { thinking: true, reasoning } });

describe("a request to a chat vendor", () => {
  test("has only the fields that the client set", () => {
    expect(encode()).toEqual({
      path: "/chat/completions",
      headers: {},
      ignored: [],
      body: { model: "upstream-1", messages: [{ role: "user", content: "Hi" }] },
    });
  });

  const settings: readonly (readonly [string, Partial<GenerationRequest>, TargetOptions, Record<string, unknown>])[] = [
    ["asks each stream for its usage", { stream: true }, {}, { stream: true, stream_options: { include_usage: true } }],
    [
      "does not ask for the usage where the vendor refuses the option",
      { stream: true },
      { quirks: { no_stream_options: true } },
      { stream: true },
    ],
    ["names its cap as the vendor does", { max_output_tokens: 5 }, {}, { max_completion_tokens: 5 }],
    [
      "names its cap as the vendor does",
      { max_output_tokens: 5 },
      { quirks: { max_tokens_only: true } },
      { max_tokens: 5 },
    ],
    ["has no tool settings without tools", { tool_choice: { mode: "required" }, parallel_tool_calls: false }, {}, {}],
    ["names the end user", { end_user: "u" }, {}, { safety_identifier: "u" }],
    [
      "names a tool of its kind",
      { tools: [{ kind: "custom", name: "p" }], tool_choice: { mode: "named", name: "p" } },
      {},
      { tools: [{ type: "custom", custom: { name: "p" } }], tool_choice: { type: "custom", custom: { name: "p" } } },
    ],
    [
      "turns reasoning off",
      { reasoning: { enabled: false } },
      thinking({ toggle: true }),
      { reasoning_effort: "none" },
    ],
    [
      "sends a level that the model has",
      { reasoning: { effort: "xhigh" } },
      thinking({ effort: ["low", "high"] }),
      { reasoning_effort: "high" },
    ],
    [
      "sends a budget as a level",
      { reasoning: { budget_tokens: 16_000 } },
      thinking({ budget_tokens: { max: 32_000 } }),
      { reasoning_effort: "medium" },
    ],
    ...(
      [
        ["structured_outputs", { structured_outputs: { choice: ["A", "B"] } }],
        ["guided_choice", { guided_choice: ["A", "B"] }],
        ["grammar", { grammar: 'root ::= "A" | "B"' }],
        ["regex", { regex: "(A|B)" }],
      ] as const
    ).map(
      ([constrained_choice, fields]) =>
        [
          `constrains output by ${constrained_choice}`,
          { choices: ["A", "B"] },
          { quirks: { constrained_choice } },
          fields,
        ] as const,
    ),
    ["constrains no output where the vendor cannot", { choices: ["A", "B"] }, {}, {}],
    ["leaves the amount of reasoning to the model", { reasoning: { enabled: true } }, thinking({ toggle: true }), {}],
  ];
  for (const [name, request, options, fields] of settings) {
    test(`${name}: ${JSON.stringify(request)}`, () => {
      const { body, ignored } = encode(request, options);
      const { model: _, messages: __, ...rest } = body;
      expect([rest, ignored]).toEqual([fields, []]);
    });
  }

  test("reports what it leaves out", () => {
    expect(encode({ reasoning: { effort: "high" } }).ignored).toEqual(["reasoning"]);
    const lacks = { quirks: { unsupported_fields: ["tool_choice", "model", "messages", "seed"] } };
    const { body, ignored } = encode(
      { tools: [{ kind: "function", name: "f" }], tool_choice: { mode: "auto" } },
      lacks,
    );
    expect([ignored, body.tool_choice, body.model]).toEqual([["tool_choice"], undefined, "upstream-1"]);
  });

  test("has only the traits that the vendor has", () => {
    const traits = chatTraits(
      targetFor("chat-completions", {
        quirks: { unsupported_fields: ["seed", "stop", "response_format", "safety_identifier"] },
      }),
    );
    expect(traits).toMatchObject({
      honours: { seed: false, end_user: false, top_k: false, temperature: true },
      stop_sequences: false,
      json_schema: false,
      json_object: false,
      families: [],
    });
    const openrouter = targetFor("chat-completions", { quirks: { reasoning_replay: "reasoning_details" } });
    expect(chatTraits(openrouter)).toMatchObject({
      stop_sequences: true,
      json_schema: true,
      families: ["openai", "anthropic", "google", "bedrock"],
    });
  });
});

describe("messages to a chat vendor", () => {
  const sent = (messages: readonly Message[], options: TargetOptions = {}) =>
    encode({ messages }, options).body.messages;

  test("have a developer's role only where the vendor knows it", () => {
    const system: Message = {
      role: "system",
      authority: "developer",
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    };
    expect(sent([system])).toEqual([{ role: "developer", content: "a\n\nb" }]);
    expect(sent([system], { quirks: { no_developer_role: true } })).toEqual([{ role: "system", content: "a\n\nb" }]);
  });

  test("show the pictures of tool results in a message of their own, after the last result", () => {
    const image = { type: "image", source: { kind: "base64", media_type: "image/png", data: "AA==" } } as const;
    const call = (id: string) => ({ type: "tool-call", id, name: "f", arguments: "", kind: "function" }) as const;
    const messages = sent([
      { role: "assistant", content: [call("a"), call("b")] },
      { role: "tool", call_id: "a", content: [image], is_error: false },
      { role: "tool", call_id: "b", content: [{ type: "text", text: "no such file" }], is_error: true },
      user("And now?"),
    ]);
    const call_sent = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
    expect(messages).toEqual([
      { role: "assistant", content: null, tool_calls: [call_sent("a"), call_sent("b")] },
      { role: "tool", tool_call_id: "a", content: "The result follows in the next message." },
      { role: "tool", tool_call_id: "b", content: "Error: no such file" },
      {
        role: "user",
        content: [
          { type: "text", text: "The result of the tool call a:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
        ],
      },
      { role: "user", content: "And now?" },
    ]);
  });

  test("replay reasoning only to vendors that accept it, in their shape", () => {
    const opaque = { family: "anthropic", form: "signature", data: "s" } as const;
    const answer: Message = {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm", opaque },
        { type: "text", text: "Yes" },
      ],
    };
    const plain = { role: "assistant", content: "Yes" };
    expect(sent([answer])).toEqual([plain]);
    expect(sent([answer], { quirks: { reasoning_replay: "reasoning_content" } })).toEqual([
      { ...plain, reasoning_content: "Hm" },
    ]);
    const details = [{ type: "reasoning.text", text: "Hm", signature: "s", format: "anthropic-claude-v1", index: 0 }];
    expect(sent([answer], { quirks: { reasoning_replay: "reasoning_details" } })).toEqual([
      { ...plain, reasoning_details: details },
    ]);
  });

  test("that call tools carry the reasoning field even where the client kept none: vendors refuse them without it", () => {
    const call: Message = {
      role: "assistant",
      content: [{ type: "tool-call", id: "c1", name: "look", arguments: "{}", kind: "function" }],
    };
    const said: Message = { role: "assistant", content: [{ type: "text", text: "Yes" }] };
    const wire = { role: "assistant", content: null, tool_calls: [expect.objectContaining({ id: "c1" })] };
    expect(sent([call, said])).toEqual([wire, { role: "assistant", content: "Yes" }]);
    expect(sent([call, said], { quirks: { reasoning_replay: "reasoning_content" } })).toEqual([
      { ...wire, reasoning_content: "" },
      { role: "assistant", content: "Yes" },
    ]);
  });

  test("with content that chat has no block for are refused", () => {
    const refused: readonly UserPart[] = [
      { type: "image", source: { kind: "file-id", file_id: "f" } },
      { type: "document", source: { kind: "url", url: "https://a.example/a.pdf" } },
    ];
    for (const part of refused) {
      expect(() => sent([{ role: "user", content: [part] }])).toThrow(
        expect.objectContaining({ code: "unsupported_parameter", param: "messages" }),
      );
    }
  });
});
