import type { EncodedRequest, RequestField, Setting, VendorTraits } from "../../core/answer/codec.ts";
import type { Target } from "../../core/answer/exchange.ts";
import type {
  AssistantMessage,
  CustomTool,
  GenerationRequest,
  Message,
  OutputFormat,
  SystemMessage,
  Tool,
  ToolCallPart,
  ToolChoice,
  ToolMessage,
  UserMessage,
} from "../../core/answer/generation.ts";
import type { ChoiceConstraint } from "../../core/catalog/catalog.ts";
import type { JsonRecord } from "../../core/json.ts";
import { LEGAL_CALL_IDS } from "../shared/call-ids.ts";
import { effortForBudget } from "../shared/effort.ts";
import { type FittedReasoning, fitReasoning } from "../shared/fit-reasoning.ts";
import { honouredSettings } from "../shared/sampling.ts";
import { resultOf } from "../shared/substitute-texts.ts";
import { unsaidDetail } from "../shared/unsaid.ts";
import { type FieldRules, withoutUnsupported } from "../shared/without-unsupported.ts";
import { encodeToolResult, encodeUserContent, joinTexts } from "./encode-content.ts";
import {
  type MessageDialect,
  messageDialect,
  replayCallMembers,
  replayedFamilies,
  replayMembers,
} from "./replay-reasoning.ts";
import { strictTurns } from "./strict-turns.ts";

/** The settings that chat completions has fields for. Vendors accept `metadata` only together with `store`, which translated requests never set. */
const SETTINGS: readonly Setting[] = [
  ...(["parallel_tool_calls", "temperature", "top_p", "presence_penalty", "frequency_penalty", "seed"] as const),
  ...(["logprobs", "logit_bias", "verbosity", "end_user", "prompt_cache_key", "service_tier", "names"] as const),
];

const END_USER = "safety_identifier";
const MOST_STOP_SEQUENCES = 4;

/** The traits of a chat vendor: the protocol's abilities without those that its quirks deny. */
export function chatTraits(target: Target, request?: GenerationRequest): VendorTraits {
  const { model, vendor } = target;
  const { honours, refused, samples } = honouredSettings(SETTINGS, { end_user: END_USER }, target, request);
  const has_formats = !refused.has("response_format");
  return {
    honours,
    // The gateway applies stop sequences itself where there are more than the vendor allows, or the model refuses them.
    stop_sequences: samples && !refused.has("stop") && (request?.stop?.length ?? 0) <= MOST_STOP_SEQUENCES,
    // OpenAI alone has custom tools in chat, and the gateway calls OpenAI through responses.
    custom_tools: false,
    system_in_place: model.mid_system ?? vendor.quirks.system_first !== true,
    call_ids: LEGAL_CALL_IDS.chat,
    hosted_tools: [],
    json_schema: has_formats,
    json_object: has_formats,
    families: replayedFamilies(vendor.quirks.reasoning_replay),
  };
}

/**
 * Encodes a neutral request for one chat vendor. Throws `unsupported_parameter` for content that chat has no place for.
 */
export function encodeRequest(request: GenerationRequest, target: Target): EncodedRequest {
  const { quirks } = target.vendor;
  const { capabilities } = target.model;
  const reasoning = fitReasoning(request.reasoning, capabilities, null);
  const effort = effortOf(reasoning, capabilities.reasoning?.budget_tokens?.max);
  const ignored: RequestField[] = reasoning.ignored ? ["reasoning"] : [];
  const has_tools = request.tools.length > 0;
  const body: JsonRecord = {
    model: target.upstream_model,
    messages: encodeMessages(request.messages, messageDialect(target)),
    ...(request.stream && { stream: true }),
    ...(request.stream && !quirks.no_stream_options && { stream_options: { include_usage: true } }),
    ...encodeCap(request.max_output_tokens, quirks.max_tokens_only),
    ...sameNamed(request),
    ...(request.stop && { stop: request.stop }),
    ...(has_tools && { tools: request.tools.map(encodeTool) }),
    ...(has_tools && request.tool_choice && { tool_choice: encodeChoice(request.tool_choice, request.tools) }),
    ...(has_tools && booleanOf("parallel_tool_calls", request.parallel_tool_calls)),
    ...(request.logprobs && encodeLogprobs(request.logprobs)),
    ...(request.format && encodeFormat(request.format)),
    ...(request.choices && encodeChoices(request.choices, quirks.constrained_choice)),
    ...(effort !== null && { reasoning_effort: effort }),
    ...(request.end_user !== undefined && { [END_USER]: request.end_user }),
  };
  const sent = withoutUnsupported(body, quirks.unsupported_fields ?? [], FIELD_RULES, ignored);
  const unsaid = unsaidDetail(request.messages, ["document"]);
  return { path: "/chat/completions", body: JSON.stringify(sent), headers: {}, ignored: [...ignored, ...unsaid] };
}

