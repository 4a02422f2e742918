import { describe, expect, test } from "bun:test";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import { packOpaque } from "../shared/opaque.ts";
import { messages } from "./client.ts";
import { decodeRequest } from "./decode-request.ts";

/** Every public field of a messages request, decoded to its neutral form. */

const VERSION = new Headers({ "anthropic-version": "2023-06-01" });
const HELLO = { model: "acme/swift", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] };

function decode(body: object | string): GenerationRequest {
  return decodeRequest(messages.readRequest(typeof body === "string" ? body : JSON.stringify(body), VERSION));
}

const asked = (...content: object[]) => decode({ ...HELLO, messages: [{ role: "user", content }] }).messages;
const replayed = (...content: object[]) => decode({ ...HELLO, messages: [{ role: "assistant", content }] }).messages[0];
const CACHED = { cache_control: { type: "ephemeral" } };

test("the smallest request", () => {
  expect(decode(HELLO)).toEqual({
    model: "acme/swift",
    stream: false,
    messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
    tools: [],
    max_output_tokens: 100,
    extras: {},
  });
});

const FIELDS: Readonly<Record<string, readonly [body: object, decoded: Partial<GenerationRequest>]>> = {
  streaming: [{ stream: true }, { stream: true }],
  sampling: [
    { temperature: 0, top_p: 0.5, top_k: 3 },
    { temperature: 0, top_p: 0.5, top_k: 3 },
  ],
  "stop sequences": [{ stop_sequences: ["END", "\n\n"] }, { stop: ["END", "\n\n"] }],
  "the end user": [{ metadata: { user_id: "u-1" } }, { end_user: "u-1" }],
  "the vendor's choice of tier": [{ service_tier: "auto" }, { service_tier: "auto" }],
  "the standard tier": [{ service_tier: "standard_only" }, { service_tier: "default" }],
  "any tool, or no tool": [{ tool_choice: { type: "auto" } }, { tool_choice: { mode: "auto" } }],
  "a forced call of any tool": [{ tool_choice: { type: "any" } }, { tool_choice: { mode: "required" } }],
  "a forced call of one tool": [
    { tool_choice: { type: "tool", name: "look" } },
    { tool_choice: { mode: "named", name: "look" } },
  ],
  "no tool": [{ tool_choice: { type: "none" } }, { tool_choice: { mode: "none" } }],
  "one call at a time": [
    { tool_choice: { type: "any", disable_parallel_tool_use: true } },
    { tool_choice: { mode: "required" }, parallel_tool_calls: false },
  ],
  "parallel calls": [
    { tool_choice: { type: "auto", disable_parallel_tool_use: false } },
    { tool_choice: { mode: "auto" } },
  ],
  "thinking within a budget": [
    { thinking: { type: "enabled", budget_tokens: 2048 } },
    { reasoning: { enabled: true, budget_tokens: 2048, want_opaque: true } },
  ],
  "adaptive thinking": [
    { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "max" } },
    { reasoning: { enabled: true, effort: "max", show: "auto", want_opaque: true } },
  ],
  "thinking that is not shown": [
    { thinking: { type: "adaptive", display: "omitted" } },
    { reasoning: { enabled: true, show: "none", want_opaque: true } },
  ],
  "no thinking": [
    { thinking: { type: "disabled" }, output_config: { effort: "low" } },
    { reasoning: { enabled: false } },
  ],
  "effort alone": [{ output_config: { effort: "low" } }, { reasoning: { effort: "low" } }],
  "an open schema": [
    { output_config: { format: { type: "json_schema", schema: { type: "object" } } } },
    { format: { type: "json-schema", name: "answer", schema: { type: "object" } } },
  ],
  "an older name of the format": [
    { output_format: { type: "json_schema", schema: { type: "string" } } },
    { format: { type: "json-schema", name: "answer", schema: { type: "string" }, strict: true } },
  ],
  "members without values": [
    { system: [], tools: [], stop_sequences: [], metadata: { user_id: null }, output_config: { effort: null } },
    {},
  ],
};

test.each(Object.entries(FIELDS))("%s", (_name, [body, said]) => {
  expect(decode({ ...HELLO, ...body })).toEqual({ ...decode(HELLO), ...said });
});

describe("instructions", () => {
  const system = (value: unknown) => decode({ ...HELLO, system: value }).messages[0];

  test("as a string", () => {
    expect(system("Be brief.")).toEqual({
      role: "system",
      authority: "system",
      content: [{ type: "text", text: "Be brief." }],
    });
  });

  test("as blocks with cache hints", () => {
    const blocks = [
      { type: "text", text: "Be brief." },
      { type: "text", text: "Be kind.", cache_control: { type: "ephemeral", ttl: "1h" } },
    ];
    expect(system(blocks)?.content).toEqual([
      { type: "text", text: "Be brief." },
      { type: "text", text: "Be kind.", cache: { ttl: "1h" } },
    ]);
  });
});

