import type { EncodedRequest, RequestField } from "../../core/answer/codec.ts";
import type { Target } from "../../core/answer/exchange.ts";
import type { FunctionTool, GenerationRequest, OutputFormat, Tool } from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import { unsaidDetail, unsaidStrictness } from "../shared/unsaid.ts";
import { cacheControl } from "./encode-content.ts";
import { encodeConversation, type MessageTurn } from "./encode-messages.ts";
import { encodeThinking } from "./encode-thinking.ts";
import { fitSchema } from "./fit-schema.ts";
import { COMMON_VERSION } from "./sent-version.ts";
import type { WireOutputConfig, WireRequest, WireTool, WireToolChoice } from "./wire-blocks.ts";

/** The version of the protocol that vendors get. */
const HEADERS = { "anthropic-version": COMMON_VERSION };

/**
 * The output cap where neither the client nor the catalogue sets one: this protocol requires a cap, and every current
 * model can write that much.
 */
export const DEFAULT_MAX_TOKENS = 8192;

export function encodeRequest(request: GenerationRequest, target: Target): EncodedRequest {
  const ignored: RequestField[] = [];
  const max_tokens = request.max_output_tokens ?? target.model.max_completion_tokens ?? DEFAULT_MAX_TOKENS;
  const { system, turns } = encodeConversation(request.messages, target.vendor.quirks, wantsThinking(request));
  const { thinking, effort, ignored: unthought } = encodeThinking(request, turns, target, max_tokens);
  if (unthought) ignored.push("reasoning");
  const thinks = thinking !== undefined && thinking.type !== "disabled";
  const output_config = encodeOutput(effort, request.format);
  const body: WireRequest = {
    model: target.upstream_model,
    max_tokens,
    ...(system.length > 0 && { system }),
    messages: turns,
    ...encodeTools(request, turns),
    ...(thinking && { thinking }),
    ...(output_config && { output_config }),
    ...encodeSampling(request, thinks, ignored),
    ...(request.stop && { stop_sequences: request.stop }),
    ...(request.end_user !== undefined && { metadata: { user_id: request.end_user } }),
    ...encodeTier(request.service_tier, ignored),
    ...(request.stream && { stream: true }),
  };
  const taken = withoutRefused(body, target, ignored);
  return {
    path: "/messages",
    body: JSON.stringify(taken),
    headers: HEADERS,
    ignored: [...ignored, ...unsaidStrictness(request.tools), ...unsaidDetail(request.messages, ["image", "document"])],
  };
}

function wantsThinking({ reasoning }: GenerationRequest): boolean {
  return reasoning?.enabled !== false && reasoning?.effort !== "none";
}

/** Members that a vendor may refuse and that no trait covers, each with the request field that it carries. */
const REFUSABLE = { thinking: "reasoning", output_config: "reasoning", tool_choice: "tool_choice" } as const;

function withoutRefused(body: WireRequest, { vendor }: Target, ignored: RequestField[]): WireRequest {
  const taken: { -readonly [Name in keyof WireRequest]: WireRequest[Name] } = { ...body };
  for (const field of vendor.quirks.unsupported_fields ?? []) {
    if (field !== "thinking" && field !== "output_config" && field !== "tool_choice") continue;
    if (taken[field] !== undefined) ignored.push(REFUSABLE[field]);
    delete taken[field];
  }
  return taken;
}

function encodeOutput(effort: string | undefined, format: OutputFormat | undefined): WireOutputConfig | undefined {
  const schema = format?.type === "json-schema" ? fitSchema(describedSchema(format)) : null;
  if (effort === undefined && schema === null) return undefined;
  return {
    ...(effort !== undefined && { effort }),
    ...(schema !== null && { format: { type: "json_schema", schema } }),
  };
}

/** The schema with the format's description in it; this protocol has no other place for a description. */
function describedSchema({ schema, description }: Extract<OutputFormat, { type: "json-schema" }>) {
  return description === undefined || schema.description !== undefined ? schema : { description, ...schema };
}

