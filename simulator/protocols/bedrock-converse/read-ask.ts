import { type Ask, type AskedTool, BadRequest, type ToolChoice } from "../../ask.ts";
import { conversationAsk } from "../../conversation.ts";
import type { ModelName } from "../../model-name.ts";
import { isObject, type Json, objectsOf, readCap, readStop, textOf } from "../read.ts";
import { readPath } from "./path.ts";
import { readFields } from "./read-fields.ts";
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