describe("a user's turn", () => {
  test("has images by bytes, by URL and by the vendor's id", () => {
    const content = asked(
      { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
      { type: "image", source: { type: "url", url: "https://x.example/a.png" }, ...CACHED },
      { type: "image", source: { type: "file", file_id: "file_1" } },
    )[0]?.content;
    expect(content).toEqual([
      { type: "image", source: { kind: "base64", media_type: "image/png", data: "aGk=" } },
      { type: "image", source: { kind: "url", url: "https://x.example/a.png" }, cache: { ttl: null } },
      { type: "image", source: { kind: "file-id", file_id: "file_1" } },
    ]);
  });

  test("has its tool results as messages of their own, first and in order", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } };
    const result = { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "Rain" }, image] };
    expect(
      asked(
        { type: "text", text: "Well?" },
        { type: "tool_result", tool_use_id: "a", content: "Sun", ...CACHED },
        { ...result, is_error: true },
        { type: "tool_result", tool_use_id: "c" },
      ),
    ).toEqual([
      {
        role: "tool",
        call_id: "a",
        content: [{ type: "text", text: "Sun" }],
        is_error: false,
        cache: { ttl: null },
      },
      {
        role: "tool",
        call_id: "b",
        content: [
          { type: "text", text: "Rain" },
          { type: "image", source: { kind: "base64", media_type: "image/png", data: "aGk=" } },
        ],
        is_error: true,
      },
      { role: "tool", call_id: "c", content: [], is_error: false },
      { role: "user", content: [{ type: "text", text: "Well?" }] },
    ]);
  });

  test("of tool results alone makes no user message", () => {
    expect(asked({ type: "tool_result", tool_use_id: "a", content: "Sun" })).toHaveLength(1);
  });

  test("has the name of a found tool in place of a reference to it", () => {
    const content = [{ type: "tool_reference", tool_name: "look" }];
    expect(asked({ type: "tool_result", tool_use_id: "a", content })[0]?.content).toEqual([
      { type: "text", text: "look" },
    ]);
  });
});

describe("an assistant's turn", () => {
  test("has text, thinking and calls in their order", () => {
    expect(
      replayed(
        { type: "thinking", thinking: "Hm", signature: "c2ln" },
        { type: "redacted_thinking", data: "aGlkZGVu" },
        { type: "text", text: "Let me look.", ...CACHED },
        { type: "tool_use", id: "t", name: "look", input: { q: "tide" }, ...CACHED },
      ),
    ).toEqual({
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm", opaque: { family: "anthropic", form: "signature", data: "c2ln" } },
        { type: "reasoning", text: "", opaque: { family: "anthropic", form: "redacted", data: "aGlkZGVu" } },
        { type: "text", text: "Let me look.", cache: { ttl: null } },
        {
          type: "tool-call",
          id: "t",
          name: "look",
          arguments: '{"q":"tide"}',
          kind: "function",
          cache: { ttl: null },
        },
      ],
    });
  });

  test("has unsigned thinking without an opaque form", () => {
    const content = [{ type: "reasoning" as const, text: "Hm" }];
    expect(replayed({ type: "thinking", thinking: "Hm", signature: "" })?.content).toEqual(content);
    expect(replayed({ type: "thinking", thinking: "Hm" })?.content).toEqual(content);
  });

  test("has reasoning of another family as its vendor sent it", () => {
    const opaque = { family: "openai", form: "encrypted", data: "gAAA:b=", id: "rs_1" } as const;
    const content = replayed(
      { type: "thinking", thinking: "Hm", signature: packOpaque(opaque) },
      { type: "redacted_thinking", data: packOpaque(opaque) },
    )?.content;
    expect(content).toEqual([
      { type: "reasoning", text: "Hm", opaque },
      { type: "reasoning", text: "", opaque },
    ]);
  });

  test("has a call's seal on the call, and no seal without the call", () => {
    const seal = packOpaque({ family: "google", form: "signature", data: "c2Vh", id: "t" });
    const call = { type: "tool_use", id: "t", name: "look", input: {} };
    const sealed = { arguments: "{}", opaque: { family: "google", form: "signature", data: "c2Vh" } };
    const content = replayed(call, { ...call, id: "u" }, { type: "redacted_thinking", data: seal })?.content;
    expect(content).toMatchObject([{ id: "t", ...sealed }, { id: "u" }]);
    expect(content).toHaveLength(2);
    expect(replayed({ type: "redacted_thinking", data: seal })?.content).toEqual([]);
  });

  test("keeps every digit of numbers", () => {
    const input = '{"id":12345678901234567890,"x":1.10,"long":"1234567890123456"}';
    const turn = `{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"f","input":${input}}]}`;
    const body = `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"Hi"},${turn}]}`;
    expect(decode(body).messages[1]?.content[1]).toMatchObject({ arguments: input });
  });

  test("keeps arguments that were no JSON as text", () => {
    const call = { type: "tool_use", id: "t", name: "f", input: { INVALID_JSON: '{"a":' } };
    expect(replayed(call)?.content[0]).toMatchObject({ arguments: '{"a":' });
  });

  test("without blocks that only their vendor can read: they are left out and reported", () => {
    const content = [
      { type: "server_tool_use", id: "s", name: "web_search", input: {} },
      { type: "web_search_tool_result", tool_use_id: "s", content: [] },
      { type: "text", text: "Found." },
    ];
    const request = decode({ ...HELLO, messages: [{ role: "assistant", content }] });
    expect(request.messages[0]?.content).toEqual([{ type: "text", text: "Found." }]);
    expect(Object.keys(request.extras)).toEqual(["messages.server_tool_use", "messages.web_search_tool_result"]);
  });
});

