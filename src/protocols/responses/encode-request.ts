import type { EncodedRequest, RequestField, Setting, VendorTraits } from "../../core/answer/codec.ts";
import type { Target } from "../../core/answer/exchange.ts";
import type {
  AssistantPart,
  GenerationRequest,
  Message,
  Opaque,
  OutputFormat,
  ReasoningPart,
  RefusalPart,
  SystemMessage,
  TextPart,
  Tool,
  ToolCallPart,
  ToolChoice,
  ToolMessage,
} from "../../core/answer/generation.ts";
import type { VendorQuirks } from "../../core/catalog/catalog.ts";
import { GatewayError } from "../../core/errors.ts";
import type { JsonRecord } from "../../core/json.ts";
import { LEGAL_CALL_IDS } from "../shared/call-ids.ts";
import { effortForBudget } from "../shared/effort.ts";
import { fitReasoning } from "../shared/fit-reasoning.ts";
import { honouredSettings } from "../shared/sampling.ts";
import { chosenTool } from "../shared/tool-choice.ts";
import { type FieldRules, withoutUnsupported } from "../shared/without-unsupported.ts";
import { encodeAnswerContent, encodeResult, encodeUserContent } from "./encode-content.ts";
import { replayedText } from "./relayed-input.ts";

/** The settings that this protocol has fields for, and the fields that have other names. */
const SETTINGS: readonly Setting[] = [
  ...(["parallel_tool_calls", "temperature", "top_p", "logprobs", "verbosity", "end_user", "metadata"] as const),
  ...(["prompt_cache_key", "service_tier"] as const),
];
const RENAMED = { logprobs: "top_logprobs", end_user: "safety_identifier" } as const;

/** Tools that the vendor runs itself and whose outcome is in the text, so that clients of any protocol can use them. */
const HOSTED_TOOLS = [
  ...["web_search", "web_search_2025_08_26", "web_search_preview", "web_search_preview_2025_03_11"],
  ...["file_search", "code_interpreter"],
];

/** The traits of a responses vendor: the protocol's abilities without those that the vendor's quirks deny. */
export function responsesTraits(target: Target, request?: GenerationRequest): VendorTraits {
  const { model, vendor } = target;
  const { honours, refused } = honouredSettings(SETTINGS, RENAMED, target, request);
  return {
    honours,
    stop_sequences: false,
    custom_tools: true,
    system_in_place: model.mid_system ?? vendor.quirks.system_first !== true,
    call_ids: LEGAL_CALL_IDS.responses,
    hosted_tools: HOSTED_TOOLS,
    json_schema: !refused.has("text"),
    json_object: !refused.has("text"),
    families: ["openai"],
  };
}

/** The smallest output cap that the public API accepts. */
const SMALLEST_CAP = 16;

/**
 * A neutral request as a responses vendor takes it; nothing is stored there. Throws `unsupported_parameter` for content
 * that this style has no place for.
 */
export function encodeRequest(request: GenerationRequest, target: Target): EncodedRequest {
  const { quirks } = target.vendor;
  refuseSound(request, target);
  const ignored: RequestField[] = [];
  const cap = request.max_output_tokens;
  if (cap !== undefined && cap < SMALLEST_CAP) ignored.push("max_output_tokens");
  const has_tools = request.tools.length > 0;
  const body: JsonRecord = {
    model: target.upstream_model,
    ...encodeInput(request.messages, quirks, request.format?.type === "json-object"),
    ...(request.stream && { stream: true }),
    store: false,
    ...(cap !== undefined && { max_output_tokens: Math.max(cap, SMALLEST_CAP) }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.top_p !== undefined && { top_p: request.top_p }),
    ...(has_tools && { tools: request.tools.map(encodeTool) }),
    ...(has_tools && request.tool_choice && { tool_choice: encodeChoice(request.tool_choice, request.tools) }),
    ...(has_tools && request.parallel_tool_calls !== undefined && { parallel_tool_calls: request.parallel_tool_calls }),
    ...encodeText(request),
    ...encodeReasoning(request, target, ignored),
    ...encodeIncluded(request, target),
    ...(request.end_user !== undefined && { safety_identifier: request.end_user }),
    ...(request.metadata && { metadata: request.metadata }),
    ...(request.prompt_cache_key !== undefined && { prompt_cache_key: request.prompt_cache_key }),
    ...(request.service_tier !== undefined && { service_tier: request.service_tier }),
  };
  const sent = withoutUnsupported(body, quirks.unsupported_fields ?? [], FIELD_RULES, ignored);
  return { path: "/responses", body: JSON.stringify(sent), headers: {}, ignored };
}

