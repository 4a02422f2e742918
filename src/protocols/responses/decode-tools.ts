import type { Tool } from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import { declaredCustom, declaredFunction } from "../shared/declared-tools.ts";
import { type ChoosableTool, choosable, type NamedChoice, type ToolSettings } from "../shared/tool-choice.ts";
import { membersBeyond } from "../shared/tool-lists.ts";
import { flatName, nameOf } from "./namespaces.ts";

/** `added` are tools that items of the conversation brought; a tool that is declared twice counts once. */
export function decodeToolSettings(body: JsonRecord, added: readonly Tool[]): ToolSettings {
  const tools = withoutRepeated([...decodeTools(body.tools), ...added]);
  const choice = body.tool_choice ?? null;
  if (choice === null) return { tools };
  if (typeof choice === "string") return { tools, tool_choice: { mode: choice as "auto" | "none" | "required" } };
  const named = choice as JsonRecord;
  if (named.type !== "allowed_tools") return { tools, tool_choice: decodeChoice(named) };
  const allowed = readAllowed(named);
  return { tools: tools.filter((tool) => allowed.has(keyOf(choosable(tool)))), tool_choice: { mode: modeOf(named) } };
}

/** The tools of a list; tools in a namespace get one flat name each. */
export function decodeTools(tools: unknown): Tool[] {
  if (!Array.isArray(tools)) return [];
  return tools.filter(isObject).flatMap((tool) => {
    if (tool.type !== "namespace" || !Array.isArray(tool.tools)) return [decodeTool(tool, plainText(tool.name))];
    const namespace = plainText(tool.name);
    return tool.tools.filter(isObject).map((nested) => decodeTool(nested, flatName(namespace, plainText(nested.name))));
  });
}

function decodeTool(tool: JsonRecord, name: string): Tool {
  switch (tool.type) {
    case "function":
      return declaredFunction(tool, name);
    case "custom":
      return declaredCustom(tool, name);
    default:
      return { kind: "hosted", type: plainText(tool.type), name: plainText(tool.type), raw: tool };
  }
}

const READ: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ["function", new Set(["type", "name", "description", "parameters", "strict"])],
  ["custom", new Set(["type", "name", "description", "format"])],
]);

/** The names of the members of the client's own tools that have no meaning for a vendor of another protocol. */
export function furtherMembers(tools: unknown): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.filter(isObject).flatMap((tool) => {
    if (tool.type === "namespace") return furtherMembers(tool.tools);
    const read = READ.get(tool.type);
    return read === undefined ? [] : membersBeyond(tool, read);
  });
}

/** A hosted tool is chosen by its type; a choice of `mcp` may name one of its server's tools beside it. */
export function decodeChoice(choice: JsonRecord): NamedChoice {
  if (isClients(choice)) return { mode: "named", name: nameOf(choice) };
  return { mode: "named", name: plainText(choice.type), hosted: true };
}

function isClients({ type }: JsonRecord): boolean {
  return type === "function" || type === "custom";
}

function readAllowed({ tools }: JsonRecord): ReadonlySet<string> {
  if (Array.isArray(tools) && tools.every(isObject))
    return new Set(tools.map((tool) => keyOf({ name: decodeChoice(tool).name, is_hosted: !isClients(tool) })));
  const message = "'tool_choice.tools' names no tools; allowed: an array of objects with the type and name of a tool.";
  throw new GatewayError("invalid_responses_input", message, { param: "tool_choice.tools" });
}

function modeOf({ mode }: JsonRecord): "auto" | "required" {
  return mode === "required" ? "required" : "auto";
}

function withoutRepeated(tools: readonly Tool[]): Tool[] {
  const seen = new Set<string>();
  return tools.filter((tool) => {
    if (tool.kind === "hosted") return true;
    const is_new = !seen.has(tool.name);
    seen.add(tool.name);
    return is_new;
  });
}

/** A function may be called as a tool of the vendor's is. */
function keyOf({ name, is_hosted }: ChoosableTool): string {
  return is_hosted ? `<${name}>` : name;
}