describe("tools", () => {
  const decodeTool = (tool: object) => decode({ ...HELLO, tools: [tool] });

  test("of the client's own are functions", () => {
    const schema = { type: "object", properties: {} };
    const tool = { name: "look", description: "Looks.", input_schema: schema, strict: true, ...CACHED };
    for (const type of [undefined, null, "custom"]) {
      expect(decodeTool({ ...tool, type }).tools).toEqual([
        {
          kind: "function",
          name: "look",
          description: "Looks.",
          parameters: schema,
          strict: true,
          cache: { ttl: null },
        },
      ]);
    }
    expect(decodeTool({ name: "look" }).tools).toEqual([{ kind: "function", name: "look" }]);
  });

  test("of the vendor keep their raw fields", () => {
    const tool = { type: "web_search_20260318", name: "web_search", max_uses: 3 };
    expect(decodeTool(tool).tools).toEqual([
      { kind: "hosted", type: "web_search_20260318", name: "web_search", raw: tool },
    ]);
  });

  test("with members that other vendors cannot honour have them reported", () => {
    const more = {
      defer_loading: true,
      input_examples: [{}],
      allowed_callers: ["direct"],
      eager_input_streaming: null,
    };
    expect(Object.keys(decodeTool({ name: "look", ...more }).extras)).toEqual([
      "tools.defer_loading",
      "tools.input_examples",
    ]);
  });
});

test("a cache hint at the top of the request applies to the last place that may have one", () => {
  const last = (content: unknown) =>
    decode({
      ...HELLO,
      cache_control: { type: "ephemeral", ttl: "5m" },
      messages: [{ role: "user", content }],
    }).messages.at(-1);
  expect(last("Hi")?.content).toEqual([{ type: "text", text: "Hi", cache: { ttl: "5m" } }]);
  expect(last([{ type: "tool_result", tool_use_id: "a" }])).toMatchObject({ role: "tool", cache: { ttl: "5m" } });
  expect(last([])?.content).toEqual([]);
});

test("members without a neutral form are reported, and members without effect are not", () => {
  const { extras } = decode({
    ...HELLO,
    container: "c_1",
    mcp_servers: [],
    context_management: null,
    speed: "standard",
    inference_geo: "global",
    metadata: { user_id: "u", team: "t" },
    output_config: { effort: "low", task_budget: { tokens: 1 } },
    thinking: { type: "between_tools" },
  });
  expect(Object.keys(extras).sort()).toEqual([
    "container",
    "mcp_servers",
    "metadata.team",
    "output_config.task_budget",
    "thinking.type",
  ]);
});

const REFUSED: Readonly<Record<string, readonly [body: object, param: string, words: RegExp]>> = {
  "a block that only messages has": [
    { messages: [{ role: "user", content: [{ type: "search_result", source: "s", title: "t", content: [] }] }] },
    "messages[0].content[0]",
    /type "search_result".*not reached by messages/,
  ],
  "a block that only messages has, in a tool's result": [
    {
      messages: [
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "browser_state" }] }] },
      ],
    },
    "messages[0].content[0].content[0]",
    /type "browser_state"/,
  ],
  "thinking in a user's message": [
    { messages: [{ role: "user", content: [{ type: "thinking", thinking: "Hm" }] }] },
    "messages[0].content[0]",
    /type "thinking"/,
  ],
  "an unknown format": [{ output_config: { format: { type: "regex" } } }, "output_config.format", /type "regex"/],
  "a place of computation": [{ inference_geo: "us" }, "inference_geo", /the region "us"/],
};

describe("refused:", () => {
  test.each(Object.entries(REFUSED))("%s", (_name, [body, param, words]) => {
    try {
      decode({ ...HELLO, ...body });
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      expect(error).toMatchObject({ code: "invalid_request", param });
      expect(error.message).toMatch(words);
      return;
    }
    throw new Error("The request was not refused.");
  });
});