/** A sound for a model that hears none is refused in the client's words, before the vendor does so in its own. */
function refuseSound({ messages }: GenerationRequest, { model }: Target): void {
  if (model.input_modalities.includes("audio")) return;
  const has_sound = messages.some(
    ({ role, content }) => role === "user" && content.some(({ type }) => type === "audio"),
  );
  if (!has_sound) return;
  const message = "'messages' hold audio; allowed for this model: text, images and documents.";
  throw new GatewayError("unsupported_parameter", message, { param: "messages" });
}

/**
 * In this protocol a function is strict by default, which changes its schema; in others the default is not strict. So
 * `strict` is always sent (docs/rulings.md 81).
 */
function encodeTool(tool: Tool): JsonRecord {
  switch (tool.kind) {
    case "function": {
      const { name, description, parameters = { type: "object", properties: {} }, strict = false } = tool;
      return { type: "function", name, ...(description !== undefined && { description }), parameters, strict };
    }
    case "custom": {
      const { kind, ...declared } = tool;
      return { type: kind, ...declared };
    }
    case "hosted":
      return tool.raw;
  }
}

function encodeChoice(choice: ToolChoice, tools: readonly Tool[]): string | JsonRecord {
  if (choice.mode !== "named") return choice.mode;
  const { name } = choice;
  const chosen = chosenTool(choice, tools);
  return chosen?.kind === "hosted" ? { type: chosen.type } : { type: chosen?.kind ?? "function", name };
}

function encodeText({ format, verbosity }: GenerationRequest): JsonRecord {
  if (format === undefined && verbosity === undefined) return {};
  return {
    text: { ...(format && { format: encodeFormat(format) }), ...(verbosity !== undefined && { verbosity }) },
  };
}

function encodeFormat(format: OutputFormat): JsonRecord {
  switch (format.type) {
    case "text":
      return { type: "text" };
    case "json-object":
      return { type: "json_object" };
    case "json-schema":
      // A format, like a function, is strict by default.
      return { ...format, type: "json_schema", strict: format.strict ?? false };
  }
}

/** This protocol has effort levels only; for a model with a budget the vendor turns the level into a share of it. */
function encodeReasoning(
  { reasoning }: GenerationRequest,
  { model: { capabilities } }: Target,
  ignored: RequestField[],
): JsonRecord {
  const { enabled, effort, budget_tokens, ignored: is_ignored } = fitReasoning(reasoning, capabilities, null);
  if (is_ignored) ignored.push("reasoning");
  if (!capabilities.thinking) return {};
  const largest = capabilities.reasoning?.budget_tokens?.max;
  const level = budget_tokens === undefined ? effort : effortForBudget(budget_tokens, largest);
  const show = reasoning?.show === "none" ? undefined : reasoning?.show;
  const setting = {
    ...(enabled === false ? { effort: "none" } : level !== undefined && { effort: level }),
    ...(show !== undefined && { summary: show }),
  };
  return Object.keys(setting).length === 0 ? {} : { reasoning: setting };
}

/**
 * Encrypted reasoning is asked for unless the client declined it: nothing is stored, so the encrypted form is the only
 * way to give reasoning back.
 */
function encodeIncluded({ logprobs, reasoning }: GenerationRequest, { model: { capabilities } }: Target): JsonRecord {
  const wants_reasoning = capabilities.thinking && reasoning?.want_opaque !== false;
  const include = [
    ...(wants_reasoning ? ["reasoning.encrypted_content"] : []),
    ...(logprobs ? ["message.output_text.logprobs"] : []),
  ];
  return {
    ...(include.length > 0 && { include }),
    ...(logprobs && logprobs.top > 0 && { top_logprobs: logprobs.top }),
  };
}

const FIELD_RULES: FieldRules = {
  indispensable: new Set(["model", "input", "stream"]),
  reported: {
    reasoning: "reasoning",
    max_output_tokens: "max_output_tokens",
    tools: "tools",
    tool_choice: "tool_choice",
  },
};

