import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { GenerationRequest, Opaque } from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import { responses } from "./client.ts";
import { decodeRequest } from "./decode-request.ts";

const NO_HEADERS = { get: () => null };

function decode(fields: Readonly<Record<string, unknown>>): GenerationRequest {
  const text = JSON.stringify({ model: "acme/swift", ...fields });
  return decodeRequest(responses.readRequest(text, NO_HEADERS));
}

const hello = { role: "user", content: [{ type: "text", text: "Hi" }] };
const said = (text: string) => ({ type: "text", text });

test("a string is one user message, after the instructions", () => {
  expect(decode({ input: "Hi", instructions: "Be brief." })).toEqual({
    model: "acme/swift",
    stream: false,
    messages: [{ role: "system", authority: "system", content: [said("Be brief.")] }, hello] as never,
    tools: [],
    extras: {},
  });
});

test("a request without input has no message", () => {
  expect(decode({}).messages).toEqual([]);
});

describe("an item", () => {
  const CONTENT: readonly (readonly [unknown, unknown])[] = [
    [{ type: "input_text", text: "a" }, said("a")],
    [
      { type: "input_text", text: "a", prompt_cache_breakpoint: { mode: "explicit" } },
      { ...said("a"), cache: { ttl: null } },
    ],
    [
      { type: "input_text", text: "a", prompt_cache_breakpoint: { mode: "explicit", ttl: "30m" } },
      { ...said("a"), cache: { ttl: "1h" } },
    ],
    [
      { type: "input_image", image_url: "https://a.example/i.png", detail: "low" },
      { type: "image", source: { kind: "url", url: "https://a.example/i.png" }, detail: "low" },
    ],
    [
      { type: "input_image", image_url: "data:image/png;base64,AAAA" },
      { type: "image", source: { kind: "base64", media_type: "image/png", data: "AAAA" } },
    ],
    [
      { type: "input_image", file_id: "file_1", image_url: null },
      { type: "image", source: { kind: "file-id", file_id: "file_1" } },
    ],
    [
      { type: "input_file", file_url: "https://a.example/d.pdf" },
      { type: "document", source: { kind: "url", url: "https://a.example/d.pdf" } },
    ],
    [
      { type: "input_file", file_id: "file_2", detail: "high" },
      { type: "document", source: { kind: "file-id", file_id: "file_2" }, detail: "high" },
    ],
    [
      { type: "input_file", filename: "d.pdf", file_data: "data:application/pdf;base64,AAAA" },
      { type: "document", source: { kind: "base64", media_type: "application/pdf", data: "AAAA" }, filename: "d.pdf" },
    ],
    [
      { type: "input_file", filename: "notes.txt", file_data: "AAAA" },
      { type: "document", source: { kind: "base64", media_type: "text/plain", data: "AAAA" }, filename: "notes.txt" },
    ],
    [
      { type: "input_audio", input_audio: { format: "wav", data: "AAAA" } },
      { type: "audio", format: "wav", data: "AAAA" },
    ],
  ];

  test.each(CONTENT)("holds user content: %j", (block, part) => {
    expect(decode({ input: [{ role: "user", content: [block] }] }).messages).toEqual([
      { role: "user", content: [part] } as never,
    ]);
  });

  test("with a role is a message of that role, with or without a type", () => {
    const input = ["system", "developer", "user", "assistant"].flatMap((role) => [
      { role, content: "a" },
      {
        type: "message",
        role,
        id: "msg_1",
        content: [{ type: role === "assistant" ? "output_text" : "input_text", text: "b" }],
      },
    ]);
    const system = (authority: string, text: string) => ({ role: "system", authority, content: [said(text)] });
    expect(decode({ input }).messages).toEqual([
      ...["system", "developer"].flatMap((role) => [system(role, "a"), system(role, "b")]),
      { role: "user", content: [said("a")] },
      { role: "user", content: [said("b")] },
      { role: "assistant", content: [said("a"), said("b")] },
    ] as never);
  });

  test("of a model becomes one answer with the model's items beside it", () => {
    const input = [
      { role: "user", content: "Hi" },
      {
        type: "reasoning",
        id: "rs_1",
        summary: [
          { type: "summary_text", text: "A" },
          { type: "summary_text", text: "B" },
        ],
        encrypted_content: "gAAA",
      },
      {
        role: "assistant",
        content: [
          { type: "output_text", text: "One.", annotations: [] },
          { type: "refusal", refusal: "No." },
        ],
      },
      { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
      { type: "custom_tool_call", call_id: "c2", name: "sh", input: "ls" },
      { type: "function_call_output", call_id: "c1", output: "ok" },
      { type: "custom_tool_call_output", call_id: "c2", output: [{ type: "input_text", text: "x" }] },
      { type: "function_call", call_id: "c3", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c3", output: "", status: "incomplete" },
    ];
    const opaque: Opaque = { family: "openai", form: "encrypted", data: "gAAA", id: "rs_1" };
    expect(decode({ input }).messages).toEqual([
      hello,
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "A\n\nB", opaque },
          said("One."),
          { type: "refusal", text: "No." },
          { type: "tool-call", id: "c1", name: "f", arguments: "{}", kind: "function" },
          { type: "tool-call", id: "c2", name: "sh", arguments: "ls", kind: "custom" },
        ],
      },
      { role: "tool", call_id: "c1", content: [said("ok")], is_error: false },
      { role: "tool", call_id: "c2", content: [said("x")], is_error: false },
      { role: "assistant", content: [{ type: "tool-call", id: "c3", name: "f", arguments: "{}", kind: "function" }] },
      { role: "tool", call_id: "c3", content: [], is_error: true },
    ] as never);
  });

  test("of reasoning without text and without a seal becomes no part", () => {
    expect(
      decode({
        input: [
          { type: "reasoning", summary: [] },
          { role: "user", content: "Hi" },
        ],
      }).messages,
    ).toEqual([hello as never]);
  });

  test("of a hosted tool is left out and named", () => {
    const { messages, extras } = decode({
      input: [
        { type: "web_search_call", id: "ws" },
        { role: "user", content: "Hi" },
      ],
    });
    expect(messages).toEqual([hello as never]);
    expect(Object.keys(extras)).toEqual(["input.web_search_call"]);
  });

  test("that brings tools adds them", () => {
    const found = {
      type: "tool_search_output",
      call_id: "t",
      tools: [{ type: "function", name: "late", parameters: {} }],
    };
    expect(decode({ input: [found], tools: [{ type: "function", name: "early" }] }).tools).toMatchObject([
      { name: "early" },
      { name: "late" },
    ]);
  });
});

