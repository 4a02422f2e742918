import { describe, expect, test } from "bun:test";
import { generation, user } from "../../../proofs/support/generation.ts";
import { type TargetOptions, targetFor } from "../../../proofs/support/target.ts";
import type {
  AssistantPart,
  FunctionTool,
  GenerationRequest,
  Message,
  ReasoningSetting,
} from "../../core/answer/generation.ts";
import { bedrockConverse } from "./codec.ts";

const HEADERS = { get: () => null };
const CLAUDE: TargetOptions = { upstream_model: "us.anthropic.claude-sonnet-4-6" };
const NOVA: TargetOptions = { upstream_model: "amazon.nova-pro-v1:0" };
const BUDGET = { thinking: true, reasoning: { toggle: true, budget_tokens: { min: 1024, max: 20_000 } } };
const LEVELS = { thinking: true, reasoning: { toggle: true, effort: ["low", "medium", "high"] } };

function encode(request: Partial<GenerationRequest>, options: TargetOptions = {}) {
  const encoded = bedrockConverse.encodeRequest(generation(request), targetFor("bedrock-converse", options), HEADERS);
  return { ...encoded, body: JSON.parse(encoded.body) as Record<string, unknown> };
}

const assistant = (...content: AssistantPart[]): Message => ({ role: "assistant", content });
const called = (id: string, name: string, args = "{}"): AssistantPart => ({
  type: "tool-call",
  kind: "function",
  id,
  name,
  arguments: args,
});
const result = (call_id: string, text: string, is_error = false): Message => ({
  role: "tool",
  call_id,
  content: [{ type: "text", text }],
  is_error,
});
const tool = (name: string): FunctionTool => ({ kind: "function", name, parameters: { properties: {} } });
const spec = (name: string) => ({ toolSpec: { name, inputSchema: { json: { type: "object", properties: {} } } } });

describe("the path", () => {
  test.each<[string, boolean, string]>([
    [
      "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      false,
      "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
    ],
    ["amazon.nova-pro-v1:0", true, "/model/amazon.nova-pro-v1%3A0/converse-stream"],
    [
      "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude",
      false,
      "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fus.anthropic.claude/converse",
    ],
  ])("names the model %s (stream: %p)", (upstream_model, stream, path) => {
    expect(encode({ stream }, { upstream_model }).path).toBe(path);
  });
});