/** A conversation in the shape of this protocol. */
interface EncodedInput {
  readonly instructions?: string;
  readonly input: readonly JsonRecord[];
}

/**
 * Encodes a conversation. Where JSON without a schema is asked for, a message of the input must mention JSON; the
 * `instructions` field does not count for that, so instructions stay in the input. Throws `unsupported_parameter` for
 * content that no item can hold.
 */
function encodeInput(messages: readonly Message[], quirks: VendorQuirks, wants_json = false): EncodedInput {
  const [first] = messages;
  const has_field = !wants_json && quirks.unsupported_fields?.includes("instructions") !== true;
  const instructions = has_field && first?.role === "system" ? instructionsOf(first) : null;
  const rest = instructions === null ? messages : messages.slice(1);
  const custom_calls = new Set<string>();
  const input = rest.flatMap((message) => encodeMessage(message, quirks, custom_calls));
  return { ...(instructions !== null && { instructions }), input };
}

/** The text of a system message that fits the `instructions` field; null otherwise. */
function instructionsOf({ authority, content }: SystemMessage): string | null {
  return authority === "system" && content.length === 1 ? (content[0]?.text ?? null) : null;
}

function encodeMessage(message: Message, quirks: VendorQuirks, custom_calls: Set<string>): readonly JsonRecord[] {
  switch (message.role) {
    case "system": {
      const role = quirks.no_developer_role ? "system" : message.authority;
      return messageItem(role, message.content);
    }
    case "user":
      return messageItem("user", message.content);
    case "tool":
      return [encodeToolMessage(message, custom_calls)];
    case "assistant":
      return encodeAnswer(message.content, quirks, custom_calls);
  }
}

function messageItem(role: string, content: Parameters<typeof encodeUserContent>[0]): readonly JsonRecord[] {
  return content.length === 0 ? [] : [{ type: "message", role, content: encodeUserContent(content) }];
}

function encodeToolMessage(message: ToolMessage, custom_calls: ReadonlySet<string>): JsonRecord {
  const type = custom_calls.has(message.call_id) ? "custom_tool_call_output" : "function_call_output";
  return { type, call_id: message.call_id, output: encodeResult(message) };
}

/** An answer's parts in their order, each an item; consecutive text and refusals are one message. */
function encodeAnswer(parts: readonly AssistantPart[], quirks: VendorQuirks, custom_calls: Set<string>): JsonRecord[] {
  const items: JsonRecord[] = [];
  let said: (TextPart | RefusalPart)[] = [];
  const flush = () => {
    if (said.length > 0) items.push({ type: "message", role: "assistant", content: encodeAnswerContent(said) });
    said = [];
  };
  for (const part of parts) {
    if (part.type === "text" || part.type === "refusal") {
      said.push(part);
      continue;
    }
    flush();
    const encoded = part.type === "reasoning" ? encodeReasoningPart(part, quirks) : [encodeCall(part, custom_calls)];
    for (const item of encoded) items.push(item);
  }
  flush();
  return withoutLastReasoning(items);
}

/** Vendors refuse reasoning without the output that it led to, as an answer that was cut may have it. */
function withoutLastReasoning(items: readonly JsonRecord[]): JsonRecord[] {
  const last = items.findLastIndex(({ type }) => type !== "reasoning");
  return items.slice(0, last + 1);
}

function encodeCall({ id, name, arguments: text, kind }: ToolCallPart, custom_calls: Set<string>): JsonRecord {
  if (kind === "function") return { type: "function_call", call_id: id, name, arguments: text === "" ? "{}" : text };
  custom_calls.add(id);
  return { type: "custom_tool_call", call_id: id, name, input: text };
}

/** Reasoning goes back encrypted, in the form of the vendor that made it, or as text. */
function encodeReasoningPart({ text, opaque }: ReasoningPart, quirks: VendorQuirks): readonly JsonRecord[] {
  return opaque === undefined ? replayedText(text, quirks) : [encryptedItem(text, opaque)];
}

function encryptedItem(text: string, { data, id }: Opaque): JsonRecord {
  const summary = text === "" ? [] : [{ type: "summary_text", text }];
  return { type: "reasoning", ...(id !== undefined && { id }), summary, encrypted_content: data };
}
