import Type, { type Static } from "typebox";
import { Filled as name, optional, typed } from "../shared/wire-schema.ts";

/**
 * The request of POST /v1/responses (docs/api.md 4.2), with further fields of the public API. Fields, item types, block
 * types and tool types that are not named here are allowed: they go to the vendor unchanged.
 */

/** The block types whose fields are checked; the last two are those of earlier answers, given back as input. */
export const BLOCKS = {
  input_text: typed("input_text", { text: Type.String() }),
  /** `image_url` is a public URL or a data URL. */
  input_image: Type.Union([
    typed("input_image", { image_url: Type.String(), detail: optional(Type.String()) }),
    typed("input_image", { file_id: Type.String(), detail: optional(Type.String()) }),
  ]),
  input_file: Type.Union([
    typed("input_file", { file_id: Type.String() }),
    typed("input_file", { file_url: Type.String() }),
    typed("input_file", { file_data: Type.String(), filename: optional(Type.String()) }),
  ]),
  output_text: typed("output_text", { text: Type.String() }),
  refusal: typed("refusal", { refusal: Type.String() }),
};

/** Any content block: its type decides which fields it must have. */
const Content = Type.Union([Type.String(), Type.Array(Type.Object({ type: Type.String() }))]);

/** A message, whose type may be left out. */
export const MessageItem = Type.Object({
  type: Type.Optional(Type.Literal("message")),
  role: Type.Enum(["user", "assistant", "system", "developer"]),
  content: Content,
});

/** The item types whose fields are checked. */
export const ITEMS = {
  message: MessageItem,
  function_call: typed("function_call", { call_id: Type.String(), name, arguments: Type.String() }),
  // The API takes the tool's name in place of its call's id.
  function_call_output: typed("function_call_output", {
    call_id: optional(Type.String()),
    name: optional(Type.String()),
    output: Content,
  }),
  custom_tool_call: typed("custom_tool_call", { call_id: Type.String(), name, input: Type.String() }),
  custom_tool_call_output: typed("custom_tool_call_output", { call_id: Type.String(), output: Content }),
  /** Reasoning of an earlier turn; its encrypted content is opaque and goes back byte for byte. */
  reasoning: typed("reasoning", { summary: Type.Array(Type.Object({})), encrypted_content: optional(Type.String()) }),
  item_reference: typed("item_reference", { id: Type.String() }),
};

/** The tool types whose fields are checked. */
export const TOOLS = {
  function: typed("function", {
    name,
    description: optional(Type.String()),
    parameters: optional(Type.Object({})),
    strict: optional(Type.Boolean()),
  }),
  custom: typed("custom", { name, description: optional(Type.String()) }),
};

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
