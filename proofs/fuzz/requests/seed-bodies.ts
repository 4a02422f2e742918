import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BilledEndpoint } from "../../../src/core/endpoints.ts";
import { isObject } from "../../../src/core/json.ts";
import { buildOpenApi } from "../../../src/http/openapi/build-openapi.ts";
import { Draw } from "../../torture/draw.ts";
import { randomInstance } from "../inputs/random-instance.ts";

/** Bodies from which requests are made: of real clients, of the documentation's examples, and drawn from its schemas. */

export const ENDPOINTS: readonly BilledEndpoint[] = [
  "chat.completions",
  "responses",
  "messages",
  "embeddings",
  "completions",
  "rerank",
  "moderations",
  "responses.compact",
  "generateContent",
  "audio.speech",
  "images.generations",
  "images.edits",
  "decisions",
  "systemone",
];

export const PATHS: Readonly<Record<BilledEndpoint, string>> = {
  "chat.completions": "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
  embeddings: "/v1/embeddings",
  completions: "/v1/completions",
  rerank: "/v1/rerank",
  moderations: "/v1/moderations",
  "responses.compact": "/v1/responses/compact",
  generateContent: "/v1beta/models/{model}:generateContent",
  "audio.speech": "/v1/audio/speech",
  "images.generations": "/v1/images/generations",
  "images.edits": "/v1/images/edits",
  "audio.transcriptions": "/v1/audio/transcriptions",
  "audio.translations": "/v1/audio/translations",
  decisions: "/v1/decisions",
  systemone: "/v1/systemone",
};

const FIXTURES = join(import.meta.dir, "../../fixtures");

function recorded(path: string): unknown {
  return JSON.parse(readFileSync(join(FIXTURES, path), "utf8")) as unknown;
}