/** Style A's default tier is `standard_only` here; its other tiers have no counterpart. */
function encodeTier(tier: string | undefined, ignored: RequestField[]): Pick<WireRequest, "service_tier"> {
  switch (tier) {
    case undefined:
      return {};
    case "auto":
      return { service_tier: "auto" };
    case "default":
      return { service_tier: "standard_only" };
    default:
      ignored.push("service_tier");
      return {};
  }
}

interface EncodedSampling {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
}

/** The highest temperature of this protocol; style A allows up to 2. */
const MAX_TEMPERATURE = 1;
/** The lowest `top_p` that vendors accept with thinking. */
const LEAST_TOP_P_THINKING = 0.95;

/**
 * The sampling parameters. Vendors accept temperature or top_p, not both; with thinking they accept no temperature, no
 * top_k and only a high top_p. Parameters that are left out are added to `ignored`.
 */
function encodeSampling(request: GenerationRequest, thinks: boolean, ignored: RequestField[]): EncodedSampling {
  const temperature = thinks ? leftOut("temperature", request.temperature, 1) : request.temperature;
  const top_k = thinks ? leftOut("top_k", request.top_k) : request.top_k;
  const has_both = temperature !== undefined && request.top_p !== undefined;
  const is_low = thinks && request.top_p !== undefined && request.top_p < LEAST_TOP_P_THINKING;
  const top_p = has_both || is_low ? leftOut("top_p", request.top_p, 1) : request.top_p;
  if (temperature !== undefined && temperature > MAX_TEMPERATURE) ignored.push("temperature");
  return {
    ...(temperature !== undefined && { temperature: Math.min(temperature, MAX_TEMPERATURE) }),
    ...(top_p !== undefined && { top_p }),
    ...(top_k !== undefined && { top_k }),
  };

  function leftOut(field: "temperature" | "top_p" | "top_k", value: number | undefined, usual?: number): undefined {
    if (value !== undefined && value !== usual) ignored.push(field);
    return undefined;
  }
}

interface SentTools {
  readonly tools?: readonly WireTool[];
  readonly tool_choice?: WireToolChoice;
}

/**
 * The tools and how the model may use them. The API requires the tools of calls in the conversation; where the client
 * no longer offers them, they are declared by name only, and calls are forbidden.
 */
function encodeTools(request: GenerationRequest, turns: readonly MessageTurn[]): SentTools {
  if (request.tools.length === 0) {
    const called = calledNames(turns);
    if (called.length === 0) return {};
    return { tools: called.map((name) => ({ name, input_schema: ANY_OBJECT })), tool_choice: { type: "none" } };
  }
  const tool_choice = encodeChoice(request);
  return { tools: request.tools.map(encodeTool), ...(tool_choice !== null && { tool_choice }) };
}

const ANY_OBJECT = { type: "object" };

function calledNames(turns: readonly MessageTurn[]): string[] {
  const blocks = turns.flatMap(({ content }) => content);
  return [...new Set(blocks.flatMap((block) => (block.type === "tool_use" ? [block.name] : [])))];
}

function encodeTool(tool: Tool): WireTool {
  switch (tool.kind) {
    case "function":
      return encodeFunction(tool);
    case "hosted":
      return tool.raw;
    case "custom":
      throw new GatewayError("internal_error", "A custom tool came where none can be said.");
  }
}

function encodeFunction({ name, description, parameters = {}, cache }: FunctionTool): WireTool {
  return {
    name,
    ...(description !== undefined && { description }),
    input_schema: { ...ANY_OBJECT, ...parameters },
    ...cacheControl(cache),
  };
}

function encodeChoice({ tool_choice, parallel_tool_calls }: GenerationRequest): WireToolChoice | null {
  const serial = parallel_tool_calls === false && { disable_parallel_tool_use: true };
  if (tool_choice === undefined) return serial ? { type: "auto", ...serial } : null;
  switch (tool_choice.mode) {
    case "auto":
      return { type: "auto", ...serial };
    case "none":
      return { type: "none" };
    case "required":
      return { type: "any", ...serial };
    case "named":
      return { type: "tool", name: tool_choice.name, ...serial };
  }
}
