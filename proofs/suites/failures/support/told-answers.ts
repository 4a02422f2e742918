import { event } from "../../../../simulator/protocols/bedrock-converse/event-message.ts";
import { dataFrames, namedFrames } from "./scripted-vendor.ts";

/** One answer, in the words of each vendor's protocol. */
export interface ToldAnswer {
  /** What goes before the first content: all of it may come, and the answer still fail. */
  readonly opening: Uint8Array;
  readonly content: Uint8Array;
  readonly end: Uint8Array;
  /** A failure that is told inside the stream. */
  readonly failure: Uint8Array;
}

const MODEL = "m";
const chunk = (delta: object, finish_reason: string | null = null): object => ({
  ...{ id: "c", object: "chat.completion.chunk", created: 1, model: MODEL },
  choices: [{ index: 0, delta, finish_reason }],
});
const response = (status: string, output: readonly object[], usage: object | null): object => ({
  ...{ id: "resp_1", object: "response", created_at: 1, completed_at: null, model: MODEL, status, output, usage },
  ...{ error: null, incomplete_details: null, previous_response_id: null, instructions: null, metadata: {} },
  ...{ tools: [], tool_choice: "auto", parallel_tool_calls: true, truncation: "disabled", background: false },
  ...{ text: { format: { type: "text" } }, top_p: 1, temperature: 1, reasoning: { effort: null, summary: null } },
  ...{ max_output_tokens: null, store: false },
});
const item = (text: string, status: string): object => ({
  ...{ id: "msg_1", type: "message", role: "assistant", status },
  content: text === "" ? [] : [{ type: "output_text", text, annotations: [] }],
});
const candidate = (text: string, finish?: string): object => ({
  candidates: [{ index: 0, content: { role: "model", parts: text === "" ? [] : [{ text }] }, finishReason: finish }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
});
const place = { item_id: "msg_1", output_index: 0, content_index: 0 };

/** The answer that says `text`. */
export const TOLD: Readonly<Record<string, (text: string) => ToldAnswer>> = {
  "chat-completions": (text) => ({
    opening: bytes(`: PROCESSING\n\n${dataFrames(chunk({ role: "assistant", content: "" }))}`),
    content: bytes(dataFrames(chunk({ content: text }))),
    end: bytes(
      dataFrames(chunk({}, "stop"), {
        ...chunk({}),
        choices: [],
        usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
      }) + dataFrames("[DONE]"),
    ),
    failure: bytes(dataFrames({ error: { message: "boom", code: 500 } })),
  }),
  responses: (text) => ({
    opening: bytes(
      `: PROCESSING\n\n${namedFrames(
        { type: "response.created", ...{ sequence_number: 0, response: response("in_progress", [], null) } },
        { type: "response.in_progress", ...{ sequence_number: 1, response: response("in_progress", [], null) } },
        {
          type: "response.output_item.added",
          ...{ sequence_number: 2, output_index: 0, item: item("", "in_progress") },
        },
        {
          type: "response.content_part.added",
          ...{ sequence_number: 3, ...place, part: { type: "output_text", text: "", annotations: [] } },
        },
      )}`,
    ),
    content: bytes(
      namedFrames({ type: "response.output_text.delta", ...{ sequence_number: 4, ...place, delta: text } }),
    ),
    end: bytes(
      namedFrames(
        { type: "response.output_text.done", ...{ sequence_number: 5, ...place, text } },
        {
          type: "response.content_part.done",
          ...{ sequence_number: 6, ...place, part: { type: "output_text", text, annotations: [] } },
        },
        {
          type: "response.output_item.done",
          ...{ sequence_number: 7, output_index: 0, item: item(text, "completed") },
        },
        {
          type: "response.completed",
          ...{
            sequence_number: 8,
            response: response("completed", [item(text, "completed")], {
              ...{ input_tokens: 5, output_tokens: 2, total_tokens: 7 },
              ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
            }),
          },
        },
      ),
    ),
    failure: bytes(namedFrames({ type: "error", ...{ code: "server_error", message: "boom", param: null } })),
  }),
  messages: (text) => ({
    opening: bytes(
      namedFrames(
        {
          type: "message_start",
          ...{
            message: {
              ...{ id: "msg_1", type: "message", role: "assistant", model: MODEL, content: [] },
              ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 5, output_tokens: 1 } },
            },
          },
        },
        { type: "content_block_start", ...{ index: 0, content_block: { type: "text", text: "" } } },
        { type: "ping" },
      ),
    ),
    content: bytes(namedFrames({ type: "content_block_delta", ...{ index: 0, delta: { type: "text_delta", text } } })),
    end: bytes(
      namedFrames(
        { type: "content_block_stop", ...{ index: 0 } },
        {
          type: "message_delta",
          ...{ delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } },
        },
        { type: "message_stop" },
      ),
    ),
    failure: bytes(namedFrames({ type: "error", ...{ error: { type: "overloaded_error", message: "boom" } } })),
  }),
  gemini: (text) => ({
    opening: bytes(`: PROCESSING\n\n${dataFrames(candidate(""))}`),
    content: bytes(dataFrames(candidate(text))),
    end: bytes(dataFrames(candidate("", "STOP"))),
    failure: bytes(dataFrames({ error: { code: 503, message: "boom", status: "UNAVAILABLE" } })),
  }),
  "bedrock-converse": (text) => ({
    opening: Uint8Array.from(event("messageStart", '{"role":"assistant"}')),
    content: Uint8Array.from(event("contentBlockDelta", JSON.stringify({ contentBlockIndex: 0, delta: { text } }))),
    end: Buffer.concat([
      event("contentBlockStop", '{"contentBlockIndex":0}'),
      event("messageStop", '{"stopReason":"end_turn"}'),
      event("metadata", '{"usage":{"inputTokens":5,"outputTokens":2,"totalTokens":7}}'),
    ]),
    failure: Uint8Array.from(event("messageStart", "{not JSON")),
  }),
};

function bytes(text: string): Uint8Array {
  return Buffer.from(text);
}
