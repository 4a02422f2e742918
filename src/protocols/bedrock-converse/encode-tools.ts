import type { FunctionTool, GenerationRequest, ToolChoice } from "../../core/answer/generation.ts";
import type { JsonRecord } from "../../core/json.ts";
import { pushCachePoint } from "./encode-messages.ts";
import type { FamilyTraits } from "./model-family.ts";
import type { ConverseRequest, WireTool, WireToolChoice } from "./wire.ts";

export interface EncodedTools {
  readonly config: ConverseRequest["toolConfig"] | undefined;
  /** Fields beside the common shape: Anthropic's own `tool_choice`, which can express more than Converse's. */
  readonly fields: JsonRecord;
  /** True when the client forbade calls, but the model cannot be told to make none while tools are declared. */
  readonly choice_ignored: boolean;
  /** True when the client asked to cache tools, and the model cannot cache tools. */
  readonly cache_ignored: boolean;
}

const NO_TOOLS: EncodedTools = { config: undefined, fields: {}, choice_ignored: false, cache_ignored: false };

/** The tools of a request, and which of them must be called. */
export function encodeTools(request: GenerationRequest, traits: FamilyTraits): EncodedTools {
  const declared = request.tools.filter((tool) => tool.kind === "function");
  const forbidden = request.tool_choice?.mode === "none" || declared.length === 0;
  // The API requires tools for a conversation that holds calls, even if the client no longer sends the tools.
  const tools = declared.length > 0 ? declared : calledTools(request);
  if (tools.length === 0) return NO_TOOLS;
  if (forbidden && !traits.call_control && calledTools(request).length === 0) return NO_TOOLS;
  const cache_ignored = !traits.long_cache && tools.some(({ cache }) => cache !== undefined);
  const wire = tools.flatMap((tool) => encodeTool(tool, traits));
  if (forbidden) {
    const fields = traits.call_control ? { tool_choice: { type: "none" } } : {};
    return {
      config: { tools: wire },
      fields,
      choice_ignored: request.tool_choice !== undefined && !traits.call_control,
      cache_ignored,
    };
  }
  return { ...withChoice(wire, request), choice_ignored: false, cache_ignored };
}

function withChoice(tools: WireTool[], { tool_choice, parallel_tool_calls }: GenerationRequest) {
  // Anthropic's own tool choice and Converse's exclude each other.
  if (parallel_tool_calls === false) {
    const choice = { ...anthropicChoice(tool_choice), disable_parallel_tool_use: true };
    return { config: { tools }, fields: { tool_choice: choice } };
  }
  const choice = tool_choice === undefined ? null : converseChoice(tool_choice);
  return { config: { tools, ...(choice === null ? {} : { toolChoice: choice }) }, fields: {} };
}

function encodeTool({ name, description, parameters, cache }: FunctionTool, traits: FamilyTraits): WireTool[] {
  const json = parameters === undefined ? { type: "object", properties: {} } : { type: "object", ...parameters };
  const described = description === undefined || description.trim() === "" ? {} : { description };
  const tools: WireTool[] = [{ toolSpec: { name, ...described, inputSchema: { json } } }];
  if (traits.long_cache) pushCachePoint(tools, cache, traits);
  return tools;
}

function converseChoice(choice: ToolChoice): WireToolChoice | null {
  switch (choice.mode) {
    case "auto":
      return { auto: {} };
    case "required":
      return { any: {} };
    case "named":
      return { tool: { name: choice.name } };
    case "none":
      return null;
  }
}

function anthropicChoice(choice: ToolChoice | undefined): { type: string; name?: string } {
  if (choice?.mode === "named") return { type: "tool", name: choice.name };
  return { type: choice?.mode === "required" ? "any" : "auto" };
}

/** Declarations, by name only, of the tools that were called in the conversation. */
function calledTools({ messages }: GenerationRequest): FunctionTool[] {
  const names = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) if (part.type === "tool-call") names.add(part.name);
  }
  return [...names].map((name) => ({ kind: "function", name }));
}
