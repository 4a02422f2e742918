import Type from "typebox";
import * as gemini from "../../../protocols/gemini/wire-request.ts";
import * as messages from "../../../protocols/messages/wire-request.ts";
import * as responses from "../../../protocols/responses/wire-request.ts";

/**
 * The document's additions to the schemas that check requests. Those schemas name only what is checked for
 * every model: blocks, items and tools of unknown types go to the vendor unchecked. The document lists the known types
 * for readers.
 */

/** A message's content with its block types listed (docs/api.md 4.3). */
export const DocumentedMessage = Type.Object({
  role: Type.Enum(["user", "assistant", "system"]),
  content: Type.Union([Type.String(), Type.Array(Type.Union(Object.values(messages.BLOCKS)))]),
});

export const DocumentedMessagesRequest = Type.Object({
  ...messages.MessagesRequest.properties,
  tools: Type.Optional(Type.Array(messages.CustomTool)),
});

export const DocumentedCountRequest = Type.Object({
  ...messages.CountTokensRequest.properties,
  tools: Type.Optional(Type.Array(messages.CustomTool)),
});

const { "@address": _, ...GEMINI_MEMBERS } = gemini.GenerateContentRequest.properties;

/** What stands in the address of a request in Gemini's style is no member of its body. */
export const DocumentedGenerateContent = Type.Object(GEMINI_MEMBERS);

const DocumentedMessageItem = Type.Object({
  ...responses.MessageItem.properties,
  content: Type.Union([Type.String(), Type.Array(Type.Union(Object.values(responses.BLOCKS)))]),
});

/** An input item of a responses request (docs/api.md 4.2). */
export const InputItem = Type.Union(Object.values({ ...responses.ITEMS, message: DocumentedMessageItem }));

const outside = Type.Optional(Type.Unknown());

export const DocumentedResponsesRequest = Type.Object({
  ...responses.ResponsesRequest.properties,
  input: Type.Optional(Type.Union([Type.String(), Type.Array(InputItem)])),
  tools: Type.Optional(Type.Array(Type.Union(Object.values(responses.TOOLS)))),
  tool_choice: Type.Optional(Type.Union([Type.Enum(["auto", "none", "required"]), responses.NamedToolChoice])),
  conversation: outside,
  background: outside,
  include: outside,
  prompt: outside,
  prompt_cache_key: outside,
  prompt_cache_retention: outside,
  context_management: outside,
  max_tool_calls: outside,
  service_tier: outside,
  verbosity: outside,
  stream_options: outside,
  parallel_tool_calls: outside,
});
