import type { BilledEndpoint } from "../../../src/core/endpoints.ts";
import { sealThoughts } from "../../../src/protocols/gemini/thought-seal.ts";

/** Bodies with the members that few clients send, and that encoders read all the same: packed reasoning, seals, parts of every kind. */

const PARAMETERS = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
const IMAGE = "data:image/png;base64,iVBORw0KGgo=";
const PDF = "data:application/pdf;base64,JVBERg==";
const PACKED = Buffer.from("Hm.").toString("base64url");
const RECURSIVE = {
  type: "object",
  properties: {
    a: { anyOf: [{ type: "string", pattern: "^a$", format: "date" }, { $ref: "#/$defs/n" }] },
    b: { type: ["string", "null"], enum: ["a", null] },
    c: { type: "array", items: { type: "integer", minimum: 1 }, minItems: 1 },
  },
  required: ["a", "b", "c"],
  additionalProperties: false,
  $defs: {
    n: { type: "object", properties: { n: { $ref: "#/$defs/n" } }, required: [], additionalProperties: false },
  },
};

const SEALED = {
  type: "reasoning",
  text: "Hm.",
  opaque: { family: "anthropic", form: "signature", data: "c2ln" },
} as const;

const CHAT: readonly object[] = [
  {
    model: "m",
    messages: [
      { role: "developer", content: [{ type: "text", text: "Be brief." }] },
      { role: "user", name: "u", content: [{ type: "text", text: "See", cache_control: { type: "ephemeral" } }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "a" },
          { type: "refusal", refusal: "no" },
        ],
        reasoning: "Hm.",
        reasoning_content: "Hm.",
        reasoning_details: [
          { type: "reasoning.text", text: "Hm.", signature: "c2ln", format: "anthropic-claude-v1", index: 0 },
          { type: "reasoning.encrypted", data: "c2ln", id: "call_1", format: "google-gemini-v1", index: 1 },
          { type: "reasoning.summary", summary: "s", format: "openai-responses-v1", id: "rs_1", index: 2 },
          { type: "reasoning.encrypted", data: "x", id: "rs_1", format: "openai-responses-v1", index: 3 },
        ],
        tool_calls: [
          {
            id: "call_1",
            type: "function",
            function: { name: "look", arguments: '{"q":"a"}' },
            extra_content: { google: { thought_signature: "c2ln" } },
          },
          { id: "call_2", type: "custom", custom: { name: "free", input: "x" } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "seen" }] },
      { role: "tool", tool_call_id: "call_2", content: "seen" },
      { role: "system", content: "Amid." },
      { role: "user", content: "And?" },
      { role: "assistant", content: "It" },
    ],
    tools: [
      { type: "function", function: { name: "look", description: "d", parameters: PARAMETERS } },
      { type: "custom", custom: { name: "free", description: "d", format: { type: "text" } } },
    ],
    tool_choice: { type: "function", function: { name: "look" } },
    stop: ["END"],
    user: "u",
    reasoning_effort: "high",
    service_tier: "auto",
    verbosity: "low",
    prompt_cache_key: "k",
  },
  {
    model: "m",
    messages: [
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: IMAGE } },
          { type: "file", file: { filename: "a.pdf", file_data: PDF } },
        ],
      },
    ],
    response_format: {
      type: "json_schema",
      json_schema: { name: "o", description: "d", strict: true, schema: RECURSIVE },
    },
  },
];

const RESPONSES: readonly object[] = [
  {
    model: "m",
    store: false,
    input: [
      { type: "message", role: "developer", content: "x" },
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "See", prompt_cache_breakpoint: { ttl: "1h" } },
          { type: "input_image", image_url: IMAGE, detail: "low" },
          { type: "input_file", filename: "a.pdf", file_data: PDF },
        ],
      },
      {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "s" }],
        content: [{ type: "reasoning_text", text: "t" }],
        encrypted_content: "camino:anthropic:signature::c2ln",
      },
      { type: "reasoning", id: "rs_2", summary: [], encrypted_content: `camino:unsigned:${PACKED}` },
      { type: "reasoning", id: "rs_3", summary: [], encrypted_content: "camino:openai:encrypted:rs_9:x" },
      {
        type: "reasoning",
        id: "rs_4",
        summary: [],
        encrypted_content: "camino-of:6:call_1:camino:google:signature::c2ln",
      },
      {
        type: "message",
        role: "assistant",
        id: "msg_1",
        status: "completed",
        content: [
          { type: "output_text", text: "a", annotations: [], logprobs: [] },
          { type: "refusal", refusal: "no" },
        ],
      },
      { type: "compaction", id: "cmp_1", encrypted_content: "camino:summary:It rained." },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "look", namespace: "ns", arguments: '{"q":"a"}' },
      { type: "custom_tool_call", id: "ctc_1", call_id: "call_2", name: "free", input: "x" },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: [
          { type: "input_text", text: "x" },
          { type: "input_image", image_url: IMAGE },
        ],
      },
      { type: "custom_tool_call_output", call_id: "call_2", output: "x" },
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } },
      { type: "tool_search_output", call_id: "c4", tools: [{ type: "function", name: "x", parameters: {} }] },
      { role: "user", content: "And?" },
    ],
    tools: [
      { type: "custom", name: "free", description: "d", format: { type: "text" } },
      {
        type: "namespace",
        name: "ns",
        description: "d",
        tools: [{ type: "function", name: "look", parameters: PARAMETERS }],
      },
    ],
    text: { format: { type: "json_object" }, verbosity: "low" },
    reasoning: { effort: "high", summary: "auto" },
    metadata: { a: "b" },
  },
];

