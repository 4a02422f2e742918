import Type, { type Static } from "typebox";
import { Filled, nullable, optional, typed } from "../shared/wire-schema.ts";

/**
 * Messages and their content blocks in the shape of docs/api.md 4.1, with further parts of the public shape that real
 * clients send (docs/rulings.md 1): refusals and thinking in replayed answers, calls of custom tools. Every object may
 * have more fields than are named here; they go to the vendor.
 */

const TextBlock = typed("text", { text: Type.String() });

const ImageBlock = typed("image_url", {
  image_url: Type.Object({
    url: Type.String({ minLength: 1, description: "A public URL or a data:image/…;base64 URL." }),
    detail: optional(Type.String()),
  }),
});

const AudioBlock = typed("input_audio", {
  input_audio: Type.Object({
    data: Type.String({ description: "The sound in base64." }),
    format: Type.String({ description: "For example wav or mp3." }),
  }),
});

const VideoUrlBlock = typed("video_url", { video_url: Type.Object({ url: Filled }) });
const VideoBlock = typed("video", { video: Type.Unknown({ description: "Usually an array of image URLs." }) });
const FileBlock = typed("file", { file: Type.Object({}) });
const RefusalBlock = typed("refusal", { refusal: Type.String() });
const ThinkingBlock = typed("thinking", {});

const USER_BLOCKS = [TextBlock, ImageBlock, AudioBlock, VideoUrlBlock, VideoBlock, FileBlock] as const;

const UserContent = Type.Union([Type.String(), Type.Array(Type.Union([...USER_BLOCKS]))]);
const AssistantContent = Type.Union([
  Type.String(),
  Type.Array(Type.Union([...USER_BLOCKS, RefusalBlock, ThinkingBlock])),
  Type.Null(),
]);

const FunctionToolCall = typed("function", {
  id: Type.String(),
  function: Type.Object({ name: Type.String(), arguments: Type.String({ description: "A JSON object as text." }) }),
});

const CustomToolCall = typed("custom", {
  id: Type.String(),
  custom: Type.Object({ name: Type.String(), input: Type.String() }),
});

const name = optional(Type.String());

const SystemMessage = Type.Object({ role: Type.Literal("system"), content: UserContent, name });
const DeveloperMessage = Type.Object({ role: Type.Literal("developer"), content: UserContent, name });
const UserMessage = Type.Object({ role: Type.Literal("user"), content: UserContent, name });
const ToolMessage = Type.Object({
  role: Type.Literal("tool"),
  content: UserContent,
  name,
  tool_call_id: Type.String({ description: "A tool call of the preceding assistant message." }),
});
/** The result of a `function_call`, in the form before `tool_calls`. */
const FunctionMessage = Type.Object({
  role: Type.Literal("function"),
  content: nullable(Type.String()),
  name: Type.String({ minLength: 1, description: "The function of a 'function_call' before it." }),
});
const AssistantMessage = Type.Object({
  role: Type.Literal("assistant"),
  content: Type.Optional(AssistantContent),
  name,
  function_call: optional(Type.Object({ name: Type.String(), arguments: Type.String() })),
  tool_calls: optional(Type.Array(Type.Union([FunctionToolCall, CustomToolCall]))),
});

export const ChatMessage = Type.Union([
  UserMessage,
  AssistantMessage,
  ToolMessage,
  SystemMessage,
  DeveloperMessage,
  FunctionMessage,
]);
export type ChatMessage = Static<typeof ChatMessage>;
export type ChatAssistant = Extract<ChatMessage, { role: "assistant" }>;
