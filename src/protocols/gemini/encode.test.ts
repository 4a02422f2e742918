import { describe, expect, test } from "bun:test";
import { generation, user } from "../../../proofs/support/generation.ts";
import { type TargetOptions, targetFor } from "../../../proofs/support/target.ts";
import type { AssistantPart, GenerationRequest, Message, ReasoningSetting } from "../../core/answer/generation.ts";
import { gemini } from "./codec.ts";

const HEADERS = { get: () => null };
const LEVELS = { thinking: true, reasoning: { effort: ["low", "medium", "high"] } };
const BUDGET = { thinking: true, reasoning: { toggle: true, budget_tokens: { min: 512, max: 20_000 } } };

function encode(request: Partial<GenerationRequest>, options: TargetOptions = {}) {
  const encoded = gemini.encodeRequest(generation(request), targetFor("gemini", options), HEADERS);
  return { ...encoded, body: JSON.parse(encoded.body) as Record<string, unknown> };
}

const assistant = (...content: AssistantPart[]): Message => ({ role: "assistant", content });
const called = (id: string, name: string, args: string, signature?: string): AssistantPart => ({
  type: "tool-call",
  kind: "function",
  id,
  name,
  arguments: args,
  ...(signature === undefined ? {} : { opaque: { family: "google", form: "signature", data: signature } }),
});
const PNG = { kind: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } as const;
const INLINE_PNG = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };

describe("the path", () => {
  test.each<[string, boolean, string]>([
    ["gemini-3-flash-preview", false, "/models/gemini-3-flash-preview:generateContent"],
    ["gemini-3-flash-preview", true, "/models/gemini-3-flash-preview:streamGenerateContent?alt=sse"],
    ["tunedModels/mine", false, "/tunedModels/mine:generateContent"],
    ["echo@usage=none&x=1", false, "/models/echo%40usage%3Dnone%26x%3D1:generateContent"],
  ])("names the model %s (stream: %p)", (upstream_model, stream, path) => {
    expect(encode({ stream }, { upstream_model }).path).toBe(path);
  });
});