function encodeCap(cap: number | undefined, legacy_name = false): JsonRecord {
  if (cap === undefined) return {};
  return legacy_name ? { max_tokens: cap } : { max_completion_tokens: cap };
}

const SAME_NAMED = [
  ...["temperature", "top_p", "presence_penalty", "frequency_penalty", "seed"],
  ...["logit_bias", "verbosity", "prompt_cache_key", "service_tier"],
] as const;

function sameNamed(request: GenerationRequest): JsonRecord {
  const fields: JsonRecord = { ...request };
  return Object.fromEntries(
    SAME_NAMED.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
  );
}

function booleanOf(name: string, value: boolean | undefined): JsonRecord {
  return value === undefined ? {} : { [name]: value };
}

function encodeLogprobs({ top }: { readonly top: number }): JsonRecord {
  return { logprobs: true, ...(top > 0 && { top_logprobs: top }) };
}

function encodeTool(tool: Tool): JsonRecord {
  switch (tool.kind) {
    case "function": {
      const { kind: _, cache: __, ...declared } = tool;
      return { type: "function", function: declared };
    }
    case "custom":
      return encodeCustomTool(tool);
    case "hosted":
      return tool.raw;
  }
}

function encodeCustomTool({ name, description, format }: CustomTool): JsonRecord {
  const { type, ...grammar } = format ?? {};
  const wire_format = type === "grammar" ? { type, grammar } : format;
  return {
    type: "custom",
    custom: { name, ...(description !== undefined && { description }), ...(wire_format && { format: wire_format }) },
  };
}

function encodeChoice(choice: ToolChoice, tools: readonly Tool[]): string | JsonRecord {
  if (choice.mode !== "named") return choice.mode;
  const is_custom = tools.some((tool) => tool.kind === "custom" && tool.name === choice.name);
  return is_custom
    ? { type: "custom", custom: { name: choice.name } }
    : { type: "function", function: { name: choice.name } };
}

function encodeFormat(format: OutputFormat): JsonRecord {
  switch (format.type) {
    case "text":
      return {};
    case "json-object":
      return { response_format: { type: "json_object" } };
    case "json-schema": {
      const { type: _, ...schema } = format;
      return { response_format: { type: "json_schema", json_schema: schema } };
    }
  }
}

/**
 * The effort level to send, because chat has only levels; for a model with a budget the vendor itself turns a level
 * into a share of it.
 */
function effortOf({ enabled, effort, budget_tokens }: FittedReasoning, largest: number | undefined): string | null {
  if (enabled === false) return "none";
  if (budget_tokens !== undefined) return effortForBudget(budget_tokens, largest);
  return effort ?? null;
}

const FIELD_RULES: FieldRules = {
  indispensable: new Set(["model", "messages", "stream"]),
  reported: {
    reasoning_effort: "reasoning",
    max_tokens: "max_output_tokens",
    max_completion_tokens: "max_output_tokens",
    tools: "tools",
    tool_choice: "tool_choice",
  },
};

