import { type Ask, type AskedFormat, type AskedTool, BadRequest, type ToolChoice } from "../../ask.ts";
import { conversationAsk } from "../../conversation.ts";
import type { ModelName } from "../../model-name.ts";
import { isObject, type Json, objectsOf, readCap, textOf } from "../read.ts";
import { readInput } from "./read-input.ts";

export function readAsk(model: ModelName, body: Json): Ask {
  const tools = objectsOf(body.tools);
  const reasoning = isObject(body.reasoning) ? body.reasoning : {};
  return conversationAsk(model, body, readInput(body), {
    stream: body.stream === true,
    declared: tools,
    tools: allowed(tools.filter(isCallable).map(readTool), body.tool_choice),
    tool_choice: readToolChoice(body.tool_choice),
    parallel_tool_calls: typeof body.parallel_tool_calls === "boolean" ? body.parallel_tool_calls : null,
    output_cap: readCap(body, "max_output_tokens"),
    format: readFormat(isObject(body.text) ? body.text.format : undefined),
    reasoning: {
      wanted: reasoning.effort !== "none",
      effort: typeof reasoning.effort === "string" ? reasoning.effort : null,
      encrypted: Array.isArray(body.include) && body.include.includes("reasoning.encrypted_content"),
    },
  });
}

/** Whether the client runs the tool; hosted tools (such as web search) are run by the vendor. */
function isCallable(tool: Json): boolean {
  return tool.type === "function" || tool.type === "custom";
}

function readTool(tool: Json, index: number): AskedTool {
  const name = textOf(tool.name);
  if (name === "") throw new BadRequest(`Missing required parameter: 'tools[${index}].name'.`, `tools[${index}].name`);
  return { name, schema: tool.parameters, description: textOf(tool.description), custom: tool.type === "custom" };
}

function readToolChoice(choice: unknown): ToolChoice {
  if (choice === "none" || choice === "required") return choice;
  if (!isObject(choice)) return "auto";
  if (choice.type === "allowed_tools") return choice.mode === "required" ? "required" : "auto";
  return typeof choice.name === "string" ? { name: choice.name } : "auto";
}

/** The declared tools, narrowed by `allowed_tools`. */
function allowed(tools: readonly AskedTool[], choice: unknown): readonly AskedTool[] {
  if (!isObject(choice) || choice.type !== "allowed_tools") return tools;
  const names = objectsOf(choice.tools).map(({ name }) => name);
  return tools.filter(({ name }) => names.includes(name));
}

function readFormat(format: unknown): AskedFormat {
  if (!isObject(format)) return { type: "text" };
  if (format.type === "json_object") return { type: "json" };
  return format.type === "json_schema" ? { type: "schema", schema: format.schema } : { type: "text" };
}
