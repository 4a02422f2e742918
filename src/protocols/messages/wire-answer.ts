import Type, { type Static } from "typebox";
import { Count, nullable } from "../shared/wire-schema.ts";

/** The answers of POST /v1/messages: the message object (docs/api.md 2.6) and the events of its stream (6.3). */

/** Input classes are disjoint here: `input_tokens` includes neither cache reads nor cache writes. */
export const MessageUsage = Type.Object({
  input_tokens: Count,
  output_tokens: Count,
  cache_creation_input_tokens: Type.Optional(nullable(Count)),
  cache_read_input_tokens: Type.Optional(nullable(Count)),
  output_tokens_details: Type.Optional(nullable(Type.Object({ thinking_tokens: Count }))),
});

const TextContent = Type.Object({ type: Type.Literal("text"), text: Type.String() });
const ToolUseContent = Type.Object({
  type: Type.Literal("tool_use"),
  id: Type.String(),
  name: Type.String(),
  input: Type.Object({}),
});
const ThinkingContent = Type.Object({
  type: Type.Literal("thinking"),
  thinking: Type.String(),
  signature: Type.String(),
});
const RedactedThinkingContent = Type.Object({ type: Type.Literal("redacted_thinking"), data: Type.String() });

export const ContentBlock = Type.Union([TextContent, ToolUseContent, ThinkingContent, RedactedThinkingContent]);

export const StopReason = Type.Enum([
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "refusal",
  "model_context_window_exceeded",
]);

export const MessageObject = Type.Object({
  id: Type.String(),
  type: Type.Literal("message"),
  role: Type.Literal("assistant"),
  model: Type.String(),
  content: Type.Array(ContentBlock),
  stop_reason: nullable(StopReason),
  stop_sequence: nullable(Type.String()),
  usage: MessageUsage,
});
export type MessageObject = Static<typeof MessageObject>;

export const MessageStart = Type.Object({ type: Type.Literal("message_start"), message: MessageObject });

export const ContentBlockStart = Type.Object({
  type: Type.Literal("content_block_start"),
  index: Count,
  content_block: ContentBlock,
});

export const ContentBlockDelta = Type.Object({
  type: Type.Literal("content_block_delta"),
  index: Count,
  delta: Type.Union([
    Type.Object({ type: Type.Literal("text_delta"), text: Type.String() }),
    Type.Object({ type: Type.Literal("input_json_delta"), partial_json: Type.String() }),
    Type.Object({ type: Type.Literal("thinking_delta"), thinking: Type.String() }),
    Type.Object({ type: Type.Literal("signature_delta"), signature: Type.String() }),
    Type.Object({ type: Type.Literal("citations_delta"), citation: Type.Object({}) }),
  ]),
});

export const ContentBlockStop = Type.Object({ type: Type.Literal("content_block_stop"), index: Count });

/** The counts of a delta are totals so far; a count that is null or absent has not changed. */
export const MessageDelta = Type.Object({
  type: Type.Literal("message_delta"),
  delta: Type.Object({ stop_reason: nullable(StopReason), stop_sequence: nullable(Type.String()) }),
  usage: Type.Object({
    output_tokens: Count,
    input_tokens: Type.Optional(nullable(Count)),
    cache_creation_input_tokens: Type.Optional(nullable(Count)),
    cache_read_input_tokens: Type.Optional(nullable(Count)),
    output_tokens_details: Type.Optional(nullable(Type.Object({ thinking_tokens: Count }))),
  }),
});
export type MessageDelta = Static<typeof MessageDelta>;

export const MessageStop = Type.Object({ type: Type.Literal("message_stop") });
export const Ping = Type.Object({ type: Type.Literal("ping") });
export const ErrorEvent = Type.Object({
  type: Type.Literal("error"),
  error: Type.Object({ type: Type.String(), message: Type.String() }),
});

export const MessageStreamEvent = Type.Union([
  MessageStart,
  ContentBlockStart,
  ContentBlockDelta,
  ContentBlockStop,
  MessageDelta,
  MessageStop,
  Ping,
  ErrorEvent,
]);

/** The answer of POST /v1/messages/count_tokens; `estimated` is set where the gateway estimated the count. */
export const TokenCount = Type.Object({ input_tokens: Count, estimated: Type.Optional(Type.Literal(true)) });
export type TokenCount = Static<typeof TokenCount>;
