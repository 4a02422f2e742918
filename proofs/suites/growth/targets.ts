import type { Target } from "../../../src/core/answer/exchange.ts";
import type { Protocol } from "../../../src/core/endpoints.ts";
import type { Price } from "../../../src/core/money/price.ts";
import { type TargetOptions, targetFor } from "../../support/target.ts";

/** Targets of every protocol of vendors, with the quirks that make translation and relay do more. */

const PRICE: Price = {
  ...{ version: "v", from_ms: 0, tiers: [] },
  ...{ input_micro_per_mtok: 1, output_micro_per_mtok: 1, cache_read_micro_per_mtok: 1, cache_write_micro_per_mtok: 1 },
  calls_micro_per_kcall: { file_search: 1 },
};

const THINKS: TargetOptions = {
  capabilities: { thinking: true, reasoning: { effort: ["low", "high"] } },
  input_modalities: ["text", "image"],
};

function target(protocol: Protocol, options: TargetOptions = {}): Target {
  return { ...targetFor(protocol, { ...THINKS, ...options }), price: PRICE };
}

export const TARGETS: Readonly<Record<string, Target>> = {
  "chat completions": target("chat-completions"),
  "chat completions of a strict vendor": target("chat-completions", {
    quirks: {
      no_developer_role: true,
      strict_turns: true,
      system_first: true,
      max_tokens_only: true,
      unsupported_answer_fields: ["reasoning_details"],
      unsupported_fields: ["response_format", "metadata"],
    },
  }),
  "chat completions that want their reasoning back": target("chat-completions", {
    quirks: { reasoning_replay: "reasoning_content" },
  }),
  "chat completions that want details back": target("chat-completions", {
    quirks: { reasoning_replay: "reasoning_details" },
  }),
  "chat completions that want signatures back": target("chat-completions", {
    quirks: { reasoning_replay: "extra_content" },
  }),
  responses: target("responses"),
  "responses of a strict vendor": target("responses", {
    quirks: { no_developer_role: true, unsupported_fields: ["text"] },
  }),
  messages: target("messages", { mid_system: true }),
  "messages of a strict vendor": target("messages", {
    quirks: { user_first: true, reasoning_replay: "reasoning_content", unsupported_fields: ["stop_sequences"] },
  }),
  gemini: target("gemini"),
  "gemini without ids of calls": target("gemini", { quirks: { no_call_ids: true }, capabilities: { thinking: false } }),
  "bedrock-converse": target("bedrock-converse", { upstream_model: "anthropic.claude-sonnet-4-5" }),
};
