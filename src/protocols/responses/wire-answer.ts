import Type, { type Static } from "typebox";
import { Count, nullable, optional, typed } from "../shared/wire-schema.ts";

/** The answers of POST /v1/responses: the response object (docs/api.md 2.5) and the events of its stream (6.2). */

const text = Type.String();
const status = Type.Enum(["in_progress", "completed", "incomplete"]);

/** Cached tokens are counted inside `input_tokens`, reasoning inside `output_tokens`; the total is the sum of both. */
export const ResponseUsage = Type.Object({
  input_tokens: Count,
  input_tokens_details: Type.Object({ cached_tokens: Count, cache_write_tokens: Type.Optional(Count) }),
  output_tokens: Count,
  output_tokens_details: Type.Object({ reasoning_tokens: Count }),
  total_tokens: Count,
});

const OutputText = typed("output_text", { text, annotations: Type.Array(Type.Object({})) });
const Refusal = typed("refusal", { refusal: text });
const ReasoningText = typed("reasoning_text", { text });
const SummaryText = typed("summary_text", { text });

const MessageItem = typed("message", {
  id: text,
  role: Type.Literal("assistant"),
  status,
  content: Type.Array(Type.Union([OutputText, Refusal])),
});
const FunctionCallItem = typed("function_call", { id: text, call_id: text, name: text, arguments: text, status });
const CustomToolCallItem = typed("custom_tool_call", { id: text, call_id: text, name: text, input: text });
const ReasoningItem = typed("reasoning", {
  id: text,
  summary: Type.Array(SummaryText),
  content: Type.Optional(Type.Array(ReasoningText)),
  encrypted_content: optional(text),
});
const WebSearchCallItem = typed("web_search_call", { id: text, status: text });

export const OutputItem = Type.Union([
  MessageItem,
  FunctionCallItem,
  CustomToolCallItem,
  ReasoningItem,
  WebSearchCallItem,
]);

export const ResponseObject = Type.Object({
  id: text,
  object: Type.Literal("response"),
  created_at: Type.Number(),
  status: Type.Enum(["completed", "failed", "in_progress", "cancelled", "queued", "incomplete"]),
  model: text,
  output: Type.Array(OutputItem),
  error: nullable(Type.Object({ code: text, message: text })),
  incomplete_details: nullable(Type.Object({ reason: Type.Optional(text) })),
  usage: optional(ResponseUsage),
});
export type ResponseObject = Static<typeof ResponseObject>;

/** The answer of `POST /v1/responses/compact` (docs/api.md 4.13): messages of the user, and what stands for all else. */
export const CompactedResponse = Type.Object({
  id: text,
  object: Type.Literal("response.compaction"),
  created_at: Type.Number(),
  output: Type.Array(Type.Object({ type: Type.Enum(["message", "compaction"]) })),
  usage: ResponseUsage,
});

/** The answer of `POST /v1/responses/input_tokens`; `estimated` is set where the gateway estimated the count. */
export const InputTokenCount = Type.Object({
  object: Type.Literal("response.input_tokens"),
  input_tokens: Count,
  estimated: Type.Optional(Type.Literal(true)),
});

function event<Types extends readonly string[], Fields extends Type.TProperties>(
  types: readonly [...Types],
  fields: Fields,
) {
  return Type.Object({ type: Type.Enum([...types]), sequence_number: Count, ...fields });
}

const in_output = { output_index: Count };
const in_item = { ...in_output, item_id: text };
const in_content = { ...in_item, content_index: Count };
const in_summary = { ...in_item, summary_index: Count };
const ContentPart = Type.Union([OutputText, Refusal, ReasoningText]);

/** Every event has its position in the stream as `sequence_number`, from 0 without gaps (docs/rulings.md 5). */
export const ResponseStreamEvent = Type.Union([
  event(
    [
      "response.created",
      "response.in_progress",
      "response.queued",
      "response.completed",
      "response.incomplete",
      "response.failed",
    ],
    { response: ResponseObject },
  ),
  event(["response.output_item.added", "response.output_item.done"], { ...in_output, item: OutputItem }),
  event(["response.content_part.added", "response.content_part.done"], { ...in_content, part: ContentPart }),
  event(["response.output_text.delta", "response.refusal.delta", "response.reasoning_text.delta"], {
    ...in_content,
    delta: text,
  }),
  event(["response.output_text.done", "response.reasoning_text.done"], { ...in_content, text }),
  event(["response.refusal.done"], { ...in_content, refusal: text }),
  event(["response.output_text.annotation.added"], {
    ...in_content,
    annotation_index: Count,
    annotation: Type.Object({}),
  }),
  event(["response.reasoning_summary_part.added", "response.reasoning_summary_part.done"], {
    ...in_summary,
    part: SummaryText,
  }),
  event(["response.reasoning_summary_text.delta"], { ...in_summary, delta: text }),
  event(["response.reasoning_summary_text.done"], { ...in_summary, text }),
  event(["response.function_call_arguments.delta", "response.custom_tool_call_input.delta"], {
    ...in_item,
    delta: text,
  }),
  event(["response.function_call_arguments.done"], { ...in_item, arguments: text }),
  event(["response.custom_tool_call_input.done"], { ...in_item, input: text }),
  event(
    [
      "response.web_search_call.in_progress",
      "response.web_search_call.searching",
      "response.web_search_call.completed",
    ],
    in_item,
  ),
  event(["error"], { code: nullable(text), message: text, param: nullable(text) }),
]);
