import { type Ask, type AskedReasoning, type AskedTool, BadRequest, type ToolChoice } from "../../ask.ts";
import { conversationAsk } from "../../conversation.ts";
import type { ModelName } from "../../model-name.ts";
import { isObject, type Json, objectsOf, readCap, readStop, textOf } from "../read.ts";
import { type Family, readPath } from "./path.ts";
import { readMessages } from "./read-messages.ts";

const REQUEST = [
  "messages",
  "system",
  "inferenceConfig",
  "toolConfig",
  "guardrailConfig",
  "additionalModelRequestFields",
  "additionalModelResponseFieldPaths",
  "promptVariables",
  "requestMetadata",
  "performanceConfig",
  "serviceTier",
  "outputConfig",
];
const INFERENCE = ["maxTokens", "temperature", "topP", "stopSequences"];

export function readAsk(model: ModelName, body: Json, _headers: Headers, path: string): Ask {
  const { stream = false, family = "other" } = readPath(path) ?? {};
  checkKnown(body, REQUEST, "");
  const inference = isObject(body.inferenceConfig) ? body.inferenceConfig : {};
  checkKnown(inference, INFERENCE, "inferenceConfig/");
  checkRange(inference.temperature, "temperature");
  checkRange(inference.topP, "topP");
  const output_cap = readCap(inference, "maxTokens");
  const read = readMessages(body);
  const config = isObject(body.toolConfig) ? body.toolConfig : null;
  if (config === null && read.has_tool_blocks) {
    throw new BadRequest("The toolConfig field must be defined when using toolUse and toolResult content blocks.");
  }
  const tools = objectsOf(config?.tools).flatMap((tool) => (isObject(tool.toolSpec) ? [tool.toolSpec] : []));
  const own_choice = ownChoice(body, config);
  return conversationAsk(model, body, read, {
    stream,
    declared: tools,
    tools: tools.map(readTool),
    tool_choice: own_choice === null ? readToolChoice(config?.toolChoice) : readOwnChoice(own_choice),
    parallel_tool_calls: own_choice?.disable_parallel_tool_use === true ? false : null,
    output_cap,
    stop: readStop(inference.stopSequences),
    reasoning: readFields(body, family, output_cap),
    path,
  });
}

function checkKnown(value: Json, known: readonly string[], at: string): void {
  const unknown = Object.keys(value).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    throw new BadRequest(`The model returned the following errors: extraneous key [${at}${unknown}] is not permitted`);
  }
}

function checkRange(value: unknown, field: string): void {
  if (value === undefined || (typeof value === "number" && value >= 0 && value <= 1)) return;
  throw new BadRequest(
    `1 validation error detected: Value '${String(value)}' at 'inferenceConfig.${field}' failed to satisfy constraint: Member must have value less than or equal to 1`,
  );
}

function readTool(spec: Json, index: number): AskedTool {
  const name = textOf(spec.name);
  const schema = isObject(spec.inputSchema) ? spec.inputSchema.json : undefined;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    throw new BadRequest(`toolConfig.tools.${index}.toolSpec.name is not valid.`);
  if (spec.description === "") throw new BadRequest(`toolConfig.tools.${index}.toolSpec.description is too short.`);
  if (!isObject(schema) || schema.type !== "object") {
    throw new BadRequest(
      `The value at toolConfig.tools.${index}.toolSpec.inputSchema.json.type must be one of: object.`,
    );
  }
  return { name, schema, description: textOf(spec.description), custom: false };
}

function readToolChoice(choice: unknown): ToolChoice {
  if (!isObject(choice)) return "auto";
  if (isObject(choice.tool)) return { name: textOf(choice.tool.name) };
  return "any" in choice ? "required" : "auto";
}

/** Anthropic's own `tool_choice`, which excludes Converse's. */
function ownChoice(body: Json, config: Json | null): Json | null {
  const fields = isObject(body.additionalModelRequestFields) ? body.additionalModelRequestFields : {};
  if (!isObject(fields.tool_choice)) return null;
  if (isObject(config?.toolChoice)) {
    throw new BadRequest(
      "The additional field tool_choice/type conflicts with the existing field toolConfig.toolChoice.",
    );
  }
  return fields.tool_choice;
}

function readOwnChoice(choice: Json): ToolChoice {
  if (choice.type === "tool") return { name: textOf(choice.name) };
  if (choice.type === "none") return "none";
  return choice.type === "any" ? "required" : "auto";
}

/** The fields that each maker's models take besides the common shape. */
const FIELDS: Readonly<Record<Family, readonly string[]>> = {
  anthropic: ["thinking", "output_config", "top_k", "tool_choice", "anthropic_beta"],
  amazon: ["inferenceConfig", "reasoningConfig"],
  openai: ["reasoning_effort"],
  other: [],
};

const LEAST_BUDGET = 1024;

/** Reads `additionalModelRequestFields` for the reasoning settings, and refuses fields that the maker does not know. */
function readFields(body: Json, family: Family, output_cap: number | null): AskedReasoning {
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
