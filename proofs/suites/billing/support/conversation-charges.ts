import { event } from "../../../../simulator/protocols/bedrock-converse/event-message.ts";
import type { GenerationEndpoint, SpokenProtocol } from "../../../../src/core/endpoints.ts";
import { type ChargeRow, events, type Form, json, TEXT } from "./charge-rows.ts";
import type { Stage } from "./staged-vendor.ts";

/** The rows of conversations: each client style at each protocol of vendors, whole and streamed, and what the vendors' own tools cost. */

const CHAT = { price: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 } };

const COMPLETION_USAGE = {
  ...{ prompt_tokens: 900, completion_tokens: 50, total_tokens: 950 },
  ...{ prompt_tokens_details: { cached_tokens: 200 }, completion_tokens_details: { reasoning_tokens: 20 } },
};
const completion = (object: string, choice: object, more: object = {}) => ({
  ...{ id: "chatcmpl-1", object, created: 1, model: "m", choices: [{ index: 0, ...choice }] },
  ...more,
});
const RESPONSE_USAGE = {
  ...{ input_tokens: 900, input_tokens_details: { cached_tokens: 200 }, output_tokens: 50 },
  ...{ output_tokens_details: { reasoning_tokens: 20 }, total_tokens: 950 },
};
const MESSAGE = { type: "message", role: "assistant", id: "msg_1", model: "m" };
const MESSAGE_USAGE = { input_tokens: 700, cache_read_input_tokens: 200, cache_creation_input_tokens: 100 };
const GEMINI_USAGE = {
  ...{ promptTokenCount: 900, cachedContentTokenCount: 200, candidatesTokenCount: 30 },
  ...{ thoughtsTokenCount: 20, totalTokenCount: 950 },
};
const said = (text: string, finishReason?: string) => [
  { index: 0, content: { role: "model", parts: [{ text }] }, ...(finishReason !== undefined && { finishReason }) },
];
const output = (text: string) => ({
  ...{ type: "message", id: "msg_1", role: "assistant", status: "completed" },
  content: [{ type: "output_text", text, annotations: [] }],
});
const response = (status: string, more: object) => ({
  ...{ id: "resp_1", object: "response", created_at: 1, model: "m", status, output: [] },
  ...more,
});

/** Uncached input, input read from a cache, and output: 700 × 3 + 200 × 0.3 + 50 × 15. */
const READ_MICRO = 700 * 3 + 60 + 50 * 15;
/** The same, and 100 tokens written to a cache at 3.75. */
const WRITTEN_MICRO = READ_MICRO + 375;

const PART = { item_id: "msg_1", output_index: 0, content_index: 0 };
const CONVERSE_USAGE = {
  ...{ inputTokens: 700, outputTokens: 50, totalTokens: 1050 },
  ...{ cacheReadInputTokens: 200, cacheWriteInputTokens: 100 },
};

