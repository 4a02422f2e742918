import type { ClientProtocol } from "../../../src/core/answer/exchange.ts";
import type { Protocol } from "../../../src/core/endpoints.ts";
import { isObject } from "../../../src/core/json.ts";
import { clientProtocols } from "../../../src/main/protocols.ts";
import type { Samples } from "./cases.ts";

/** The declared requests that this product takes. */
export interface RequestSurface {
  /** The name of its file of outcomes. */
  readonly name: string;
  readonly sdk: string;
  readonly file: string;
  readonly type: string;
  readonly client: ClientProtocol;
  /** The least request that every vendor answers. */
  readonly request: unknown;
  readonly samples: Samples;
  complete(body: unknown): unknown;
}

type Fields = Readonly<Record<string, unknown>>;

export const VENDORS: readonly Protocol[] = ["chat-completions", "responses", "messages", "gemini", "bedrock-converse"];

const PIXEL = "iVBORw0KGgo=";
const IMAGE = `data:image/png;base64,${PIXEL}`;
const SCHEMA = { type: "object", properties: { place: { type: "string" } } };

const SAMPLES: Samples = {
  ...{
    model: "acme/swift",
    max_tokens: 4096,
    max_output_tokens: 4096,
    budget_tokens: 1024,
    temperature: 0.5,
    top_p: 0.5,
  },
  ...{ arguments: "{}", image_url: IMAGE, url: "https://example.com/a.png", file_url: "https://example.com/a.pdf" },
  ...{ parameters: SCHEMA, schema: SCHEMA, input_schema: SCHEMA, logit_bias: { "1": 1 }, metadata: { team: "a" } },
  ...{ call_id: "call_1", tool_call_id: "call_1", tool_use_id: "call_1", data: PIXEL, media_type: "image/png" },
  "ChatCompletionAssistantMessageParam.content": "an answer",
  "ResponseFormatJSONSchema.JSONSchema.schema": SCHEMA,
  "ChatCompletionContentPart.File.File.file_data": `data:application/pdf;base64,${PIXEL}`,
  "ChatCompletionContentPartImage.ImageURL.url": IMAGE,
  "ResponseInputItem.FunctionCallOutput.call_id": "call_1",
  "ResponseInputFile.file_data": `data:application/pdf;base64,${PIXEL}`,
  "ResponseInputFileContent.file_data": `data:application/pdf;base64,${PIXEL}`,
  "ResponseInputImage.image_url": IMAGE,
  "ResponseInputImageContent.image_url": IMAGE,
  "ResponseCreateParamsBase.model": "acme/swift",
  "Base64PDFSource.media_type": "application/pdf",
  "BetaBase64PDFSource.media_type": "application/pdf",
};

const QUESTION = { role: "user", content: "a question" };
const CALL = { id: "call_1", name: "a name" };

/** A tool for what says how tools are called. */
function chosenTool({ tools, tool_choice, parallel_tool_calls }: Fields, tool: unknown): Fields {
  return tools === undefined && (tool_choice ?? parallel_tool_calls ?? null) !== null ? { tools: [tool] } : {};
}

/** A chat whose result follows its call. */
function completeChat(body: unknown): unknown {
  if (!isObject(body) || !Array.isArray(body.messages)) return body;
  const { id, name } = CALL;
  const call = { id, type: "function", function: { name, arguments: "{}" } };
  const before: Readonly<Record<string, readonly unknown[]>> = {
    tool: [{ role: "assistant", tool_calls: [call] }],
    function: [{ role: "assistant", function_call: call.function }],
  };
  const [first] = body.messages;
  const messages = [QUESTION, ...((isObject(first) && before[String(first.role)]) || []), ...body.messages];
  const is_custom = isObject(body.tool_choice) && body.tool_choice.type === "custom";
  const tool = is_custom ? { type: "custom", custom: { name } } : { type: "function", function: { name } };
  const streams = body.stream_options === undefined ? {} : { stream: true };
  const has_old_choice = (body.function_call ?? null) !== null && body.functions === undefined;
  if (has_old_choice) return { ...body, messages, functions: [{ name }] };
  return { ...body, messages, ...chosenTool(body, tool), ...streams };
}