/** The only texts that may be generated, in the vendor's field for them; nothing where the vendor has no such field. */
function encodeChoices(choices: readonly string[], constraint: ChoiceConstraint | undefined): JsonRecord {
  switch (constraint) {
    case undefined:
      return {};
    case "structured_outputs":
      return { structured_outputs: { choice: choices } };
    case "guided_choice":
      return { guided_choice: choices };
    case "grammar":
      return { grammar: `root ::= ${choices.map((choice) => JSON.stringify(choice)).join(" | ")}` };
    case "regex":
      return { regex: `(${choices.map(escapeRegex).join("|")})` };
  }
}

/** Not RegExp.escape, which writes a first letter as `\x41`: grammar compilers know less of regular expressions. */
function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** A conversation as chat messages. Throws `unsupported_parameter` for content that no chat message can hold. */
function encodeMessages(messages: readonly Message[], dialect: MessageDialect): readonly JsonRecord[] {
  const encoded: JsonRecord[] = [];
  let media: JsonRecord[] = [];
  for (const message of messages) {
    // Results of parallel calls must be adjacent; other messages may come only after the last result.
    if (message.role !== "tool" && media.length > 0) {
      encoded.push({ role: "user", content: media });
      media = [];
    }
    if (message.role === "tool") for (const block of addToolMessage(encoded, message)) media.push(block);
    else encoded.push(encodeMessage(message, dialect));
  }
  if (media.length > 0) encoded.push({ role: "user", content: media });
  return dialect.strict_turns ? strictTurns(encoded) : encoded;
}

function encodeMessage(message: SystemMessage | UserMessage | AssistantMessage, dialect: MessageDialect): JsonRecord {
  switch (message.role) {
    case "system":
      return encodeSystem(message, dialect);
    case "user":
      return { role: "user", ...nameOf(message), content: encodeUserContent(message.content) };
    case "assistant":
      return encodeAnswer(message, dialect);
  }
}

function encodeSystem({ authority, content }: SystemMessage, { no_developer_role }: MessageDialect): JsonRecord {
  return { role: no_developer_role ? "system" : authority, content: joinTexts(content) };
}

function nameOf({ name }: { readonly name?: string }): { readonly name?: string } {
  return name === undefined ? {} : { name };
}

/** Appends the tool message and returns the blocks that it cannot hold (docs/rulings.md 74). */
function addToolMessage(encoded: JsonRecord[], { call_id, content, is_error }: ToolMessage): readonly JsonRecord[] {
  const { text, media } = encodeToolResult(content, is_error);
  encoded.push({ role: "tool", tool_call_id: call_id, content: text });
  return media.length === 0 ? [] : [{ type: "text", text: resultOf(call_id) }, ...media];
}

function encodeAnswer(message: AssistantMessage, dialect: MessageDialect): JsonRecord {
  const texts = message.content.filter((part) => part.type === "text");
  const refusals = message.content.filter((part) => part.type === "refusal");
  const calls = message.content.filter((part) => part.type === "tool-call");
  const reasoning = message.content.filter((part) => part.type === "reasoning");
  const text_seal = texts.findLast(({ opaque }) => opaque !== undefined)?.opaque;
  const signed = replayCallMembers(calls, dialect);
  const has_more = refusals.length > 0 || calls.length > 0;
  return {
    role: "assistant",
    ...nameOf(message),
    content: texts.length === 0 && has_more ? null : joinTexts(texts),
    ...(refusals.length > 0 && { refusal: joinTexts(refusals) }),
    ...replayMembers({ reasoning, text_seal, calls }, dialect),
    ...(calls.length > 0 && { tool_calls: calls.map((call, at) => ({ ...encodeCall(call), ...signed[at] })) }),
  };
}

function encodeCall({ id, name, arguments: text, kind }: ToolCallPart): JsonRecord {
  if (kind === "custom") return { id, type: "custom", custom: { name, input: text } };
  // For a call without arguments too, strict vendors require an object.
  return { id, type: "function", function: { name, arguments: text === "" ? "{}" : text } };
}
