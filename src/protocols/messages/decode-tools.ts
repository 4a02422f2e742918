import type { FunctionTool, GenerationRequest, HostedTool } from "../../core/answer/generation.ts";
import { membersBeyond } from "../shared/tool-lists.ts";
import { cacheOf } from "./decode-content.ts";
import type { WireTool, WireToolChoice } from "./wire-blocks.ts";

/**
 * Decodes a tool: the client's own tool is a function; any other tool has a dated `type` that only its vendor knows.
 */
export function decodeTool(tool: WireTool): FunctionTool | HostedTool {
  if (isVendors(tool)) return { kind: "hosted", type: tool.type ?? "", name: nameOf(tool), raw: { ...tool } };
  const { name = "", description, input_schema: parameters, strict } = tool;
  return {
    kind: "function",
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
    ...(typeof strict === "boolean" && { strict }),
    ...cacheOf(tool),
  };
}

function nameOf({ name, type }: WireTool): string {
  return name ?? type ?? "";
}

function isVendors({ type }: WireTool): boolean {
  return typeof type === "string" && type !== "custom";
}

const READ: ReadonlySet<string> = new Set(["type", "name", "description", "input_schema", "strict", "cache_control"]);

/** The names of a tool's other members, which have no meaning for another vendor: `defer_loading`, `input_examples`. */
export function furtherMembers(tool: WireTool): string[] {
  return isVendors(tool) ? [] : membersBeyond({ ...tool }, READ);
}

export function decodeChoice(
  choice: WireToolChoice | undefined,
): Pick<GenerationRequest, "tool_choice" | "parallel_tool_calls"> {
  if (choice === undefined) return {};
  const one_by_one = choice.type !== "none" && choice.disable_parallel_tool_use === true;
  const parallel = one_by_one ? { parallel_tool_calls: false } : {};
  switch (choice.type) {
    case "auto":
    case "none":
      return { tool_choice: { mode: choice.type }, ...parallel };
    case "any":
      return { tool_choice: { mode: "required" }, ...parallel };
    case "tool":
      return { tool_choice: { mode: "named", name: choice.name }, ...parallel };
  }
}