function completeResponses(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { id: call_id, name } = CALL;
  const before: Readonly<Record<string, unknown>> = {
    function_call_output: { type: "function_call", call_id, name, arguments: "{}" },
    custom_tool_call_output: { type: "custom_tool_call", call_id, name, input: "" },
  };
  const items: readonly unknown[] = Array.isArray(body.input) ? body.input : [];
  const calls = items.flatMap((item) => (isObject(item) && before[String(item.type)]) || []);
  const is_custom = isObject(body.tool_choice) && body.tool_choice.type === "custom";
  const tool = is_custom ? { type: "custom", name } : { type: "function", name };
  const input = items.length === 0 ? (body.input ?? "a question") : [QUESTION, ...calls, ...items];
  return { ...body, input, ...chosenTool(body, tool) };
}

/** Blocks of a user. All others are an assistant's. */
const USER_BLOCKS = new Set([
  ...["text", "image", "document", "search_result", "tool_result", "container_upload", "tool_addition", "tool_removal"],
]);

function completeMessages(body: unknown): unknown {
  if (!isObject(body) || !Array.isArray(body.messages)) return body;
  const messages = body.messages.map((message: Fields) => {
    const blocks: readonly unknown[] = Array.isArray(message.content) ? message.content : [];
    const is_answer = blocks.some((block) => isObject(block) && !USER_BLOCKS.has(String(block.type)));
    return is_answer ? { ...message, role: "assistant" } : message;
  });
  const text = JSON.stringify(messages);
  const call = { type: "tool_use", ...CALL, input: {} };
  const before = text.includes('"type":"tool_result"') ? [{ role: "assistant", content: [call] }] : [];
  const tool = { name: CALL.name, input_schema: SCHEMA };
  return { ...body, messages: [QUESTION, ...before, ...messages], ...chosenTool(body, tool) };
}

const CHAT_REQUEST = { model: "acme/swift", messages: [QUESTION] };

export const REQUESTS: readonly RequestSurface[] = [
  {
    name: "openai-chat",
    sdk: "openai",
    file: "openai/resources/chat/completions/completions.d.ts",
    type: "ChatCompletionCreateParamsBase",
    client: clientProtocols["chat.completions"],
    request: CHAT_REQUEST,
    samples: SAMPLES,
    complete: completeChat,
  },
  {
    name: "openai-responses",
    sdk: "openai",
    file: "openai/resources/responses/responses.d.ts",
    type: "ResponseCreateParamsBase",
    client: clientProtocols.responses,
    request: { model: "acme/swift", input: "a question" },
    samples: SAMPLES,
    complete: completeResponses,
  },
  {
    name: "anthropic-messages",
    sdk: "@anthropic-ai/sdk",
    file: "@anthropic-ai/sdk/resources/messages/messages.d.ts",
    type: "MessageCreateParamsBase",
    client: clientProtocols.messages,
    request: { ...CHAT_REQUEST, max_tokens: 4096 },
    samples: SAMPLES,
    complete: completeMessages,
  },
  {
    name: "anthropic-messages-beta",
    sdk: "@anthropic-ai/sdk",
    file: "@anthropic-ai/sdk/resources/beta/messages/messages.d.ts",
    type: "MessageCreateParamsBase",
    client: clientProtocols.messages,
    request: { ...CHAT_REQUEST, max_tokens: 4096 },
    samples: SAMPLES,
    complete: completeMessages,
  },
];

/** The declared answers of vendors: whole ones and events. */
export interface AnswerSurface {
  readonly name: string;
  readonly sdk: string;
  readonly file: string;
  readonly type: string;
  readonly client: ClientProtocol;
  readonly request: unknown;
  readonly opening: ((event: unknown) => readonly unknown[]) | null;
  readonly samples: Samples;
}