describe("settings", () => {
  const SETTINGS: readonly (readonly [Record<string, unknown>, Record<string, unknown>])[] = [
    [{ max_output_tokens: 20 }, { max_output_tokens: 20 }],
    [
      { temperature: 0, top_p: 0.5 },
      { temperature: 0, top_p: 0.5 },
    ],
    [{ temperature: null, top_p: null, tools: null, reasoning: null, text: null, user: null, metadata: null }, {}],
    [{ reasoning: { effort: "low" } }, { reasoning: { effort: "low" } }],
    [{ reasoning: { effort: "none", summary: "detailed" } }, { reasoning: { effort: "none", show: "detailed" } }],
    [{ reasoning: { generate_summary: "concise" } }, { reasoning: { show: "concise" } }],
    [{ include: ["reasoning.encrypted_content"] }, { reasoning: { want_opaque: true } }],
    [{ include: ["message.output_text.logprobs"] }, { logprobs: { top: 0 } }],
    [{ top_logprobs: 3 }, { logprobs: { top: 3 } }],
    [{ text: { format: { type: "text" } } }, { format: { type: "text" } }],
    [
      { text: { format: { type: "json_object" }, verbosity: "low" } },
      { format: { type: "json-object" }, verbosity: "low" },
    ],
    [
      {
        text: {
          format: { type: "json_schema", name: "n", description: "d", strict: true, schema: { type: "object" } },
        },
      },
      { format: { type: "json-schema", name: "n", description: "d", strict: true, schema: { type: "object" } } },
    ],
    [{ verbosity: "high" }, { verbosity: "high" }],
    [{ user: "u" }, { end_user: "u" }],
    [{ user: "u", safety_identifier: "s" }, { end_user: "s" }],
    [
      { metadata: { a: "b" }, prompt_cache_key: "k" },
      { metadata: { a: "b" }, prompt_cache_key: "k" },
    ],
    [
      { parallel_tool_calls: false, service_tier: "auto" },
      { parallel_tool_calls: false, service_tier: "auto" },
    ],
    [{ store: false, background: false, truncation: "disabled", stream_options: {}, client_metadata: { a: 1 } }, {}],
    [{ stream: true }, { stream: true }],
    [
      { moderation: { model: "m" }, reasoning: { context: "all_turns" }, text: { foo: 1 } },
      { extras: { moderation: { model: "m" }, "text.foo": 1, "reasoning.context": "all_turns" } },
    ],
  ];

  test.each(SETTINGS)("are read: %j", (fields, expected) => {
    expect(decode({ input: "Hi", ...fields })).toEqual({
      model: "acme/swift",
      stream: false,
      messages: [hello],
      tools: [],
      extras: {},
      ...expected,
    } as never);
  });
});

