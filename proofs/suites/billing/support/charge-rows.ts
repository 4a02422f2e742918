import type { Stage } from "./staged-vendor.ts";

/**
 * What each unit costs at each protocol of vendors: what the vendor counts, and the charge by hand. Prices are in units of the currency for a
 * million tokens or characters, a thousand searches or calls, a minute, an image; a price for a million tokens is the micro units of one.
 */
export interface ChargeRow {
  readonly name: string;
  /** The vendor's protocol, and what else its entry says. */
  readonly vendor: object;
  readonly model: object;
  readonly path: string;
  readonly body: object;
  /** Fields of a form in place of a body. */
  readonly form?: true;
  readonly stage: Stage;
  readonly charge_micro: number;
}

export const TEXT = "one two ".repeat(1000);
const CHAT = { price: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 } };

export const json = (value: object, headers?: Record<string, string>): Stage => ({
  type: "application/json",
  pieces: [JSON.stringify(value)],
  ...(headers !== undefined && { headers }),
});
type Frame = object | string;
/** A stream: the events up to the first content, and then the others. */
export function events(opening: readonly Frame[], ...rest: readonly Frame[]): Stage {
  return { type: "text/event-stream", pieces: [opening.map(frameOf).join(""), rest.map(frameOf).join("")] };
}

function frameOf(each: Frame): string {
  const name =
    typeof each === "object" && "type" in each && typeof each.type === "string" ? `event: ${each.type}\n` : "";
  const data: string = typeof each === "string" ? each : JSON.stringify(each);
  return `${name}data: ${data}\n\n`;
}

export const speaks = (protocol: string) => ({ protocol });
const asChat = { path: "/v1/chat/completions", body: { messages: [{ role: "user", content: TEXT }], max_tokens: 500 } };
const streamed = { ...asChat, body: { ...asChat.body, stream: true } };

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

/** The rows of text. */
export const TOKENS: readonly ChargeRow[] = [
  {
    ...{ name: "tokens, chat completions, whole", vendor: speaks("chat-completions"), model: CHAT, ...asChat },
    stage: json(
      completion(
        "chat.completion",
        { message: { role: "assistant", content: "Hi" }, finish_reason: "stop" },
        { usage: COMPLETION_USAGE },
      ),
    ),
    charge_micro: READ_MICRO,
  },
  {
    ...{ name: "tokens, chat completions, streamed", vendor: speaks("chat-completions"), model: CHAT, ...streamed },
    stage: events(
      [completion("chat.completion.chunk", { delta: { role: "assistant", content: "Hi" }, finish_reason: null })],
      completion("chat.completion.chunk", { delta: {}, finish_reason: "stop" }),
      { ...completion("chat.completion.chunk", {}), choices: [], usage: COMPLETION_USAGE },
      "[DONE]",
    ),
    charge_micro: READ_MICRO,
  },
  {
    ...{ name: "tokens, responses, whole", vendor: speaks("responses"), model: CHAT, ...asChat },
    stage: json(response("completed", { output: [output("Hi")], usage: RESPONSE_USAGE })),
    charge_micro: READ_MICRO,
  },
  {
    ...{ name: "tokens, responses, streamed", vendor: speaks("responses"), model: CHAT, ...streamed },
    stage: {
      ...events(
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
            item_id: "msg_1",
            output_index: 0,
            content_index: 0,
            part: { type: "output_text", text: "", annotations: [] },
          },
          {
            type: "response.output_text.delta",
            sequence_number: 3,
            item_id: "msg_1",
            output_index: 0,
            content_index: 0,
            delta: "Hi",
          },
        ],
        {
          type: "response.output_text.done",
          sequence_number: 4,
          item_id: "msg_1",
          output_index: 0,
          content_index: 0,
          text: "Hi",
        },
        { type: "response.output_item.done", sequence_number: 5, output_index: 0, item: output("Hi") },
        {
          type: "response.completed",
          sequence_number: 6,
          response: response("completed", { output: [output("Hi")], usage: RESPONSE_USAGE }),
        },
      ),
    },
    charge_micro: READ_MICRO,
  },
  {
    ...{ name: "tokens and a written cache, messages, whole", vendor: speaks("messages"), model: CHAT, ...asChat },
    stage: json({
      ...{ ...MESSAGE, content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn", stop_sequence: null },
      usage: { ...MESSAGE_USAGE, output_tokens: 50 },
    }),
    charge_micro: WRITTEN_MICRO,
  },
  {
    ...{ name: "tokens and a written cache, messages, streamed", vendor: speaks("messages"), model: CHAT, ...streamed },
    stage: events(
      [
        {
          type: "message_start",
          message: { ...MESSAGE, content: [], stop_reason: null, usage: { ...MESSAGE_USAGE, output_tokens: 1 } },
        },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
      ],
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 50 } },
      { type: "message_stop" },
    ),
    charge_micro: WRITTEN_MICRO,
  },
  {
    ...{ name: "tokens and searches of the web, messages, whole", vendor: speaks("messages"), path: "/v1/messages" },
    model: { price: { ...CHAT.price, calls: { web_search: 10 } } },
    body: {
      ...{ max_tokens: 500, messages: [{ role: "user", content: TEXT }] },
      tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }],
    },
    stage: json({
      ...{ ...MESSAGE, content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn", stop_sequence: null },
      usage: { ...MESSAGE_USAGE, output_tokens: 50, server_tool_use: { web_search_requests: 2 } },
    }),
    charge_micro: WRITTEN_MICRO + 2 * 10_000,
  },
  {
    ...{ name: "tokens, Gemini, whole", vendor: speaks("gemini"), model: CHAT, ...asChat },
    stage: json({ candidates: said("Hi", "STOP"), usageMetadata: GEMINI_USAGE, modelVersion: "m", responseId: "r" }),
    charge_micro: READ_MICRO,
  },
  {
    ...{ name: "tokens, Gemini, streamed", vendor: speaks("gemini"), model: CHAT, ...streamed },
    stage: events([{ candidates: said("H"), modelVersion: "m", responseId: "r" }], {
      candidates: said("i", "STOP"),
      usageMetadata: GEMINI_USAGE,
      modelVersion: "m",
      responseId: "r",
    }),
    charge_micro: READ_MICRO,
  },
  {
    ...{
      name: "tokens and a written cache, Bedrock, whole",
      vendor: speaks("bedrock-converse"),
      model: CHAT,
      ...asChat,
    },
    stage: json({
      ...{
        output: { message: { role: "assistant", content: [{ text: "Hi" }] } },
        stopReason: "end_turn",
        metrics: { latencyMs: 1 },
      },
      usage: {
        inputTokens: 700,
        outputTokens: 50,
        totalTokens: 1050,
        cacheReadInputTokens: 200,
        cacheWriteInputTokens: 100,
      },
    }),
    charge_micro: WRITTEN_MICRO,
  },
  {
    ...{ name: "tokens, completions, whole", vendor: speaks("chat-completions"), path: "/v1/completions" },
    ...{ model: { ...CHAT, completions: true }, body: { prompt: TEXT, max_tokens: 500 } },
    stage: json({
      ...{ id: "cmpl-1", object: "text_completion", created: 1, model: "m" },
      ...{ choices: [{ index: 0, text: "Hi", logprobs: null, finish_reason: "stop" }], usage: COMPLETION_USAGE },
    }),
    charge_micro: READ_MICRO,
  },
];