const MESSAGES: readonly object[] = [
  {
    model: "m",
    max_tokens: 5000,
    messages: [
      { role: "user", content: [{ type: "text", text: "a", citations: null }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "camino:openai:encrypted:rs_1:x" },
          { type: "redacted_thinking", data: "camino:google:signature:toolu_1:c2ln" },
          { type: "thinking", thinking: "Hm.", signature: "camino:unsigned:" },
          { type: "thinking", thinking: "", signature: `camino:hidden:${PACKED}:c2ln` },
          { type: "text", text: "a" },
          { type: "tool_use", id: "toolu_1", name: "look", input: { q: "a" }, cache_control: { type: "ephemeral" } },
          { type: "tool_use", id: "toolu_2", name: "free", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: [
              { type: "text", text: "a" },
              {
                type: "document",
                title: "t",
                context: "c",
                source: { type: "text", media_type: "text/plain", data: "x" },
              },
              { type: "document", source: { type: "content", content: [{ type: "text", text: "x" }] } },
            ],
          },
          { type: "tool_result", tool_use_id: "toolu_2", content: "x", is_error: true },
          { type: "text", text: "b" },
        ],
      },
      { role: "assistant", content: "It" },
    ],
    tools: [
      { name: "look", description: "d", input_schema: RECURSIVE, cache_control: { type: "ephemeral", ttl: "1h" } },
      { type: "custom", name: "free", input_schema: { type: "object" } },
    ],
    tool_choice: { type: "any" },
    output_config: { effort: "high" },
    stop_sequences: ["END"],
    metadata: { user_id: "u" },
    service_tier: "auto",
  },
];

const GEMINI: readonly object[] = [
  {
    "@address": { model: "m", stream: false },
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [
      {
        role: "user",
        parts: [
          { text: "See" },
          { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
          { inlineData: { mimeType: "text/plain", data: "eA==" } },
          { fileData: { fileUri: "https://files.example/a.pdf", mimeType: "application/pdf" } },
        ],
      },
      {
        role: "model",
        parts: [
          { text: "Hm.", thought: true },
          { text: "a", thoughtSignature: sealThoughts({ own: null, reasoning: [SEALED] }) },
          { functionCall: { name: "look", args: { q: "a" } }, thoughtSignature: "c2ln" },
          { functionCall: { name: "look", args: {} } },
          { executableCode: { language: "PYTHON", code: "1" } },
        ],
      },
      { role: "model", parts: [{ text: "" }] },
      {
        role: "function",
        parts: [
          { functionResponse: { name: "look", response: { error: { code: 1 } } } },
          {
            functionResponse: {
              name: "look",
              response: { result: [1] },
              parts: [{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }],
            },
          },
        ],
      },
      { role: "model", parts: [{ text: "It" }] },
    ],
    tools: [
      { functionDeclarations: [{ name: "look", description: "d", parametersJsonSchema: RECURSIVE }] },
      {
        functionDeclarations: [
          { name: "free", parameters: { type: "OBJECT", properties: { n: { type: "INTEGER" } } } },
        ],
      },
      { googleSearch: {}, codeExecution: {} },
    ],
    toolConfig: { functionCallingConfig: { mode: "VALIDATED" } },
    generationConfig: {
      responseLogprobs: true,
      logprobs: 2,
      responseMimeType: "application/json",
      responseJsonSchema: RECURSIVE,
      thinkingConfig: { thinkingLevel: "HIGH", includeThoughts: true },
      stopSequences: ["END"],
      mediaResolution: "MEDIA_RESOLUTION_LOW",
    },
    serviceTier: "flex",
  },
];

export const RICH_BODIES: Readonly<Record<BilledEndpoint, readonly object[]>> = {
  "chat.completions": CHAT,
  responses: RESPONSES,
  messages: MESSAGES,
  embeddings: [],
  completions: [],
  rerank: [],
  moderations: [],
  "responses.compact": [],
  generateContent: GEMINI,
  "audio.speech": [],
  "images.generations": [],
  "images.edits": [],
  "audio.transcriptions": [],
  "audio.translations": [],
  decisions: [],
  systemone: [],
};