describe("messages", () => {
  test("of system and developer become the system instruction, wherever they stand", () => {
    const system = (authority: "system" | "developer", text: string): Message => ({
      role: "system",
      authority,
      content: [{ type: "text", text }],
    });
    const { body } = encode({
      messages: [system("system", "Be brief."), user("Hi"), system("developer", "In German.")],
    });
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: "Be brief." }, { text: "In German." }] },
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
    });
    expect(encode({ messages: [system("system", "Say hi.")] }).body).toEqual({
      contents: [{ role: "user", parts: [{ text: "Say hi." }] }],
    });
  });

  test("hold images, audio, video and documents, by value and by URL", () => {
    const { body } = encode({
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: PNG },
            { type: "image", source: { kind: "url", url: "https://example.com/cat.webp?size=2" } },
            { type: "image", source: { kind: "url", url: "https://example.com/cat" } },
            { type: "audio", format: "wav", data: "UklGRg==" },
            { type: "video", source: { kind: "url", url: "https://www.youtube.com/watch?v=x" } },
            { type: "document", source: { kind: "base64", media_type: "application/pdf", data: "JVBERg==" } },
            {
              type: "document",
              source: { kind: "file-id", file_id: "https://generativelanguage.googleapis.com/v1beta/files/a" },
            },
            { type: "text", text: "What are they?" },
          ],
        },
      ],
    });
    expect(body.contents).toEqual([
      {
        role: "user",
        parts: [
          INLINE_PNG,
          { fileData: { fileUri: "https://example.com/cat.webp?size=2", mimeType: "image/webp" } },
          { fileData: { fileUri: "https://example.com/cat", mimeType: "image/jpeg" } },
          { inlineData: { mimeType: "audio/wav", data: "UklGRg==" } },
          { fileData: { fileUri: "https://www.youtube.com/watch?v=x", mimeType: "video/mp4" } },
          { inlineData: { mimeType: "application/pdf", data: "JVBERg==" } },
          { fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/a" } },
          { text: "What are they?" },
        ],
      },
    ]);
  });

  test("with another vendor's file id are refused", () => {
    const content = [{ type: "document", source: { kind: "file-id", file_id: "file-abc" } }] as const;
    expect(() => encode({ messages: [{ role: "user", content }] })).toThrow(
      expect.objectContaining({ code: "unsupported_parameter", param: "messages" }),
    );
  });

  const TOOL_TURN: readonly Message[] = [
    user("Weather?"),
    assistant(
      { type: "text", text: "I look." },
      called("a", "weather", '{"city":"Paris"}', "sig+/="),
      called("b", "time", ""),
    ),
    { role: "tool", call_id: "a", content: [{ type: "text", text: "sunny" }], is_error: false },
    { role: "tool", call_id: "b", content: [{ type: "text", text: "no clock" }], is_error: true },
    user("So?"),
  ];

  test("of parallel tools are one turn of calls and one of results, each signature with its call", () => {
    expect(encode({ messages: TOOL_TURN }, { capabilities: LEVELS }).body.contents).toEqual([
      { role: "user", parts: [{ text: "Weather?" }] },
      {
        role: "model",
        parts: [
          { text: "I look." },
          { functionCall: { id: "a", name: "weather", args: { city: "Paris" } }, thoughtSignature: "sig+/=" },
          { functionCall: { id: "b", name: "time", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "a", name: "weather", response: { output: "sunny" } } },
          { functionResponse: { id: "b", name: "time", response: { error: "no clock" } } },
        ],
      },
      { role: "user", parts: [{ text: "So?" }] },
    ]);
  });

  test("with a damaged signature have the mark for unsigned calls in its place", () => {
    const signatures = ["sig+/=", "sig_-", "c2ln…", "sig\n", ""].map((data) => {
      const { contents } = encode(
        { messages: [user("Go"), assistant(called("a", "x", "{}", data))] },
        { capabilities: LEVELS },
      ).body;
      return (contents as { parts: { thoughtSignature?: string }[] }[])[1]?.parts[0]?.thoughtSignature;
    });
    const none = "skip_thought_signature_validator";
    expect(signatures).toEqual(["sig+/=", "sig_-", none, none, none]);
  });

  test("to Vertex AI carry no ids of calls", () => {
    const { contents } = encode({ messages: TOOL_TURN }, { quirks: { no_call_ids: true } }).body;
    expect(JSON.stringify(contents)).not.toContain('"id"');
  });

  test("with unsigned calls mark the first call of a row, where the model requires signatures", () => {
    const messages = [user("Go"), assistant(called("a", "x", "{}"), called("b", "y", "{}"))];
    const signatures = (options: TargetOptions) =>
      (encode({ messages }, options).body.contents as { parts: { thoughtSignature?: string }[] }[])[1]?.parts.map(
        (part) => part.thoughtSignature,
      );
    expect(signatures({ capabilities: LEVELS })).toEqual(["skip_thought_signature_validator", undefined]);
    expect(signatures({ capabilities: BUDGET })).toEqual([undefined, undefined]);
    expect(signatures({})).toEqual([undefined, undefined]);
  });

  test("replay what Google signed, byte for byte, and leave unsigned thoughts out", () => {
    const opaque = { family: "google", form: "signature", data: "Eo0H+/==" } as const;
    const messages = [
      user("Go"),
      assistant(
        { type: "reasoning", text: "Unsigned." },
        { type: "reasoning", text: "Signed.", opaque },
        { type: "reasoning", text: "", opaque },
        { type: "text", text: "Done.", opaque },
        { type: "text", text: "", opaque },
        { type: "refusal", text: "No." },
      ),
    ];
    expect((encode({ messages }).body.contents as unknown[])[1]).toEqual({
      role: "model",
      parts: [
        { text: "Signed.", thought: true, thoughtSignature: "Eo0H+/==" },
        { text: "", thoughtSignature: "Eo0H+/==" },
        { text: "Done.", thoughtSignature: "Eo0H+/==" },
        { text: "", thoughtSignature: "Eo0H+/==" },
        { text: "No." },
      ],
    });
  });

  test("with images in a tool's result have the images inside the result, or beside it for older models", () => {
    const messages: Message[] = [
      user("Look"),
      assistant(called("a", "photo", "{}", "s")),
      {
        role: "tool",
        call_id: "a",
        is_error: false,
        content: [
          { type: "text", text: "here" },
          { type: "image", source: PNG },
          { type: "image", source: { kind: "url", url: "https://example.com/b.png" } },
        ],
      },
    ];
    const last = (options: TargetOptions) => (encode({ messages }, options).body.contents as unknown[])[2];
    const linked = { fileData: { fileUri: "https://example.com/b.png", mimeType: "image/png" } };
    const result = { id: "a", name: "photo", response: { output: "here" } };
    expect(last({ capabilities: LEVELS })).toEqual({
      role: "user",
      parts: [{ functionResponse: { ...result, parts: [INLINE_PNG] } }, linked],
    });
    expect(last({})).toEqual({ role: "user", parts: [{ functionResponse: result }, INLINE_PNG, linked] });
  });

  test.each<[string, object]>([
    ["", {}],
    ["{", { input: "{" }],
    ["[1]", { input: [1] }],
    ['{"a":1}', { a: 1 }],
  ])("with the arguments %p are sent as an object", (text, args) => {
    const messages = [user("Go"), assistant(called("a", "x", text))];
    expect((encode({ messages }).body.contents as unknown[])[1]).toMatchObject({ parts: [{ functionCall: { args } }] });
  });
});