describe("messages", () => {
  const cached = { cache: { ttl: null } } as const;

  test("of system and developer become the system prompt, with its cache points", () => {
    const messages: Message[] = [
      { role: "system", authority: "system", content: [{ type: "text", text: "Be brief.", cache: { ttl: "1h" } }] },
      user("Hi"),
      { role: "system", authority: "developer", content: [{ type: "text", text: "In German." }] },
    ];
    expect(encode({ messages }, NOVA).body.system).toContainEqual({ cachePoint: { type: "default" } });
    expect(encode({ messages }, CLAUDE).body).toMatchObject({
      system: [{ text: "Be brief." }, { cachePoint: { type: "default", ttl: "1h" } }, { text: "In German." }],
      messages: [{ role: "user", content: [{ text: "Hi" }] }],
    });
  });

  test("alternate between user and assistant, without blank texts", () => {
    const { body } = encode({
      messages: [user("One"), user(" "), user("Two"), assistant({ type: "text", text: "" }), user("Three")],
    });
    expect(body.messages).toEqual([{ role: "user", content: [{ text: "One" }, { text: "Two" }, { text: "Three" }] }]);
  });

  test("of the assistant lose trailing white space at the end of the conversation", () => {
    const { body } = encode({ messages: [user("Go on"), assistant({ type: "text", text: "The answer is: \n" })] });
    expect(body.messages).toMatchObject([{}, { content: [{ text: "The answer is:" }] }]);
  });

  test("hold images, documents, audio and video by value, and by their place in S3", () => {
    const { body } = encode({
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { kind: "base64", media_type: "image/jpeg", data: "/9j/" }, ...cached },
            { type: "image", source: { kind: "url", url: "s3://bucket/cat.png" } },
            {
              type: "document",
              source: { kind: "base64", media_type: "application/pdf", data: "JVBERg==" },
              filename: "Bericht #1,  März.pdf",
            },
            { type: "document", source: { kind: "base64", media_type: "text/plain", data: "aGk=" } },
            { type: "document", source: { kind: "base64", media_type: "text/csv", data: "YSxi" } },
            { type: "video", source: { kind: "base64", media_type: "video/mp4", data: "AAAA" } },
            { type: "audio", format: "wav", data: "UklGRg==" },
            { type: "text", text: "What are they?" },
          ],
        },
      ],
    });
    expect(body.messages).toEqual([
      {
        role: "user",
        content: [
          { image: { format: "jpeg", source: { bytes: "/9j/" } } },
          { cachePoint: { type: "default" } },
          { image: { format: "png", source: { s3Location: { uri: "s3://bucket/cat.png" } } } },
          { document: { format: "pdf", name: "Bericht -1- M-rz", source: { bytes: "JVBERg==" } } },
          { document: { format: "txt", name: "document", source: { bytes: "aGk=" } } },
          { document: { format: "csv", name: "document (2)", source: { bytes: "YSxi" } } },
          { video: { format: "mp4", source: { bytes: "AAAA" } } },
          { audio: { format: "wav", source: { bytes: "UklGRg==" } } },
          { text: "What are they?" },
        ],
      },
    ]);
  });

  test.each<[string, object]>([
    ["an address", { type: "image", source: { kind: "url", url: "https://example.com/cat.png" } }],
    ["a file of another vendor", { type: "document", source: { kind: "file-id", file_id: "file-abc" } }],
    [
      "a media type that the API does not take",
      { type: "image", source: { kind: "base64", media_type: "image/tiff", data: "" } },
    ],
  ])("with %s are refused with an error that says what is allowed", (_what, part) => {
    const messages = [{ role: "user", content: [part] }] as unknown as Message[];
    expect(() => encode({ messages })).toThrow(
      expect.objectContaining({
        code: "unsupported_parameter",
        param: "messages",
        message: expect.stringMatching(/^'messages' holds .*; allowed.*: /),
      }),
    );
  });

  const TOOL_TURN: readonly Message[] = [
    user("Weather?"),
    assistant(
      { type: "text", text: "I look." },
      called("a", "weather", '{"city":"Paris"}'),
      called("b|2", "time", "oops"),
    ),
    result("a", "sunny"),
    result("b|2", "no clock", true),
    user("So?"),
  ];

  test("of parallel tools are one turn of calls, and one of results with the user's next text", () => {
    const { body } = encode({ messages: TOOL_TURN, tools: [tool("weather")] }, CLAUDE);
    expect(body.messages).toEqual([
      { role: "user", content: [{ text: "Weather?" }] },
      {
        role: "assistant",
        content: [
          { text: "I look." },
          { toolUse: { toolUseId: "a", name: "weather", input: { city: "Paris" } } },
          { toolUse: { toolUseId: "b|2", name: "time", input: { input: "oops" } } },
        ],
      },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "a", content: [{ text: "sunny" }] } },
          { toolResult: { toolUseId: "b|2", content: [{ text: "no clock" }], status: "error" } },
          { text: "So?" },
        ],
      },
    ]);
    const unmarked = JSON.stringify(encode({ messages: TOOL_TURN }).body);
    expect(unmarked).toContain('[{"text":"Error: no clock"}]');
    expect(unmarked).not.toContain('"status"');
  });

  test("with a tool's result hold its images and documents, and are never empty", () => {
    const messages: Message[] = [
      user("Look"),
      assistant(called("a", "photo"), called("b", "nothing")),
      {
        role: "tool",
        call_id: "a",
        is_error: false,
        cache: { ttl: "5m" },
        content: [
          { type: "image", source: { kind: "base64", media_type: "image/png", data: "iVBO" } },
          { type: "document", source: { kind: "base64", media_type: "application/pdf", data: "JVBERg==" } },
        ],
      },
      { role: "tool", call_id: "b", is_error: false, content: [] },
    ];
    expect((encode({ messages, tools: [tool("photo")] }).body.messages as unknown[])[2]).toEqual({
      role: "user",
      content: [
        {
          toolResult: {
            toolUseId: "a",
            content: [
              { image: { format: "png", source: { bytes: "iVBO" } } },
              { document: { format: "pdf", name: "document", source: { bytes: "JVBERg==" } } },
            ],
          },
        },
        { cachePoint: { type: "default" } },
        { toolResult: { toolUseId: "b", content: [{ text: "(no output)" }] } },
      ],
    });
  });

  test("replay signed and redacted reasoning byte for byte, and leave unsigned reasoning out", () => {
    const messages = [
      user("Go"),
      assistant(
        { type: "reasoning", text: "Unsigned." },
        { type: "reasoning", text: " Signed. ", opaque: { family: "anthropic", form: "signature", data: "Ep0+/==" } },
        { type: "reasoning", text: "", opaque: { family: "bedrock", form: "redacted", data: "cnNu+/==" } },
        { type: "reasoning", text: "", opaque: { family: "anthropic", form: "redacted", data: "EmwK" } },
        { type: "text", text: "Done." },
      ),
      user("More"),
    ];
    expect((encode({ messages }, CLAUDE).body.messages as unknown[])[1]).toEqual({
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: " Signed. ", signature: "Ep0+/==" } } },
        { reasoningContent: { redactedContent: "cnNu+/==" } },
        { text: "Done." },
      ],
    });
  });
});