const TEXT_PART = { type: "output_text", text: "", annotations: [] };
const AT_TEXT = { item_id: "msg_1", output_index: 0, content_index: 0 };
const RESPONSES_OPENING = [
  { type: "response.created", response: { id: "resp_1", object: "response", model: "upstream-1", output: [] } },
  {
    ...{ type: "response.output_item.added", output_index: 0 },
    item: { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] },
  },
  { type: "response.content_part.added", ...AT_TEXT, part: TEXT_PART },
  { type: "response.output_text.delta", ...AT_TEXT, delta: "an answer" },
].map((event, sequence_number) => ({ ...event, sequence_number }));

/** Events of items whose type their own name does not begin with. */
const ITEM_TYPES: readonly (readonly [string, string])[] = [
  ["function_call_arguments", "function_call"],
  ["custom_tool_call_input", "custom_tool_call"],
  ["compaction", "compaction"],
];

/** What comes before an event of responses: an event of a call, after the call's own beginning. */
function beforeResponseEvent(event: unknown): readonly unknown[] {
  if (!isObject(event)) return RESPONSES_OPENING;
  const name = String(event.type).replace("response.", "");
  const type =
    ITEM_TYPES.find(([start]) => name.startsWith(start))?.[1] ??
    /^(mcp_list_tools|(web_search|file_search|code_interpreter|image_generation|mcp|shell|apply_patch)_call)/.exec(
      name,
    )?.[1];
  if (type === undefined) return RESPONSES_OPENING;
  const item = { type, id: event.item_id, call_id: "call_1", name: "a name", status: "in_progress" };
  const { output_index } = event;
  return [RESPONSES_OPENING[0], { type: "response.output_item.added", output_index, item, sequence_number: 1 }];
}

const MESSAGE = {
  ...{ id: "msg_1", type: "message", role: "assistant", model: "upstream-1", content: [], stop_reason: null },
  usage: { input_tokens: 1, output_tokens: 1 },
};
const MESSAGES_OPENING = [
  { type: "message_start", message: MESSAGE },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "an answer" } },
];

/** What comes before an event of messages: a block is told after the one before it. */
function beforeEvent(event: unknown): readonly unknown[] {
  const type = isObject(event) ? event.type : null;
  if (type === "message_start") return [];
  return type === "content_block_start"
    ? [...MESSAGES_OPENING, { type: "content_block_stop", index: 0 }]
    : MESSAGES_OPENING;
}

/** Places that the openings have opened. */
const OPENED: Samples = {
  ...{ item_id: "msg_1", output_index: 0, content_index: 0, summary_index: 0, index: 0 },
  "ResponseContentPartAddedEvent.content_index": 1,
  ...{ "RawContentBlockStartEvent.index": 1, "BetaRawContentBlockStartEvent.index": 1 },
};

const [CHAT, RESPONSES, MESSAGES, BETA] = REQUESTS as readonly [
  RequestSurface,
  RequestSurface,
  RequestSurface,
  RequestSurface,
];

function whole({ name, sdk, file, client, request, samples }: RequestSurface, type: string): AnswerSurface {
  return {
    name: `${name}-answer`,
    sdk,
    file,
    client,
    samples: { ...samples, ...OPENED },
    type,
    request,
    opening: null,
  };
}

export const ANSWERS: readonly AnswerSurface[] = [
  whole(CHAT, "ChatCompletion"),
  { ...whole(CHAT, "ChatCompletionChunk"), name: "openai-chat-chunk", opening: () => [] },
  whole(RESPONSES, "Response"),
  {
    ...whole(RESPONSES, "ResponseStreamEvent"),
    name: "openai-responses-event",
    opening: beforeResponseEvent,
  },
  whole(MESSAGES, "Message"),
  {
    ...whole(MESSAGES, "RawMessageStreamEvent"),
    name: "anthropic-messages-event",
    opening: beforeEvent,
  },
  whole(BETA, "BetaMessage"),
  {
    ...whole(BETA, "BetaRawMessageStreamEvent"),
    name: "anthropic-messages-beta-event",
    opening: beforeEvent,
  },
];