describe("tools", () => {
  const FUNCTION = { type: "function", name: "f", description: "d", parameters: { type: "object" }, strict: true };
  const CUSTOM = { type: "custom", name: "sh", format: { type: "grammar", syntax: "lark", definition: "start: X" } };
  const TOOLS = [FUNCTION, CUSTOM, { type: "web_search", search_context_size: "low" }];

  test("are read, hosted tools with their raw fields", () => {
    expect(decode({ tools: TOOLS }).tools).toEqual([
      { kind: "function", name: "f", description: "d", parameters: { type: "object" }, strict: true },
      { kind: "custom", name: "sh", format: CUSTOM.format },
      {
        kind: "hosted",
        type: "web_search",
        name: "web_search",
        raw: { type: "web_search", search_context_size: "low" },
      },
    ]);
  });

  const CHOICES: readonly (readonly [unknown, unknown])[] = [
    ["auto", { mode: "auto" }],
    ["none", { mode: "none" }],
    ["required", { mode: "required" }],
    [
      { type: "function", name: "f" },
      { mode: "named", name: "f" },
    ],
    [
      { type: "custom", name: "sh" },
      { mode: "named", name: "sh" },
    ],
    [{ type: "web_search" }, { mode: "named", name: "web_search", hosted: true }],
  ];
  test.each(CHOICES)("are chosen by tool_choice: %j", (tool_choice, expected) => {
    expect(decode({ tools: TOOLS, tool_choice }).tool_choice).toEqual(expected as never);
  });

  test("are reduced to those that tool_choice allows", () => {
    const tool_choice = {
      type: "allowed_tools",
      mode: "required",
      tools: [{ type: "function", name: "f" }, { type: "web_search" }],
    };
    const { tools, tool_choice: choice } = decode({ tools: TOOLS, tool_choice });
    expect(tools).toMatchObject([{ name: "f" }, { type: "web_search" }]);
    expect(choice).toEqual({ mode: "required" });
  });

  test("of a namespace have one name each, within the length that vendors accept", () => {
    const nested = [
      { type: "function", name: "look" },
      { type: "custom", name: "x".repeat(80) },
    ];
    const { tools } = decode({ tools: [{ type: "namespace", name: "mcp__sea", tools: nested }] });
    expect(tools).toEqual([
      { kind: "function", name: "mcp__sea__look" },
      { kind: "custom", name: expect.stringMatching(/^mcp__sea__x+_[a-z0-9]{8}$/) },
    ]);
    expect((tools[1] as { name: string }).name).toHaveLength(64);
  });
});

describe("settings that only a vendor of this protocol can honour", () => {
  const REFUSED: readonly (readonly [Record<string, unknown>, string])[] = [
    [{ previous_response_id: "resp_1" }, "previous_response_id"],
    [{ store: true }, "store"],
    [{ prompt: { id: "p" } }, "prompt"],
    [{ input: [{ type: "item_reference", id: "rs_1" }] }, "input[0]"],
    [{ input: [{ id: "rs_1" }] }, "input[0]"],
    [{ input: [{ type: "compaction", encrypted_content: "x" }] }, "input[0]"],
    [{ input: [{ type: "hologram_call", call_id: "c", output: "x" }] }, "input[0]"],
    [{ input: [{ role: "user", content: [{ type: "input_hologram" }] }] }, "input[0].content[0]"],
    [{ text: { format: { type: "grammar" } } }, "text.format"],
  ];

  test.each(REFUSED)("is refused by name: %j", (fields, param) => {
    const thrown = caught(() => decode({ input: "Hi", ...fields }));
    expect(thrown).toMatchObject({ code: "unsupported_responses_feature", param });
    expect(thrown.message).toInclude(`'${param}'`);
  });

  test("is refused with another code than an invalid body", () => {
    const content = [{ type: "input_image", image_url: "https://a.example/i.png" }];
    const thrown = caught(() => decode({ input: [{ role: "developer", content }] }));
    expect(thrown).toMatchObject({ code: "invalid_responses_input", param: "input[0].content[0]" });
  });
});

function caught(run: () => unknown): GatewayError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
  }
  throw new Error("It was not refused.");
}

describe("the request that Codex sends", () => {
  const text = readFileSync(join(import.meta.dir, "../../../proofs/fixtures/responses/codex-request.json")).toString();
  const request = decodeRequest(responses.readRequest(text, NO_HEADERS));

  test("keeps all of its content when it is read", () => {
    expect(request).toMatchObject({
      stream: true,
      tool_choice: { mode: "auto" },
      parallel_tool_calls: true,
      reasoning: { effort: "medium", show: "auto", want_opaque: true },
      prompt_cache_key: "0199c1a2-7d5e-7c31-9b52-5b1f0c8e6a10",
      verbosity: "low",
    });
    expect(request.messages.map(({ role }) => role)).toEqual([
      ...(["system", "system", "user", "user", "assistant", "tool", "assistant", "tool", "assistant", "tool"] as const),
    ]);
    expect(request.messages[4]?.content).toEqual([
      {
        type: "reasoning",
        text: "**Looking at the tests**",
        opaque: { family: "openai", form: "encrypted", data: "gAAAAABfixtureSealedByItsMaker==", id: "rs_04hq" },
      },
      said("I run the tests first."),
      { type: "tool-call", id: "call_06hq", name: "exec_command", arguments: '{"cmd":"bun test"}', kind: "function" },
    ] as never);
    expect(request.messages[8]?.content).toMatchObject([{ name: "mcp__tides__lookup" }]);
  });

  test("has tools of every kind, and only its web search call is left out", () => {
    expect(request.tools.map((tool) => (tool.kind === "hosted" ? tool.type : `${tool.kind} ${tool.name}`))).toEqual([
      ...["function exec_command", "function update_plan", "custom apply_patch"],
      ...["tool_search", "web_search", "function mcp__tides__lookup"],
    ]);
    expect(Object.keys(request.extras)).toEqual(["input.web_search_call"]);
  });
});