describe("tools", () => {
  const encodeTools = (request: Partial<GenerationRequest>, options: TargetOptions = {}) => {
    const { body, ignored } = encode({ tools: [tool("a"), tool("b")], ...request }, options);
    const fields = body.additionalModelRequestFields as { tool_choice?: unknown } | undefined;
    return { config: body.toolConfig, own: fields?.tool_choice, ignored };
  };
  const both = [spec("a"), spec("b")];

  test("are declared with their schemas, descriptions and cache points", () => {
    const parameters = { type: "object", properties: { city: { type: "string" } } };
    const tools: FunctionTool[] = [
      { kind: "function", name: "a", description: "Does a", parameters, strict: true, cache: { ttl: null } },
      { kind: "function", name: "b", description: " " },
    ];
    const declared = { toolSpec: { name: "a", description: "Does a", inputSchema: { json: parameters } } };
    const point = { cachePoint: { type: "default" } };
    expect(encode({ tools }, CLAUDE).body.toolConfig).toEqual({ tools: [declared, point, spec("b")] });
    const nova = encode({ tools }, NOVA);
    expect([nova.body.toolConfig, nova.ignored]).toEqual([
      { tools: [declared, spec("b")] },
      ["cache_hints", "tools.strict"],
    ]);
  });

  test.each<[GenerationRequest["tool_choice"], object]>([
    [undefined, { tools: both }],
    [{ mode: "auto" }, { tools: both, toolChoice: { auto: {} } }],
    [{ mode: "required" }, { tools: both, toolChoice: { any: {} } }],
    [
      { mode: "named", name: "b" },
      { tools: both, toolChoice: { tool: { name: "b" } } },
    ],
  ])("are chosen by %p", (tool_choice, config) => {
    const expected = { config, own: undefined, ignored: [] };
    expect(encodeTools({ ...(tool_choice && { tool_choice }) })).toEqual(expected);
  });

  test("are called one at a time by Anthropic's own choice, which excludes Converse's", () => {
    const own = (tool_choice: GenerationRequest["tool_choice"]) =>
      encodeTools({ parallel_tool_calls: false, ...(tool_choice && { tool_choice }) }, CLAUDE);
    const single = { disable_parallel_tool_use: true };
    expect(own(undefined)).toEqual({ config: { tools: both }, own: { type: "auto", ...single }, ignored: [] });
    expect(own({ mode: "required" })).toMatchObject({ own: { type: "any", ...single } });
    expect(own({ mode: "named", name: "a" })).toMatchObject({ own: { type: "tool", name: "a", ...single } });
  });

  test("that must not be called are left out, or declared and forbidden, or the choice is reported as ignored", () => {
    const none = { tool_choice: { mode: "none" } } as const;
    const history = { messages: [user("Go"), assistant(called("1", "a")), result("1", "x")] };
    expect(encodeTools(none)).toEqual({ config: undefined, own: undefined, ignored: [] });
    expect(encodeTools(none, CLAUDE)).toEqual({ config: { tools: both }, own: { type: "none" }, ignored: [] });
    expect(encodeTools({ ...none, ...history })).toEqual({
      config: { tools: both },
      own: undefined,
      ignored: ["tool_choice"],
    });
  });

  test("that were called are declared also when the client no longer sends them", () => {
    const messages = [user("Go"), assistant(called("1", "a"), called("2", "a")), result("1", "x"), result("2", "y")];
    expect(encodeTools({ messages, tools: [] })).toEqual({
      config: { tools: [spec("a")] },
      own: undefined,
      ignored: [],
    });
    expect(encodeTools({ messages, tools: [] }, CLAUDE).own).toEqual({ type: "none" });
  });
});

