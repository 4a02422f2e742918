import {
  type Ask,
  type AskedFormat,
  type AskedReasoning,
  type AskedTool,
  BadRequest,
  type ToolChoice,
} from "../../ask.ts";
import { conversationAsk } from "../../conversation.ts";
import type { ModelName } from "../../model-name.ts";
import { isObject, type Json, objectsOf, readCap, readStop, textOf } from "../read.ts";
import { readMessages } from "./read-messages.ts";

/** Reads a messages request, or one for a count of its tokens, which needs no `max_tokens`. */
export function readAsk(model: ModelName, body: Json, headers: Headers, path: string): Ask {
  if (path.endsWith("awPredict")) checkVertex(body, path);
  else checkVersion(body, headers.get("anthropic-version"));
  const output_cap = readCap(body, "max_tokens");
  if (output_cap === null && !path.endsWith("/count_tokens")) throw new BadRequest("max_tokens: Field required");
  const read = readMessages(body, model);
  const tools = objectsOf(body.tools);
  const choice = isObject(body.tool_choice) ? body.tool_choice : {};
  return conversationAsk(model, body, read, {
    stream: body.stream === true,
    declared: tools,
    tools: tools.filter(isCallable).map(readTool),
    tool_choice: readToolChoice(choice),
    parallel_tool_calls: choice.disable_parallel_tool_use === true ? false : null,
    output_cap,
    stop: readStop(body.stop_sequences),
    format: readFormat(body),
    reasoning: readReasoning(body, output_cap),
  });
}

/**
 * On Vertex AI the model is in the path and nowhere else, the version in the body, and the path says whether to
 * stream.
 */
function checkVertex(body: Json, path: string): void {
  if (body.model !== undefined) throw new BadRequest("model: Extra inputs are not permitted");
  if (body.anthropic_version !== "vertex-2023-10-16") throw new BadRequest("anthropic_version: Field required");
  if ((body.stream === true) !== path.endsWith(":streamRawPredict"))
    throw new BadRequest("stream: not as the path says");
}

/** A version is needed, and the one of October 2026 has no sampling parameters. */
function checkVersion(body: Json, version: string | null): void {
  if (version === null) throw new BadRequest("anthropic-version: header is required");
  const refused = version < "2026-10-21" ? [] : ["temperature", "top_p", "top_k"].filter((name) => name in body);
  if (refused[0] !== undefined) throw new BadRequest(`${refused[0]}: Extra inputs are not permitted`);
}

/** Whether the client runs the tool; tools of another type than `custom` are run by the vendor. */
function isCallable(tool: Json): boolean {
  return tool.type === undefined || tool.type === null || tool.type === "custom";
}

function readTool(tool: Json, index: number): AskedTool {
  const name = textOf(tool.name);
  if (name === "") throw new BadRequest(`tools.${index}.name: Field required`);
  if (!isObject(tool.input_schema)) throw new BadRequest(`tools.${index}.input_schema: Field required`);
  return { name, schema: tool.input_schema, description: textOf(tool.description), custom: false };
}

function readToolChoice(choice: Json): ToolChoice {
  if (choice.type === "none") return "none";
  if (choice.type === "any") return "required";
  return choice.type === "tool" ? { name: textOf(choice.name) } : "auto";
}

function readFormat(body: Json): AskedFormat {
  const config = isObject(body.output_config) ? body.output_config : {};
  const format = config.format ?? body.output_format;
  return isObject(format) && format.type === "json_schema"
    ? { type: "schema", schema: format.schema }
    : { type: "text" };
}

const LEAST_BUDGET = 1024;

/** Reads the thinking settings: thinking is off by default, and its budget is part of `max_tokens`. */
function readReasoning(body: Json, output_cap: number | null): AskedReasoning {
  const thinking = isObject(body.thinking) ? body.thinking : {};
  const config = isObject(body.output_config) ? body.output_config : {};
  const effort = typeof config.effort === "string" ? config.effort : null;
  if (thinking.type === "enabled") {
    const budget = readCap(thinking, "budget_tokens");
    if (budget === null) throw new BadRequest("thinking.enabled.budget_tokens: Field required");
    if (budget < LEAST_BUDGET) {
      throw new BadRequest("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
    }
    if (output_cap !== null && budget >= output_cap) {
      throw new BadRequest("`max_tokens` must be greater than `thinking.budget_tokens`.");
    }
  }
  return { wanted: thinking.type === "enabled" || thinking.type === "adaptive", effort, encrypted: true };
}
