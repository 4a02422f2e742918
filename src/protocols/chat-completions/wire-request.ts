import Type, { type Static } from "typebox";
import { Filled, optional, typed } from "../shared/wire-schema.ts";
import { ChatMessage } from "./wire-messages.ts";

/** The body of `POST /v1/chat/completions` (docs/api.md 4.1). Null counts as absent, as in the public API. */

const FunctionTool = typed("function", {
  function: Type.Object({
    name: Filled,
    description: optional(Type.String()),
    parameters: optional(Type.Object({}, { description: "A JSON Schema object." })),
    strict: optional(Type.Boolean()),
  }),
});

const CustomTool = typed("custom", { custom: Type.Object({ name: Filled, description: optional(Type.String()) }) });

const ToolChoice = Type.Union([
  Type.Literal("auto"),
  Type.Literal("none"),
  Type.Literal("required"),
  typed("function", { function: Type.Object({ name: Type.String() }) }),
  typed("custom", { custom: Type.Object({ name: Type.String() }) }),
  typed("allowed_tools", {}),
]);

/** The form before `tools` (docs/rulings.md 52). */
const OLD_FUNCTIONS = {
  functions: optional(
    Type.Array(
      Type.Object({
        name: Type.String({ minLength: 1 }),
        description: optional(Type.String()),
        parameters: optional(Type.Object({}, { description: "A JSON Schema object." })),
      }),
    ),
  ),
  function_call: optional(
    Type.Union([Type.Literal("auto"), Type.Literal("none"), Type.Object({ name: Type.String({ minLength: 1 }) })]),
  ),
} as const;

/** Effective only on models that support them (docs/rulings.md 10). */
const EXTENDED = {
  presence_penalty: optional(Type.Number()),
  frequency_penalty: optional(Type.Number()),
  response_format: optional(Type.Object({ type: Type.String() })),
  parallel_tool_calls: optional(Type.Boolean()),
  n: optional(Type.Integer({ minimum: 1, maximum: 128 })),
  logprobs: optional(Type.Boolean()),
  top_logprobs: optional(Type.Integer({ minimum: 0 })),
  modalities: optional(Type.Array(Type.String())),
  audio: optional(Type.Object({})),
  prediction: optional(Type.Object({})),
  seed: optional(Type.Integer()),
  metadata: optional(Type.Object({})),
  store: optional(Type.Boolean()),
  service_tier: optional(Type.String()),
  verbosity: optional(Type.String()),
  web_search_options: optional(Type.Object({})),
} as const;

export const ChatCompletionRequest = Type.Object({
  model: Type.String({ minLength: 1, description: "A model id or an alias." }),
  messages: Type.Array(ChatMessage, { minItems: 1, description: "Chronological." }),
  stream: optional(Type.Boolean({ description: "True answers with server-sent events." })),
  stream_options: optional(Type.Object({ include_usage: optional(Type.Boolean()) })),
  max_completion_tokens: optional(Type.Integer({ minimum: 1, description: "Wins over max_tokens." })),
  max_tokens: optional(Type.Integer({ minimum: 1, description: "Legacy." })),
  temperature: optional(Type.Number({ description: "Typically 0 to 2." })),
  top_p: optional(Type.Number({ description: "Nucleus threshold." })),
  stop: optional(Type.Union([Type.String(), Type.Array(Type.String())])),
  tools: optional(Type.Array(Type.Union([FunctionTool, CustomTool]))),
  tool_choice: optional(ToolChoice),
  reasoning_effort: optional(Type.String({ description: "Which levels there are depends on the model." })),
  safety_identifier: optional(Type.String({ description: "A stable hashed end-user id." })),
  user: optional(Type.String({ description: "Legacy alias of safety_identifier, which wins." })),
  ...EXTENDED,
  ...OLD_FUNCTIONS,
});

export type ChatCompletionRequest = Static<typeof ChatCompletionRequest>;