const PARAMETERS = {
  type: "object",
  properties: { q: { type: "string", enum: ["a", "b"] }, n: { type: ["integer", "null"] } },
  required: ["q"],
  additionalProperties: false,
};
const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Conversations with tools, pictures and reasoning, as clients write them. */
const WRITTEN: Readonly<Record<BilledEndpoint, readonly object[]>> = {
  "responses.compact": [
    { model: "m", input: "Hi" },
    { model: "m", input: [{ role: "user", content: "Hi" }], instructions: "Be brief." },
  ],
  completions: [
    { model: "m", prompt: "Hi" },
    { model: "m", prompt: [1, 2], echo: true, max_tokens: 5 },
    {
      ...{ model: "m", prompt: ["é", "b"], suffix: "c", n: 2, best_of: 3, stream: true, logprobs: 2, stop: ["x"] },
      stream_options: { include_usage: true },
    },
  ],
  rerank: [
    { model: "m", query: "Hi", documents: ["a", "b"] },
    {
      ...{ model: "m", query: "é", documents: [{ title: "a", text: "b" }, "c"], rank_fields: ["title", "text"] },
      ...{ top_n: 1, return_documents: true, max_tokens_per_doc: 100, priority: 1 },
    },
  ],
  moderations: [
    { input: "Hi" },
    { model: "m", input: ["a", "b"] },
    {
      model: "m",
      input: [
        { type: "text", text: "a" },
        { type: "image_url", image_url: { url: PICTURE } },
      ],
    },
  ],
  embeddings: [
    { model: "m", input: "Hi" },
    { model: "m", input: ["a", "b"], encoding_format: "base64", dimensions: 8 },
    { model: "m", input: [1, 2] },
    { model: "m", input: [[1], [2, 3]], user: "u" },
  ],
  // Forms, which the fuzz of forms tries.
  "audio.transcriptions": [],
  "audio.translations": [],
  "images.edits": [
    {
      model: "m",
      prompt: "Redder",
      images: [{ image_url: "data:image/png;base64,iVBORw0KGgo=" }],
      mask: { image_url: "data:image/png;base64,iVBORw0KGgo=" },
    },
  ],
  "images.generations": [
    { model: "m", prompt: "A lighthouse" },
    {
      ...{ model: "m", prompt: "é", n: 2, size: "1024x1024", quality: "high", background: "opaque", user: "u" },
      ...{ output_format: "webp", output_compression: 50, stream: true, partial_images: 2, moderation: "low" },
    },
  ],
  "audio.speech": [
    { model: "m", input: "Hi", voice: "v" },
    {
      model: "m",
      input: "é",
      voice: { id: "v" },
      response_format: "wav",
      stream_format: "sse",
      speed: 2,
      instructions: "low",
    },
  ],
  "chat.completions": [
    { model: "m", messages: [{ role: "user", content: "Hi" }] },
    {
      model: "m",
      messages: [
        { role: "system", content: "Be brief.", name: "s" },
        {
          role: "user",
          content: [
            { type: "text", text: "See" },
            { type: "image_url", image_url: { url: PICTURE, detail: "low" } },
          ],
        },
        {
          role: "assistant",
          content: null,
          reasoning_content: "Hm.",
          tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: '{"q":"a"}' } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "seen" },
        { role: "user", content: "And?" },
      ],
      tools: [
        { type: "function", function: { name: "look", description: "Looks.", parameters: PARAMETERS, strict: true } },
      ],
      tool_choice: { type: "function", function: { name: "look" } },
      stream: true,
      stream_options: { include_usage: true },
      response_format: { type: "json_schema", json_schema: { name: "out", schema: PARAMETERS, strict: true } },
      max_completion_tokens: 100,
      temperature: 1,
      top_p: 0.9,
      stop: ["END"],
      n: 1,
      logprobs: true,
      top_logprobs: 2,
      reasoning_effort: "low",
      parallel_tool_calls: false,
      seed: 1,
      metadata: { a: "b" },
      safety_identifier: "user",
    },
    { model: "m", input: "in responses' shape" },
  ],
  responses: [
    { model: "m", input: "Hi", store: false },
    {
      model: "m",
      instructions: "Be brief.",
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "See" },
            { type: "input_image", image_url: PICTURE },
          ],
        },
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "xyz" },
        { type: "function_call", call_id: "call_1", name: "look", arguments: '{"q":"a"}' },
        { type: "function_call_output", call_id: "call_1", output: "seen" },
      ],
      tools: [
        { type: "function", name: "look", parameters: PARAMETERS, strict: true },
        { type: "custom", name: "free", format: { type: "text" } },
      ],
      tool_choice: { type: "function", name: "look" },
      text: { format: { type: "json_schema", name: "out", schema: PARAMETERS, strict: true }, verbosity: "low" },
      reasoning: { effort: "low", summary: "auto" },
      include: ["reasoning.encrypted_content"],
      max_output_tokens: 100,
      stream: true,
      truncation: "disabled",
    },
  ],
  messages: [
    { model: "m", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] },
    {
      model: "m",
      max_tokens: 3000,
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ttl: "1h" } }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "See" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: PICTURE.slice(22) } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "c2ln" },
            { type: "tool_use", id: "toolu_1", name: "look", input: { q: "a" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "seen" }], is_error: false },
          ],
        },
        { role: "system", content: "Amid." },
        { role: "user", content: "And?" },
      ],
      tools: [{ name: "look", description: "Looks.", input_schema: PARAMETERS }],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      thinking: { type: "enabled", budget_tokens: 1024 },
      stop_sequences: ["END"],
      metadata: { user_id: "u" },
      stream: true,
      top_k: 3,
    },
  ],
  generateContent: [
    { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
    { contents: { parts: { text: "Hi" } }, system_instruction: { parts: { text: "Be brief." } } },
    {
      systemInstruction: { role: "user", parts: [{ text: "Be brief." }] },
      contents: [
        { role: "user", parts: [{ text: "See" }, { inlineData: { mimeType: "image/png", data: PICTURE.slice(22) } }] },
        {
          role: "model",
          parts: [
            { text: "Hm.", thought: true },
            { functionCall: { id: "call_1", name: "look", args: { q: "a" } }, thoughtSignature: "c2ln" },
          ],
        },
        { role: "user", parts: [{ functionResponse: { id: "call_1", name: "look", response: { output: "seen" } } }] },
        { role: "model", parts: [{ text: "" }] },
        { role: "user", parts: [{ text: "And?" }] },
      ],
      tools: [{ functionDeclarations: [{ name: "look", description: "Looks.", parametersJsonSchema: PARAMETERS }] }],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["look"] } },
      generationConfig: {
        maxOutputTokens: 3000,
        temperature: 1,
        topK: 3,
        stopSequences: ["END"],
        responseMimeType: "application/json",
        responseSchema: { type: "OBJECT", properties: { a: { type: "STRING", nullable: true } }, required: ["a"] },
        thinkingConfig: { thinkingBudget: 1024, includeThoughts: true },
        seed: 1,
      },
      safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
    },
  ],
  decisions: [
    { model: "m", input: "It rains.", questions: [{ type: "predicate", name: "wet", instructions: "Is it wet?" }] },
    {
      model: "m",
      input: [
        { role: "user", content: "It rains." },
        {
          role: "user",
          content: [
            { type: "input_text", text: "See" },
            { type: "input_image", image_url: PICTURE },
          ],
        },
      ],
      questions: [
        {
          type: "choice",
          name: "who",
          instructions: "Who?",
          choices: [{ value: "a" }, { value: true, description: "B" }],
        },
        { type: "score", instructions: "How much?", levels: [{ label: "low" }, { description: "high" }, {}] },
      ],
      safety_identifier: "user",
    },
  ],
  systemone: [
    { model: "m", state: { weather: "rain" }, questions: { wet: { type: "noul", instructions: "Is it wet?" } } },
    {
      model: "m",
      state: [
        { type: "text", text: "See" },
        { type: "image_url", image_url: { url: PICTURE } },
      ],
      questions: {
        "7": { type: "score", instructions: "How much?", criteria: ["low", "middle", "high"] },
        who: { type: "choice", instructions: { ask: "Who?" }, criteria: { a: null, b: "B" } },
        wet: { type: "noul", instructions: "Wet?", criteria: { true: "yes", false: "no" } },
      },
    },
  ],
};

