import type { FunctionTool, GenerationRequest, ToolChoice } from "../../core/generation.ts";
import { pushCachePoint } from "./encode-messages.ts";
import type { FamilyTraits } from "./model-family.ts";
import type { ConverseRequest, WireTool, WireToolChoice } from "./wire.ts";

export interface EncodedTools {
  readonly config: ConverseRequest["toolConfig"] | undefined;
  /** What stands beside the common shape: Anthropic's own `tool_choice`, which says more than Converse's. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** True when the model cannot be kept from calling the tools that the conversation needs declared. */
  readonly choice_ignored: boolean;
}

/** The tools of a request and which of them must be called. */
export function encodeTools(request: GenerationRequest, traits: FamilyTraits): EncodedTools {
  const declared = request.tools.filter((tool) => tool.kind === "function");
  const forbidden = request.tool_choice?.mode === "none" || declared.length === 0;
  // A conversation that holds calls needs tools declared, also where the client no longer sends them.
  const tools = declared.length > 0 ? declared : calledTools(request);
  if (tools.length === 0) return { config: undefined, fields: {}, choice_ignored: false };
  if (forbidden && !traits.call_control && calledTools(request).length === 0)
    return { config: undefined, fields: {}, choice_ignored: false };
  const wire = tools.flatMap(encodeTool);
  if (forbidden) {
    const fields = traits.call_control ? { tool_choice: { type: "none" } } : {};
    return {
      config: { tools: wire },
      fields,
      choice_ignored: request.tool_choice !== undefined && !traits.call_control,
    };
  }
  return { ...withChoice(wire, request), choice_ignored: false };
}

function withChoice(tools: WireTool[], { tool_choice, parallel_tool_calls }: GenerationRequest) {
  // The two ways to choose exclude each other.
  if (parallel_tool_calls === false) {
    const choice = { ...anthropicChoice(tool_choice), disable_parallel_tool_use: true };
    return { config: { tools }, fields: { tool_choice: choice } };
  }
  const choice = tool_choice === undefined ? null : converseChoice(tool_choice);
  return { config: { tools, ...(choice === null ? {} : { toolChoice: choice }) }, fields: {} };
}

function encodeTool({ name, description, parameters, cache }: FunctionTool): WireTool[] {
  const json = parameters === undefined ? { type: "object", properties: {} } : { type: "object", ...parameters };
  const described = description === undefined || description.trim() === "" ? {} : { description };
  const tools: WireTool[] = [{ toolSpec: { name, ...described, inputSchema: { json } } }];
  pushCachePoint(tools, cache);
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

/** The tools that were called in the conversation, by name. */
function calledTools({ messages }: GenerationRequest): FunctionTool[] {
  const names = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) if (part.type === "tool-call") names.add(part.name);
  }
  return [...names].map((name) => ({ kind: "function", name }));
}
