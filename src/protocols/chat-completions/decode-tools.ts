import type { OutputFormat, Tool, ToolChoice } from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import { declaredCustom, declaredFormat, declaredFunction } from "../shared/declared-tools.ts";
import type { ToolSettings } from "../shared/tool-choice.ts";
import { membersBeyond } from "../shared/tool-lists.ts";
import { cacheOf } from "./decode-content.ts";
import type { ChatCompletionRequest } from "./wire-request.ts";

type ChatTool = NonNullable<ChatCompletionRequest["tools"]>[number];

export function decodeTools({ tools, tool_choice }: ChatCompletionRequest): ToolSettings {
  const declared = (tools ?? []).map(decodeTool);
  if (tool_choice === undefined || tool_choice === null) return { tools: declared };
  const allowed = isObject(tool_choice) && tool_choice.type === "allowed_tools" ? readAllowed(tool_choice) : null;
  if (allowed === null) return { tools: declared, tool_choice: decodeChoice(tool_choice) };
  const kept = declared.filter((tool) => tool.kind === "hosted" || allowed.names.has(tool.name));
  return { tools: kept, tool_choice: { mode: allowed.mode } };
}

const READ = new Set(["type", "function", "custom", "cache_control"]);
const READ_WITHIN = new Set(["name", "description", "parameters", "strict", "format"]);

/** The names of the tools' members that have no meaning for a vendor of another protocol, as `x-camino-ignored` has them. */
export function furtherMembers({ tools }: ChatCompletionRequest): string[] {
  return (tools ?? []).flatMap((tool) => {
    const declared = tool.type === "custom" ? tool.custom : tool.function;
    return [...membersBeyond(tool, READ), ...membersBeyond(declared, READ_WITHIN)].map((name) => `tools.${name}`);
  });
}

function decodeTool(tool: ChatTool): Tool {
  if (tool.type === "custom") {
    const declared: JsonRecord = tool.custom;
    return declaredCustom({ ...declared, format: flatGrammar(declared.format) }, tool.custom.name);
  }
  return { ...declaredFunction(tool.function, tool.function.name), ...cacheOf(tool) };
}

/**
 * In chat, a grammar's definition is nested one level deeper than elsewhere: `{type: "grammar", grammar: {syntax,
 * definition}}`.
 */
function flatGrammar(format: unknown): unknown {
  return isObject(format) && isObject(format.grammar) ? { type: "grammar", ...format.grammar } : format;
}

function decodeChoice(choice: NonNullable<ChatCompletionRequest["tool_choice"]>): ToolChoice {
  if (typeof choice === "string") return { mode: choice };
  const named: JsonRecord = choice;
  const holder = choice.type === "custom" ? named.custom : named.function;
  return { mode: "named", name: isObject(holder) ? plainText(holder.name) : "" };
}

function readAllowed(choice: object): { readonly mode: "auto" | "required"; readonly names: ReadonlySet<string> } {
  const { allowed_tools: allowed } = choice as { allowed_tools?: unknown };
  if (!isObject(allowed) || !Array.isArray(allowed.tools)) throw badAllowed();
  const names = allowed.tools.filter(isObject).map((tool) => {
    const holder = isObject(tool.function) ? tool.function : isObject(tool.custom) ? tool.custom : tool;
    return plainText(holder.name);
  });
  return { mode: allowed.mode === "required" ? "required" : "auto", names: new Set(names) };
}

function badAllowed(): GatewayError {
  const place = "tool_choice.allowed_tools";
  const message = `'${place}' names no tools; allowed: an object with 'mode' and an array 'tools'.`;
  return new GatewayError("unsupported_parameter", message, { param: place });
}

/** The output format; undefined for `text`, the default of every model. */
export function decodeFormat(format: unknown): OutputFormat | undefined {
  if (!isObject(format) || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json-object" };
  const wanted = format.json_schema;
  if (format.type !== "json_schema" || !isObject(wanted) || !isObject(wanted.schema)) throw badFormat(format);
  return declaredFormat(wanted, wanted.schema);
}

function badFormat(format: Record<string, unknown>): GatewayError {
  const found = `of the type ${JSON.stringify(format.type)}`;
  const message = `'response_format' is ${found}; allowed: text, json_object, or json_schema with a 'json_schema.schema'.`;
  return new GatewayError("unsupported_parameter", message, { param: "response_format" });
}