const RECORDED: Readonly<Record<BilledEndpoint, readonly string[]>> = {
  "chat.completions": [],
  responses: ["responses/codex-request.json"],
  messages: ["messages/claude-code-request.json"],
  embeddings: [],
  completions: [],
  rerank: [],
  moderations: [],
  "responses.compact": [],
  generateContent: [],
  "audio.speech": [],
  "images.generations": [],
  "images.edits": [],
  "audio.transcriptions": [],
  "audio.translations": [],
  decisions: ["decisions/openai-request.json"],
  systemone: ["systemone/request.json"],
};

const DRAWN = 24;
const DRAWN_SEED = 1;

const kept = new Map<BilledEndpoint, Bodies>();

export interface Bodies {
  /** Bodies that clients send; most models take them. */
  readonly sound: readonly unknown[];
  /** Bodies that agree with the documented schemas, and mean little. */
  readonly drawn: readonly unknown[];
}

/** The bodies of an endpoint; the same in every run. */
export function bodiesOf(endpoint: BilledEndpoint): Bodies {
  let bodies = kept.get(endpoint);
  if (bodies === undefined) {
    const { shown, drawn } = documentedBodies(endpoint);
    bodies = { sound: [...WRITTEN[endpoint], ...RECORDED[endpoint].map(recorded), ...shown], drawn };
    kept.set(endpoint, bodies);
  }
  return bodies;
}

export function seedBodies(endpoint: BilledEndpoint): readonly unknown[] {
  const { sound, drawn } = bodiesOf(endpoint);
  return [...sound, ...drawn];
}

const document = buildOpenApi({ version: "0" });

function documentedBodies(endpoint: BilledEndpoint): { shown: unknown[]; drawn: unknown[] } {
  const content = at(document, "paths", PATHS[endpoint], "post", "requestBody", "content", "application/json");
  const examples = at(content, "examples");
  const shown = isObject(examples) ? Object.values(examples).map((example) => at(example, "value")) : [];
  const draw = new Draw(DRAWN_SEED);
  const schema = at(content, "schema");
  const drawn = Array.from({ length: DRAWN }, () => randomInstance(schema, draw, { document }));
  return { shown: shown.filter(isObject), drawn: drawn.filter(isObject) };
}

function at(value: unknown, ...steps: string[]): unknown {
  return steps.reduce<unknown>((found, step) => (isObject(found) ? found[step] : undefined), value);
}