describe("tools", () => {
  const tool = (name: string, strict?: boolean) => ({
    kind: "function" as const,
    name,
    description: `Does ${name}`,
    parameters: { type: "object", properties: { unit: { const: "C" } } },
    ...(strict === undefined ? {} : { strict }),
  });

  test("are declared with their JSON schemas, with enum in place of const, which Google does not know", () => {
    const { body } = encode({ tools: [tool("a"), { kind: "function", name: "b" }] });
    expect(body.tools).toEqual([
      {
        functionDeclarations: [
          {
            name: "a",
            description: "Does a",
            parametersJsonSchema: { type: "object", properties: { unit: { enum: ["C"] } } },
          },
          { name: "b" },
        ],
      },
    ]);
    expect(body).not.toHaveProperty("toolConfig");
  });

  test.each<[GenerationRequest["tool_choice"], boolean, object | undefined]>([
    [undefined, false, undefined],
    [undefined, true, { mode: "VALIDATED" }],
    [{ mode: "auto" }, false, { mode: "AUTO" }],
    [{ mode: "auto" }, true, { mode: "VALIDATED" }],
    [{ mode: "none" }, true, { mode: "NONE" }],
    [{ mode: "required" }, true, { mode: "ANY" }],
    [{ mode: "named", name: "a" }, false, { mode: "ANY", allowedFunctionNames: ["a"] }],
  ])("are chosen by %p (strict: %p)", (tool_choice, strict, expected) => {
    const { body } = encode({ tools: [tool("a", strict)], ...(tool_choice && { tool_choice }) });
    expect(body.toolConfig).toEqual(expected === undefined ? undefined : { functionCallingConfig: expected });
  });
});

