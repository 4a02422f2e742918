import type { ClientRequest } from "../../core/answer/exchange.ts";
import type {
  GenerationRequest,
  Message,
  OutputFormat,
  ReasoningSetting,
  SystemMessage,
  TextPart,
} from "../../core/answer/generation.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { cacheOf, onlyInMessages } from "./decode-content.ts";
import { decodeMessages } from "./decode-messages.ts";
import { decodeChoice, decodeTool, furtherMembers } from "./decode-tools.ts";
import type { CacheControl, WireRequest, WireText } from "./wire-blocks.ts";

/** A checked body: the members that are read here, and all others that the client sent. */
type MessagesBody = WireRequest & JsonRecord;

/**
 * Decodes a messages request into its neutral form (docs/api.md 4.3). The body was checked when it arrived. Throws a
 * GatewayError for members that only a vendor of messages can honour.
 */
export function decodeRequest({ body: checked, text, model, stream, output_cap }: ClientRequest): GenerationRequest {
  const body = checked as MessagesBody;
  refusePlace(body.inference_geo);
  const { messages, left_out } = decodeMessages(body.messages, text);
  const { user_id } = body.metadata ?? {};
  const reasoning = decodeReasoning(body);
  const format = decodeFormat(body.output_config?.format ?? body.output_format, "output_config.format");
  return {
    model,
    stream,
    messages: [...decodeSystem(body.system), ...withAutomaticCache(messages, body.cache_control)],
    tools: (body.tools ?? []).map(decodeTool),
    ...decodeChoice(body.tool_choice),
    max_output_tokens: output_cap ?? body.max_tokens,
    ...(body.temperature !== undefined && { temperature: body.temperature }),
    ...(body.top_p !== undefined && { top_p: body.top_p }),
    ...(body.top_k !== undefined && { top_k: body.top_k }),
    ...(body.stop_sequences?.length && { stop: body.stop_sequences }),
    ...(reasoning && { reasoning }),
    ...(format && { format }),
    ...(user_id && { end_user: user_id }),
    ...(body.service_tier && { service_tier: body.service_tier === "standard_only" ? "default" : body.service_tier }),
    extras: extrasOf(body, left_out),
  };
}

function decodeSystem(system: string | readonly WireText[] | undefined): SystemMessage[] {
  if (system === undefined || system.length === 0) return [];
  const blocks: readonly WireText[] = typeof system === "string" ? [{ type: "text", text: system }] : system;
  const content = blocks.map((block) => ({ type: "text" as const, text: block.text, ...cacheOf(block) }));
  return [{ role: "system", authority: "system", content }];
}

/** At the top level of a request `cache_control` means a cache hint at the last place that may have a hint. */
function withAutomaticCache(
  messages: readonly Message[],
  cache_control: CacheControl | null | undefined,
): readonly Message[] {
  if (!cache_control) return messages;
  const hint = cacheOf({ cache_control });
  const last = messages.at(-1);
  if (last?.role === "tool") return [...messages.slice(0, -1), { ...last, ...hint }];
  if (last?.role === "system") return [...messages.slice(0, -1), { ...last, content: withHint(last.content, hint) }];
  if (last?.role !== "user") return messages;
  const part = last.content.at(-1);
  if (part === undefined || part.type === "audio" || part.type === "video") return messages;
  return [...messages.slice(0, -1), { ...last, content: [...last.content.slice(0, -1), { ...part, ...hint }] }];
}

function withHint(parts: readonly TextPart[], hint: Pick<TextPart, "cache">): TextPart[] {
  return parts.map((part, index) => (index === parts.length - 1 ? { ...part, ...hint } : part));
}

/** Refuses a place of computation: the client may have promised it to others, so it is never left out silently. */
function refusePlace(inference_geo: unknown): void {
  if (inference_geo === undefined || inference_geo === null || inference_geo === "global") return;
  throw onlyInMessages("inference_geo", `the region ${JSON.stringify(inference_geo)}`);
}

/** Members that are read above. */
const READ: ReadonlySet<string> = new Set([
  ...["model", "messages", "system", "max_tokens", "stream", "tools", "tool_choice", "thinking", "output_config"],
  ...["output_format", "temperature", "top_p", "top_k", "stop_sequences", "metadata", "service_tier", "cache_control"],
  ...["inference_geo"],
]);

function extrasOf(body: MessagesBody, left_out: ReadonlySet<string>): JsonRecord {
  const extras: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) if (!READ.has(name) && isAsked(name, value)) extras[name] = value;
  for (const [name, value] of Object.entries(body.output_config ?? {})) {
    if (name !== "effort" && name !== "format" && isAsked(name, value)) extras[`output_config.${name}`] = value;
  }
  for (const [name, value] of Object.entries(body.metadata ?? {})) {
    if (name !== "user_id" && isAsked(name, value)) extras[`metadata.${name}`] = value;
  }
  for (const tool of body.tools ?? []) for (const name of furtherMembers(tool)) extras[`tools.${name}`] = true;
  for (const type of left_out) extras[`messages.${type}`] = true;
  const { type: _, budget_tokens, display, ...further } = body.thinking ?? {};
  for (const [name, value] of Object.entries(further)) if (isAsked(name, value)) extras[`thinking.${name}`] = value;
  if (display === "updates") extras["thinking.display"] = display;
  // The type asks for thinking between tool calls only; the nearest setting of other protocols is thinking in general.
  if (body.thinking?.type === "between_tools") extras["thinking.type"] = body.thinking.type;
  return extras;
}

function isAsked(name: string, value: unknown): boolean {
  return value !== undefined && value !== null && !(name === "speed" && value === "standard");
}

/**
 * The reasoning setting of `thinking` and `output_config.effort` (docs/rulings.md 12). Undefined where neither is set.
 */
function decodeReasoning({ thinking, output_config }: WireRequest): ReasoningSetting | undefined {
  const effort = output_config?.effort;
  const level = effort ? { effort } : {};
  if (thinking === undefined) return effort ? level : undefined;
  if (thinking.type === "disabled") return { enabled: false };
  return {
    enabled: true,
    ...level,
    ...(thinking.budget_tokens !== undefined && { budget_tokens: thinking.budget_tokens }),
    ...(thinking.display === "summarized" && { show: "auto" as const }),
    ...(thinking.display === "omitted" && { show: "none" as const }),
    // Clients of this protocol always get the signed form, and send it back.
    want_opaque: true,
  };
}

/**
 * `output_config.format`. Other protocols require a name for a format; this protocol has none, so a fixed name is used.
 */
function decodeFormat(format: unknown, place: string): OutputFormat | undefined {
  if (!isObject(format)) return undefined;
  const { type, schema } = format;
  if (type !== "json_schema" || !isObject(schema)) {
    throw onlyInMessages(place, `a format of the type ${JSON.stringify(type)} or without a schema`);
  }
  return { type: "json-schema", name: "answer", schema, ...(isStrict(schema) && { strict: true }) };
}

/**
 * Whether a schema is strict: each of its objects is closed, and all members are required. This protocol always
 * guarantees the schema; style A guarantees it only for `strict`, which accepts only such schemas.
 */
export function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isObject(schema)) return true;
  return isClosed(schema) && Object.values(schema).every(isStrict);
}

function isClosed(schema: JsonRecord): boolean {
  if (!isObject(schema.properties)) return schema.type !== "object";
  if (schema.additionalProperties !== false) return false;
  const required: ReadonlySet<unknown> = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.keys(schema.properties).every((name) => required.has(name));
}