function messageStream(last: object): Stage {
  return events(
    [
      {
        type: "message_start",
        message: { ...MESSAGE, content: [], stop_reason: null, usage: { ...MESSAGE_USAGE, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
    ],
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: last },
    { type: "message_stop" },
  );
}

/** What a vendor of each protocol answers, and what that costs in every style. */
const CHATS: Readonly<
  Partial<Record<SpokenProtocol, Readonly<Record<Form, Stage>> & { readonly charge_micro: number }>>
> = {
  "chat-completions": {
    whole: json(
      completion(
        "chat.completion",
        { message: { role: "assistant", content: "Hi" }, finish_reason: "stop" },
        { usage: COMPLETION_USAGE },
      ),
    ),
    stream: events(
      [completion("chat.completion.chunk", { delta: { role: "assistant", content: "Hi" }, finish_reason: null })],
      completion("chat.completion.chunk", { delta: {}, finish_reason: "stop" }),
      { ...completion("chat.completion.chunk", {}), choices: [], usage: COMPLETION_USAGE },
      "[DONE]",
    ),
    charge_micro: READ_MICRO,
  },
  responses: {
    whole: json(response("completed", { output: [output("Hi")], usage: RESPONSE_USAGE })),
    stream: events(
      [
        { type: "response.created", sequence_number: 0, response: response("in_progress", {}) },
        {
          type: "response.output_item.added",
          sequence_number: 1,
          output_index: 0,
          item: { ...output(""), content: [] },
        },
        {
          type: "response.content_part.added",
          sequence_number: 2,
          ...PART,
          part: { type: "output_text", text: "", annotations: [] },
        },
        { type: "response.output_text.delta", sequence_number: 3, ...PART, delta: "Hi" },
      ],
      { type: "response.output_text.done", sequence_number: 4, ...PART, text: "Hi" },
      {
        type: "response.content_part.done",
        sequence_number: 5,
        ...PART,
        part: { type: "output_text", text: "Hi", annotations: [] },
      },
      { type: "response.output_item.done", sequence_number: 6, output_index: 0, item: output("Hi") },
      {
        type: "response.completed",
        sequence_number: 7,
        response: response("completed", { output: [output("Hi")], usage: RESPONSE_USAGE }),
      },
    ),
    charge_micro: READ_MICRO,
  },
  messages: {
    whole: json({
      ...{ ...MESSAGE, content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn", stop_sequence: null },
      usage: { ...MESSAGE_USAGE, output_tokens: 50 },
    }),
    stream: messageStream({ output_tokens: 50 }),
    charge_micro: WRITTEN_MICRO,
  },
  gemini: {
    whole: json({ candidates: said("Hi", "STOP"), usageMetadata: GEMINI_USAGE, modelVersion: "m", responseId: "r" }),
    stream: events([{ candidates: said("H"), modelVersion: "m", responseId: "r" }], {
      candidates: said("i", "STOP"),
      usageMetadata: GEMINI_USAGE,
      modelVersion: "m",
      responseId: "r",
    }),
    charge_micro: READ_MICRO,
  },
  "bedrock-converse": {
    whole: json({
      ...{ output: { message: { role: "assistant", content: [{ text: "Hi" }] } }, stopReason: "end_turn" },
      ...{ metrics: { latencyMs: 1 }, usage: CONVERSE_USAGE },
    }),
    stream: {
      type: "application/vnd.amazon.eventstream",
      pieces: [
        converseEvents(
          ["messageStart", { role: "assistant" }],
          ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hi" } }],
        ),
        converseEvents(
          ["contentBlockStop", { contentBlockIndex: 0 }],
          ["messageStop", { stopReason: "end_turn" }],
          ["metadata", { metrics: { latencyMs: 1 }, usage: CONVERSE_USAGE }],
        ),
      ],
    },
    charge_micro: WRITTEN_MICRO,
  },
};

function converseEvents(...all: readonly (readonly [type: string, payload: object])[]): Uint8Array {
  return Buffer.concat(all.map(([type, payload]) => event(type, JSON.stringify(payload))));
}

const SAID = [{ role: "user", content: TEXT }];

/** How each style asks, whole and streamed. */
const STYLES: Readonly<
  Record<GenerationEndpoint, { readonly body: object; readonly path?: Record<Form, (model: string) => string> }>
> = {
  "chat.completions": { body: { messages: SAID, max_tokens: 500 } },
  responses: { body: { input: TEXT, max_output_tokens: 500 } },
  messages: { body: { messages: SAID, max_tokens: 500 } },
  generateContent: {
    body: { contents: [{ role: "user", parts: [{ text: TEXT }] }], generationConfig: { maxOutputTokens: 500 } },
    path: {
      whole: (model) => `/v1beta/models/${model}:generateContent`,
      stream: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    },
  },
};

const FORMS: readonly Form[] = ["whole", "stream"];

const styled = Object.entries(STYLES).flatMap(([endpoint, { body, path }]) =>
  Object.entries(CHATS).flatMap(([protocol, chat]) =>
    FORMS.map(
      (form): ChargeRow => ({
        ...{ endpoint: endpoint as GenerationEndpoint, protocol: protocol as SpokenProtocol, form, unit: "tokens" },
        model: CHAT,
        body: path === undefined && form === "stream" ? { ...body, stream: true } : body,
        ...(path !== undefined && { path: path[form] }),
        ...{ stage: chat[form], charge_micro: chat.charge_micro },
      }),
    ),
  ),
);

/** A vendor of responses writes the summary as an item of its own; the others are asked for a text. */
const COMPACTED = { type: "compaction", id: "cmp_1", encrypted_content: "c3VtbWFyeQ==" };
const compacted = Object.entries(CHATS).map(
  ([protocol, { whole, charge_micro }]): ChargeRow => ({
    ...{ endpoint: "responses.compact", protocol: protocol as SpokenProtocol, form: "whole", unit: "tokens" },
    ...{ model: CHAT, body: { input: TEXT }, charge_micro },
    stage:
      protocol === "responses" ? json(response("completed", { output: [COMPACTED], usage: RESPONSE_USAGE })) : whole,
  }),
);

const SEARCHED = { output_tokens: 50, server_tool_use: { web_search_requests: 2 } };
const searching = {
  endpoint: "messages",
  protocol: "messages",
  unit: "tokens and searches of the web",
  model: { price: { ...CHAT.price, calls: { web_search: 10 } } },
  body: {
    ...{ messages: SAID, max_tokens: 500 },
    tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }],
  },
  charge_micro: WRITTEN_MICRO + 2 * 10_000,
} as const;

const completing = {
  endpoint: "completions",
  protocol: "chat-completions",
  unit: "tokens",
  model: { ...CHAT, completions: true },
  charge_micro: READ_MICRO,
} as const;
const text = (choices: readonly object[], more: object = {}) => ({
  ...{ id: "cmpl-1", object: "text_completion", created: 1, model: "m", choices },
  ...more,
});
const choice = (said: string, finish_reason: string | null) => ({
  index: 0,
  text: said,
  logprobs: null,
  finish_reason,
});

export const CONVERSATIONS: readonly ChargeRow[] = [
  ...styled,
  ...compacted,
  {
    ...{ ...searching, form: "whole" },
    stage: json({
      ...{ ...MESSAGE, content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn", stop_sequence: null },
      usage: { ...MESSAGE_USAGE, ...SEARCHED },
    }),
  },
  { ...searching, form: "stream", body: { ...searching.body, stream: true }, stage: messageStream(SEARCHED) },
  {
    ...{ ...completing, form: "whole", body: { prompt: TEXT, max_tokens: 500 } },
    stage: json(text([choice("Hi", "stop")], { usage: COMPLETION_USAGE })),
  },
  {
    ...{ ...completing, form: "stream", body: { prompt: TEXT, max_tokens: 500, stream: true } },
    stage: events(
      [text([choice("Hi", null)])],
      text([choice("", "stop")]),
      text([], { usage: COMPLETION_USAGE }),
      "[DONE]",
    ),
  },
];
