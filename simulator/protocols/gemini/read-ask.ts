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
import { findSimulatedModel } from "../../models.ts";
import { isObject, type Json, objectsOf, readCap, readStop, textOf } from "../read.ts";
import { checkKnown, KNOWN } from "./known-fields.ts";
import { readPath } from "./path.ts";
import { readContents } from "./read-contents.ts";

const MOST_STOP_SEQUENCES = 5;

/** Reads a `generateContent` request. */
export function readAsk(model: ModelName, body: Json, _headers: Headers, path: string): Ask {
  const { stream = false, vertex = false } = readPath(path) ?? {};
  checkKnown(body, KNOWN.request, "");
  const config = isObject(body.generationConfig) ? body.generationConfig : {};
  checkKnown(config, KNOWN.config, "generation_config");
  const is_older = model.params.text("like", "") === "gemini-2.5";
  const signed_calls = !is_older && findSimulatedModel(model.name)?.capabilities.thinking === true;
  const read = readContents(body, { vertex, signed_calls });
  const tools = objectsOf(body.tools).flatMap((tool) => objectsOf(tool.functionDeclarations));
  const stop = readStop(config.stopSequences);
  if (stop.length > MOST_STOP_SEQUENCES) throw new BadRequest("stop_sequences: at most 5 are supported.");
  return conversationAsk(model, body, read, {
    stream,
    declared: tools,
    tools: tools.map(readTool),
    tool_choice: readToolChoice(body.toolConfig),
    output_cap: readCap(config, "maxOutputTokens"),
    stop,
    format: readFormat(config),
    reasoning: readReasoning(config.thinkingConfig),
    choices: readCap(config, "candidateCount") ?? 1,
    path,
  });
}

function readTool(declaration: Json, index: number): AskedTool {
  const name = textOf(declaration.name);
  if (!/^[A-Za-z_][\w.:-]{0,127}$/.test(name)) {
    throw new BadRequest(`tools[0].function_declarations[${index}].name: Invalid function name.`);
  }
  const schema = declaration.parametersJsonSchema ?? ownDialect(declaration.parameters);
  return { name, schema, description: textOf(declaration.description), custom: false };
}

/** A schema of the API's own dialect, which has its types in capitals. */
function ownDialect(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(ownDialect);
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).map(([name, value]) => [
    name,
    name === "type" && typeof value === "string" ? value.toLowerCase() : ownDialect(value),
  ]);
  return Object.fromEntries(members) as unknown;
}

function readToolChoice(config: unknown): ToolChoice {
  const calling = isObject(config) && isObject(config.functionCallingConfig) ? config.functionCallingConfig : {};
  const allowed: unknown[] = Array.isArray(calling.allowedFunctionNames) ? calling.allowedFunctionNames : [];
  if (calling.mode === "NONE") return "none";
  if (calling.mode !== "ANY") return "auto";
  return allowed.length === 1 ? { name: textOf(allowed[0]) } : "required";
}

function readFormat(config: Json): AskedFormat {
  const schema = config.responseJsonSchema ?? ownDialect(config.responseSchema);
  if (config.responseMimeType !== "application/json") return { type: "text" };
  return schema === undefined ? { type: "json" } : { type: "schema", schema };
}

/** Reads the thinking settings: thinking is on by default, and a budget of 0 turns it off. */
function readReasoning(config: unknown): AskedReasoning {
  const { thinkingBudget, thinkingLevel } = isObject(config) ? config : {};
  if (thinkingBudget !== undefined && thinkingLevel !== undefined) {
    throw new BadRequest("You can only set only one of thinking budget and thinking level.");
  }
  const effort = typeof thinkingLevel === "string" ? thinkingLevel.toLowerCase() : null;
  return { wanted: thinkingBudget !== 0, effort, encrypted: true };
}
