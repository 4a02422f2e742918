import type { EncodedRequest, RequestField } from "../../core/codec.ts";
import type { Target } from "../../core/exchange.ts";
import type { GenerationRequest, OutputFormat } from "../../core/generation.ts";
import { unsaidDetail, unsaidStrictness } from "../shared/unsaid.ts";
import { encodeConversation } from "./encode-messages.ts";
import { encodeSampling } from "./encode-sampling.ts";
import { encodeThinking } from "./encode-thinking.ts";
import { encodeTools } from "./encode-tools.ts";
import { fitSchema } from "./fit-schema.ts";
import { COMMON_VERSION } from "./sent-version.ts";
import type { WireOutputConfig, WireRequest } from "./wire-blocks.ts";

/** The version of the protocol that vendors get. */
const HEADERS = { "anthropic-version": COMMON_VERSION };

/**
 * The output cap where neither the client nor the catalogue sets one: this protocol requires a cap, and every current
 * model can write that much.
 */
export const DEFAULT_MAX_TOKENS = 8192;

/** Encodes a neutral request for one target. */
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