describe("settings", () => {
  test("are written into inferenceConfig, or into the maker's own fields", () => {
    const request = { max_output_tokens: 50, temperature: 0.5, top_p: 0.9, top_k: 40, stop: ["END"] };
    const inferenceConfig = { maxTokens: 50, temperature: 0.5, topP: 0.9, stopSequences: ["END"] };
    expect(encode(request, CLAUDE).body).toMatchObject({
      inferenceConfig,
      additionalModelRequestFields: { top_k: 40 },
      additionalModelResponseFieldPaths: ["/stop_sequence"],
    });
    expect(encode({ ...request, stream: true }, CLAUDE).body).toMatchObject({
      additionalModelResponseFieldPaths: ["/delta/stop_sequence"],
    });
    const nova = encode(request, NOVA).body;
    expect(nova).toMatchObject({ additionalModelRequestFields: { inferenceConfig: { topK: 40 } } });
    expect(encode({}).body).toEqual({ messages: [{ role: "user", content: [{ text: "Hi" }] }] });
  });

  test("have the API's highest temperature at most, and a lowered one is reported", () => {
    const { body, ignored } = encode({ temperature: 1.7 });
    expect([body.inferenceConfig, ignored]).toEqual([{ temperature: 1 }, ["temperature"]]);
  });
});

describe("sampling", () => {
  test("is no trait of Anthropic's models that have effort levels only", () => {
    const honours = (capabilities: TargetOptions["capabilities"], upstream_model = "anthropic.claude-opus-4-8") => {
      const target = targetFor("bedrock-converse", { upstream_model, ...(capabilities && { capabilities }) });
      const { temperature, top_p, top_k } = bedrockConverse.traits(target).honours;
      return [temperature, top_p, top_k];
    };
    expect(honours(LEVELS)).toEqual([false, false, false]);
    expect(honours(BUDGET)).toEqual([true, true, true]);
    expect(honours({})).toEqual([true, true, true]);
    expect(honours(LEVELS, "qwen.qwen3")).toEqual([true, true, false]);
  });
});

describe("the family of a model", () => {
  const signer = (upstream_model: string) =>
    bedrockConverse.traits(targetFor("bedrock-converse", { upstream_model })).families;

  test.each<[string, readonly string[]]>([
    ["anthropic.claude-3-haiku-20240307-v1:0", ["bedrock", "anthropic"]],
    ["eu.anthropic.claude-sonnet-4-6", ["bedrock", "anthropic"]],
    ["arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-v2", ["bedrock", "anthropic"]],
    ["deepseek.r1-v1:0", ["bedrock"]],
    ["arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", ["bedrock"]],
  ])("follows from its id: %s", (id, families) => {
    expect(signer(id)).toEqual(families as never);
  });

  test("follows from the catalog's owned_by where the id does not show it", () => {
    const target = targetFor("bedrock-converse", {
      upstream_model: "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc",
    });
    const owned = { ...target, model: { ...target.model, owned_by: "Anthropic" } };
    expect(bedrockConverse.traits(owned).families).toContain("anthropic");
  });
});

