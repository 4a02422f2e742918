import Type from "typebox";
import { Count, nullable } from "../shared/wire-schema.ts";

/** Chat completion objects and stream chunks (docs/api.md 2.4, 6.1), for the API reference and for tests. */

const FinishReason = Type.Enum(["stop", "length", "tool_calls", "content_filter", "function_call"]);

export const ChatUsage = Type.Object({
  prompt_tokens: Count,
  completion_tokens: Count,
  total_tokens: Type.Integer({ minimum: 0, description: "Input and output together." }),
  prompt_tokens_details: Type.Optional(nullable(Type.Object({ cached_tokens: Type.Optional(nullable(Count)) }))),
  completion_tokens_details: Type.Optional(nullable(Type.Object({ reasoning_tokens: Type.Optional(nullable(Count)) }))),
});

const ToolCall = Type.Object({
  id: Type.String(),
  type: Type.Literal("function"),
  function: Type.Object({ name: Type.String(), arguments: Type.String() }),
});

const AssistantMessage = Type.Object({
  role: Type.Literal("assistant"),
  content: nullable(Type.String({ description: "Null when only tool calls were issued." })),
  tool_calls: Type.Optional(Type.Array(ToolCall)),
});

export const ChatCompletion = Type.Object({
  id: Type.String(),
  object: Type.Literal("chat.completion"),
  created: Type.Integer(),
  model: Type.String({ description: "The model that answered." }),
  choices: Type.Array(Type.Object({ index: Type.Integer(), message: AssistantMessage, finish_reason: FinishReason })),
  usage: Type.Optional(ChatUsage),
});

/** `id`, `type` and the name come once, with a call's first delta (docs/rulings.md 4). */
const ToolCallDelta = Type.Object({
  index: Type.Integer(),
  id: Type.Optional(Type.String()),
  type: Type.Optional(Type.Literal("function")),
  function: Type.Optional(Type.Object({ name: Type.Optional(Type.String()), arguments: Type.Optional(Type.String()) })),
});

const Delta = Type.Object({
  role: Type.Optional(Type.Literal("assistant")),
  content: Type.Optional(nullable(Type.String())),
  tool_calls: Type.Optional(Type.Array(ToolCallDelta)),
});

export const ChatCompletionChunk = Type.Object({
  id: Type.String(),
  object: Type.Literal("chat.completion.chunk"),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({ index: Type.Integer(), delta: Delta, finish_reason: Type.Optional(nullable(FinishReason)) }),
  ),
  usage: Type.Optional(nullable(ChatUsage)),
});