describe("settings", () => {
  test("are written into generationConfig", () => {
    const { body } = encode({
      max_output_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      seed: 7,
      stop: ["END"],
      logprobs: { top: 3 },
    });
    expect(body.generationConfig).toEqual({
      maxOutputTokens: 50,
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      seed: 7,
      stopSequences: ["END"],
      responseLogprobs: true,
      logprobs: 3,
    });
    expect(encode({}).body).not.toHaveProperty("generationConfig");
  });

  test("of structured output are a media type and a JSON schema", () => {
    const schema = { type: "object", properties: { kind: { const: "cat" } } };
    expect(encode({ format: { type: "json-schema", name: "x", schema } }).body.generationConfig).toEqual({
      responseMimeType: "application/json",
      responseJsonSchema: { type: "object", properties: { kind: { enum: ["cat"] } } },
    });
    expect(encode({ format: { type: "json-object" } }).body.generationConfig).toEqual({
      responseMimeType: "application/json",
    });
  });

  test("beyond the API's limits are refused", () => {
    const stop = ["1", "2", "3", "4", "5", "6"];
    expect(() => encode({ stop })).toThrow(expect.objectContaining({ code: "unsupported_parameter", param: "stop" }));
  });
});

describe("structured output", () => {
  const formats = (options: TargetOptions, tools: GenerationRequest["tools"]) => {
    const { json_schema, json_object } = gemini.traits(targetFor("gemini", options), generation({ tools }));
    return [json_schema, json_object];
  };
  const tools = [{ kind: "function", name: "a" }] as const;

  test("is honoured, but beside tools only from Gemini 3 on", () => {
    expect(formats({ capabilities: LEVELS }, tools)).toEqual([true, true]);
    expect(formats({ capabilities: BUDGET }, [])).toEqual([true, true]);
    expect(formats({ capabilities: BUDGET }, tools)).toEqual([false, false]);
  });
});

describe("reasoning", () => {
  const fitted = (reasoning: ReasoningSetting, capabilities: TargetOptions["capabilities"] = {}) => {
    const { body, ignored } = encode({ reasoning }, { capabilities });
    const config = body.generationConfig as { thinkingConfig?: object } | undefined;
    return [config?.thinkingConfig, ignored];
  };

  test.each<[ReasoningSetting, object | undefined]>([
    [{ effort: "high" }, { includeThoughts: true, thinkingLevel: "high" }],
    [{ effort: "xhigh" }, { includeThoughts: true, thinkingLevel: "high" }],
    [{ effort: "minimal" }, { includeThoughts: true, thinkingLevel: "low" }],
    [{ effort: "medium", show: "none" }, { thinkingLevel: "medium" }],
    [{ effort: "none" }, { thinkingLevel: "low" }],
    [
      { enabled: true, budget_tokens: 17_000 },
      { includeThoughts: true, thinkingLevel: "medium" },
    ],
    [{ enabled: true }, { includeThoughts: true }],
    [{ show: "auto" }, { includeThoughts: true }],
    [{ want_opaque: true }, undefined],
  ])("on a model with levels: %p", (setting, expected) => {
    expect(fitted(setting, LEVELS)).toEqual([expected, []]);
  });

  test.each<[ReasoningSetting, object | undefined]>([
    [{ effort: "high" }, { includeThoughts: true, thinkingBudget: 16_000 }],
    [
      { enabled: true, budget_tokens: 100 },
      { includeThoughts: true, thinkingBudget: 512 },
    ],
    [
      { enabled: true, budget_tokens: 100_000 },
      { includeThoughts: true, thinkingBudget: 20_000 },
    ],
    [{ enabled: true }, { includeThoughts: true }],
    [{ enabled: false }, { thinkingBudget: 0 }],
    [{ effort: "none" }, { thinkingBudget: 0 }],
  ])("on a model with a budget: %p", (setting, expected) => {
    expect(fitted(setting, BUDGET)).toEqual([expected, []]);
  });

  test("that a model does not have is left out and reported", () => {
    expect(fitted({ effort: "high" })).toEqual([undefined, ["reasoning"]]);
    expect(fitted({ effort: "none" })).toEqual([undefined, []]);
    expect(fitted({ enabled: false }, { thinking: true, reasoning: {} })).toEqual([undefined, ["reasoning"]]);
    expect(fitted({ enabled: false }, { thinking: true, reasoning: { budget_tokens: { min: 128 } } })).toEqual([
      { thinkingBudget: 128 },
      [],
    ]);
  });
});