describe("reasoning", () => {
  const fitted = (reasoning: ReasoningSetting, options: TargetOptions, request: Partial<GenerationRequest> = {}) => {
    const { body, ignored } = encode({ reasoning, ...request }, options);
    return [body.additionalModelRequestFields, ignored];
  };
  const thinking = (budget_tokens: number) => ({ thinking: { type: "enabled", budget_tokens } });

  test.each<[ReasoningSetting, object | undefined]>([
    [{ effort: "high" }, thinking(16_000)],
    [{ effort: "low" }, thinking(4000)],
    [{ enabled: true, budget_tokens: 100 }, thinking(1024)],
    [{ enabled: true, budget_tokens: 90_000 }, thinking(20_000)],
    [{ effort: "none" }, undefined],
    [{ show: "auto", want_opaque: true }, undefined],
  ])("of an Anthropic model with a budget: %p", (setting, fields) => {
    expect(fitted(setting, { ...CLAUDE, capabilities: BUDGET })).toEqual([fields, []]);
  });

  test("leaves room for the answer under the output cap, or is left out", () => {
    const options = { ...CLAUDE, capabilities: BUDGET };
    expect(fitted({ effort: "high" }, options, { max_output_tokens: 5000 })).toEqual([thinking(4999), []]);
    expect(fitted({ effort: "high" }, options, { max_output_tokens: 1000 })).toEqual([undefined, ["reasoning"]]);
  });

  test.each<[ReasoningSetting, object | undefined]>([
    [{ effort: "xhigh" }, { thinking: { type: "adaptive" }, output_config: { effort: "high" } }],
    [{ enabled: true }, { thinking: { type: "adaptive" } }],
    [
      { enabled: true, budget_tokens: 32_000 },
      { thinking: { type: "adaptive" }, output_config: { effort: "medium" } },
    ],
    [{ enabled: false }, { thinking: { type: "disabled" } }],
  ])("of an Anthropic model with levels: %p", (setting, fields) => {
    expect(fitted(setting, { ...CLAUDE, capabilities: LEVELS })).toEqual([fields, []]);
  });

  test("of other makers is written in their own fields", () => {
    const openai = { upstream_model: "openai.gpt-oss-120b-1:0", capabilities: LEVELS };
    expect(fitted({ effort: "high" }, openai)).toEqual([{ reasoning_effort: "high" }, []]);
    expect(fitted({ effort: "none" }, openai)).toEqual([{ reasoning_effort: "none" }, []]);
    const nova = { upstream_model: "us.amazon.nova-2-lite-v1:0", capabilities: LEVELS };
    const config = (maxReasoningEffort: string) => ({ reasoningConfig: { type: "enabled", maxReasoningEffort } });
    expect(fitted({ effort: "high" }, nova)).toEqual([config("high"), []]);
    expect(fitted({ effort: "high" }, nova, { max_output_tokens: 9 })).toEqual([config("medium"), []]);
    expect(fitted({ effort: "none" }, nova)).toEqual([{ reasoningConfig: { type: "disabled" } }, []]);
    expect(fitted({ effort: "high" }, { upstream_model: "qwen.qwen3", capabilities: LEVELS })).toEqual([
      undefined,
      ["reasoning"],
    ]);
    expect(fitted({ effort: "high" }, CLAUDE)).toEqual([undefined, ["reasoning"]]);
  });

  test("of an Anthropic model leaves sampling out and reports it", () => {
    const { body, ignored } = encode(
      { reasoning: { effort: "low" }, temperature: 0.3, top_p: 0.5, top_k: 3, max_output_tokens: 9000 },
      { ...CLAUDE, capabilities: BUDGET },
    );
    expect(body.inferenceConfig).toEqual({ maxTokens: 9000 });
    expect(ignored).toEqual(["temperature", "top_p", "top_k"]);
  });

  test("is left out beside forced calls, and in a turn that began without thinking", () => {
    const options = { ...CLAUDE, capabilities: BUDGET };
    const forced = { tools: [tool("a")], tool_choice: { mode: "required" } } as const;
    expect(fitted({ effort: "low" }, options, forced)).toEqual([undefined, ["reasoning"]]);
    const amid = (...content: AssistantPart[]) => ({
      tools: [tool("a")],
      messages: [user("Go"), assistant(...content), result("1", "x")],
    });
    expect(fitted({ effort: "low" }, options, amid(called("1", "a")))).toEqual([undefined, ["reasoning"]]);
    const opaque = { family: "anthropic", form: "signature", data: "s" } as const;
    const thought: AssistantPart = { type: "reasoning", text: "t", opaque };
    expect(fitted({ effort: "low" }, options, amid(thought, called("1", "a")))).toEqual([thinking(4000), []]);
    const after = { tools: [tool("a")], messages: [...amid(called("1", "a")).messages, user("And?")] };
    expect(fitted({ effort: "low" }, options, after)).toEqual([thinking(4000), []]);
    const begun = { messages: [user("Go"), assistant({ type: "text", text: "It is" })] };
    expect(fitted({ effort: "low" }, options, begun)).toEqual([undefined, ["reasoning"]]);
  });
});
