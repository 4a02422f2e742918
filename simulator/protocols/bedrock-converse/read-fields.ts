import { type AskedReasoning, BadRequest } from "../../ask.ts";
import { isObject, type Json } from "../read.ts";
import type { Family } from "./path.ts";

/** The fields that each maker's models take besides the common shape. */
const FIELDS: Readonly<Record<Family, readonly string[]>> = {
  anthropic: ["thinking", "output_config", "top_k", "tool_choice", "anthropic_beta"],
  amazon: ["inferenceConfig", "reasoningConfig"],
  openai: ["reasoning_effort"],
  other: [],
};

const LEAST_BUDGET = 1024;

/** Reads `additionalModelRequestFields` for the reasoning settings, and refuses fields that the maker does not know. */
export function readFields(body: Json, family: Family, output_cap: number | null): AskedReasoning {
  const fields = isObject(body.additionalModelRequestFields) ? body.additionalModelRequestFields : {};
  const unknown = Object.keys(fields).find((field) => !FIELDS[family].includes(field));
  if (unknown !== undefined) {
    throw new BadRequest(`The model returned the following errors: ${unknown}: Extra inputs are not permitted`);
  }
  switch (family) {
    case "anthropic":
      return readThinking(body, fields, output_cap);
    case "amazon": {
      const config = isObject(fields.reasoningConfig) ? fields.reasoningConfig : {};
      return { wanted: config.type === "enabled", effort: textOrNull(config.maxReasoningEffort), encrypted: true };
    }
    case "openai":
      return { wanted: true, effort: textOrNull(fields.reasoning_effort), encrypted: true };
    case "other":
      return { wanted: true, effort: null, encrypted: true };
  }
}

/** Thinking has to be turned on; it excludes forced calls and most of sampling, and its budget is part of the cap. */
function readThinking(body: Json, fields: Json, output_cap: number | null): AskedReasoning {
  const thinking = isObject(fields.thinking) ? fields.thinking : {};
  const wanted = thinking.type === "enabled" || thinking.type === "adaptive";
  const effort = isObject(fields.output_config) ? textOrNull(fields.output_config.effort) : null;
  if (!wanted) return { wanted, effort, encrypted: true };
  const choice = isObject(body.toolConfig) && isObject(body.toolConfig.toolChoice) ? body.toolConfig.toolChoice : {};
  if ("any" in choice || "tool" in choice) {
    throw new BadRequest("Thinking may not be enabled when tool_choice forces tool use.");
  }
  const inference = isObject(body.inferenceConfig) ? body.inferenceConfig : {};
  if (inference.temperature !== undefined && inference.temperature !== 1) {
    throw new BadRequest("`temperature` may only be set to 1 when thinking is enabled.");
  }
  if (thinking.type === "enabled") checkBudget(thinking.budget_tokens, output_cap);
  return { wanted, effort, encrypted: true };
}

function checkBudget(budget: unknown, output_cap: number | null): void {
  if (typeof budget !== "number" || budget < LEAST_BUDGET) {
    throw new BadRequest("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
  }
  if (output_cap !== null && budget >= output_cap) {
    throw new BadRequest("`max_tokens` must be greater than `thinking.budget_tokens`.");
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
