import Type, { type Static } from "typebox";

/**
 * The request of POST /v1/responses (docs/api.md 4.2), with further fields of the public API. Fields, item types, block
 * types and tool types that are not named here are allowed: they go to the vendor unchanged.
 */

const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const optional = <Schema extends Type.TSchema>(schema: Schema) => Type.Optional(nullable(schema));
const name = Type.String({ minLength: 1 });

export const InputText = Type.Object({ type: Type.Literal("input_text"), text: Type.String() });

/** `image_url` is a public URL or a data URL. */
export const InputImage = Type.Union([
  Type.Object({
    type: Type.Literal("input_image"),
    image_url: Type.String(),
    detail: optional(Type.String()),
  }),
  Type.Object({ type: Type.Literal("input_image"), file_id: Type.String(), detail: optional(Type.String()) }),
]);

export const InputFile = Type.Union([
  Type.Object({ type: Type.Literal("input_file"), file_id: Type.String() }),
  Type.Object({ type: Type.Literal("input_file"), file_url: Type.String() }),
  Type.Object({ type: Type.Literal("input_file"), file_data: Type.String(), filename: optional(Type.String()) }),
]);

/** Blocks of earlier answers, given back as input. */
export const OutputText = Type.Object({ type: Type.Literal("output_text"), text: Type.String() });
export const Refusal = Type.Object({ type: Type.Literal("refusal"), refusal: Type.String() });

/** The block types whose fields are checked. */
export const BLOCKS = {
  input_text: InputText,
  input_image: InputImage,
  input_file: InputFile,
  output_text: OutputText,
  refusal: Refusal,
};

/** Any content block: its type decides which fields it must have. */
const Content = Type.Union([Type.String(), Type.Array(Type.Object({ type: Type.String() }))]);

/** A message, whose type may be left out. */
export const MessageItem = Type.Object({
  type: Type.Optional(Type.Literal("message")),
  role: Type.Enum(["user", "assistant", "system", "developer"]),
  content: Content,
});

export const FunctionCall = Type.Object({
  type: Type.Literal("function_call"),
  call_id: Type.String(),
  name,
  arguments: Type.String(),
});

export const FunctionCallOutput = Type.Object({
  type: Type.Literal("function_call_output"),
  // The API takes the tool's name in its place.
  call_id: optional(Type.String()),
  name: optional(Type.String()),
  output: Content,
});

export const CustomToolCall = Type.Object({
  type: Type.Literal("custom_tool_call"),
  call_id: Type.String(),
  name,
  input: Type.String(),
});

export const CustomToolCallOutput = Type.Object({
  type: Type.Literal("custom_tool_call_output"),
  call_id: Type.String(),
  output: Content,
});

/** Reasoning of an earlier turn; its encrypted content is opaque and goes back byte for byte. */
export const ReasoningItem = Type.Object({
  type: Type.Literal("reasoning"),
  summary: Type.Array(Type.Object({})),
  encrypted_content: optional(Type.String()),
});

export const ItemReference = Type.Object({ type: Type.Literal("item_reference"), id: Type.String() });

/** The item types whose fields are checked. */
export const ITEMS = {
  message: MessageItem,
  function_call: FunctionCall,
  function_call_output: FunctionCallOutput,
  custom_tool_call: CustomToolCall,
  custom_tool_call_output: CustomToolCallOutput,
  reasoning: ReasoningItem,
  item_reference: ItemReference,
};

export const FunctionTool = Type.Object({
  type: Type.Literal("function"),
  name,
  description: optional(Type.String()),
  parameters: optional(Type.Object({})),
  strict: optional(Type.Boolean()),
});

export const CustomTool = Type.Object({ type: Type.Literal("custom"), name, description: optional(Type.String()) });

/** The tool types whose fields are checked. */
export const TOOLS = { function: FunctionTool, custom: CustomTool };

export const NamedToolChoice = Type.Object({ type: Type.Enum(["function", "custom"]), name });

const ToolChoice = Type.Union([Type.Enum(["auto", "none", "required"]), Type.Object({ type: Type.String() })]);

export const ResponsesRequest = Type.Object({
  model: Type.String({ minLength: 1 }),
  input: optional(Type.Union([Type.String(), Type.Array(Type.Object({}))])),
  instructions: optional(Type.String()),
  max_output_tokens: optional(Type.Integer({ minimum: 1 })),
  temperature: optional(Type.Number()),
  top_p: optional(Type.Number()),
  tools: optional(Type.Array(Type.Object({ type: Type.String() }))),
  tool_choice: optional(ToolChoice),
  reasoning: optional(Type.Object({ effort: optional(Type.String()), summary: optional(Type.String()) })),
  text: optional(Type.Object({ format: optional(Type.Object({ type: Type.String() })) })),
  safety_identifier: optional(Type.String()),
  metadata: optional(Type.Object({})),
  stream: optional(Type.Boolean()),
  user: optional(Type.String()),
  store: optional(Type.Boolean()),
  previous_response_id: optional(Type.String()),
});
export type ResponsesRequest = Static<typeof ResponsesRequest>;
