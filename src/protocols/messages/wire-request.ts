import Type, { type Static } from "typebox";

/**
 * The request of POST /v1/messages (docs/api.md 4.3), with further fields of the public API. Fields and block types
 * that are not named here are allowed: they go to the vendor unchanged.
 */

const CacheControl = Type.Object({
  type: Type.Literal("ephemeral"),
  ttl: Type.Optional(Type.Enum(["5m", "1h", "12h"])),
});
const cached = { cache_control: Type.Optional(Type.Union([CacheControl, Type.Null()])) };

export const TextBlock = Type.Object({ type: Type.Literal("text"), text: Type.String(), ...cached });

export const ImageBlock = Type.Object({
  type: Type.Literal("image"),
  source: Type.Union([
    Type.Object({ type: Type.Literal("base64"), media_type: Type.String(), data: Type.String() }),
    Type.Object({ type: Type.Literal("url"), url: Type.String() }),
    Type.Object({ type: Type.Literal("file"), file_id: Type.String() }),
  ]),
  ...cached,
});

export const ToolUseBlock = Type.Object({
  type: Type.Literal("tool_use"),
  id: Type.String(),
  name: Type.String(),
  input: Type.Object({}),
  ...cached,
});

/** A document inside a tool's result; a user's own content may have none (docs/rulings.md 161). */
export const DocumentBlock = Type.Object({
  type: Type.Literal("document"),
  source: Type.Union([
    Type.Object({ type: Type.Literal("base64"), media_type: Type.String(), data: Type.String() }),
    Type.Object({ type: Type.Literal("text"), data: Type.String() }),
    Type.Object({
      type: Type.Literal("content"),
      content: Type.Union([Type.String(), Type.Array(Type.Union([TextBlock, ImageBlock]))]),
    }),
    Type.Object({ type: Type.Literal("url"), url: Type.String() }),
    Type.Object({ type: Type.Literal("file"), file_id: Type.String() }),
  ]),
  title: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  context: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  citations: Type.Optional(Type.Union([Type.Object({ enabled: Type.Optional(Type.Boolean()) }), Type.Null()])),
  ...cached,
});

/** Any content block: its type decides which fields it must have. */
const AnyBlock = Type.Object({ type: Type.String() });

const Content = Type.Union([Type.String(), Type.Array(AnyBlock)]);

export const ToolResultBlock = Type.Object({
  type: Type.Literal("tool_result"),
  tool_use_id: Type.String(),
  content: Type.Optional(Content),
  is_error: Type.Optional(Type.Boolean()),
  ...cached,
});

/** Signed reasoning of an earlier turn: opaque, and returned byte for byte. */
export const ThinkingBlock = Type.Object({
  type: Type.Literal("thinking"),
  thinking: Type.String(),
  // Null where a client kept none.
  signature: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});

export const RedactedThinkingBlock = Type.Object({ type: Type.Literal("redacted_thinking"), data: Type.String() });

/** The block types whose fields are checked. */
export const BLOCKS = {
  text: TextBlock,
  image: ImageBlock,
  tool_use: ToolUseBlock,
  tool_result: ToolResultBlock,
  thinking: ThinkingBlock,
  redacted_thinking: RedactedThinkingBlock,
};

/** A system message amid the conversation; it may have no content but `output_config`, which only the vendor reads. */
const SystemTurn = Type.Object({
  role: Type.Literal("system"),
  content: Type.Optional(Content),
  clear_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  output_config: Type.Optional(Type.Union([Type.Object({}), Type.Null()])),
});

export const Message = Type.Union([
  Type.Object({ role: Type.Enum(["user", "assistant"]), content: Content }),
  SystemTurn,
]);

/** A tool of the client's own; `type` is absent, null or `custom`. */
export const CustomTool = Type.Object({
  type: Type.Optional(Type.Union([Type.Literal("custom"), Type.Null()])),
  name: Type.String({ minLength: 1 }),
  description: Type.Optional(Type.String()),
  input_schema: Type.Optional(Type.Object({})),
  ...cached,
});

const serial = { disable_parallel_tool_use: Type.Optional(Type.Boolean()) };

export const ToolChoice = Type.Union([
  Type.Object({ type: Type.Literal("auto"), ...serial }),
  Type.Object({ type: Type.Literal("any"), ...serial }),
  Type.Object({ type: Type.Literal("tool"), name: Type.String({ minLength: 1 }), ...serial }),
  Type.Object({ type: Type.Literal("none") }),
]);

export const Thinking = Type.Union([
  Type.Object({ type: Type.Literal("enabled"), budget_tokens: Type.Integer({ minimum: 1 }) }),
  Type.Object({ type: Type.Literal("disabled") }),
  Type.Object({ type: Type.Literal("adaptive") }),
  Type.Object({ type: Type.Literal("between_tools") }),
]);

export const OutputConfig = Type.Object({
  effort: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  format: Type.Optional(Type.Union([Type.Object({ type: Type.String() }), Type.Null()])),
});

/** The fields of a request to count tokens: all fields that make up the input. */
const input_fields = {
  model: Type.String({ minLength: 1 }),
  messages: Type.Array(Message, { minItems: 1 }),
  system: Type.Optional(Type.Union([Type.String(), Type.Array(TextBlock)])),
  tools: Type.Optional(Type.Array(Type.Object({}))),
  tool_choice: Type.Optional(ToolChoice),
  thinking: Type.Optional(Thinking),
  output_config: Type.Optional(OutputConfig),
};

export const MessagesRequest = Type.Object({
  ...input_fields,
  max_tokens: Type.Integer({ minimum: 1 }),
  temperature: Type.Optional(Type.Number()),
  top_p: Type.Optional(Type.Number()),
  top_k: Type.Optional(Type.Integer()),
  stop_sequences: Type.Optional(Type.Array(Type.String())),
  metadata: Type.Optional(Type.Object({ user_id: Type.Optional(Type.Union([Type.String(), Type.Null()])) })),
  service_tier: Type.Optional(Type.String()),
  stream: Type.Optional(Type.Boolean()),
});
export type MessagesRequest = Static<typeof MessagesRequest>;

/** The request of POST /v1/messages/count_tokens (docs/rulings.md 14a). */
export const CountTokensRequest = Type.Object(input_fields);
export type CountTokensRequest = Static<typeof CountTokensRequest>;
