import { GatewayError } from "../../core/errors.ts";
import type { FunctionTool, GenerationRequest, Tool } from "../../core/generation.ts";
import { cacheControl } from "./encode-content.ts";
import type { Turn } from "./encode-messages.ts";
import type { WireTool, WireToolChoice } from "./wire-blocks.ts";

export interface EncodedTools {
  readonly tools?: readonly WireTool[];
  readonly tool_choice?: WireToolChoice;
}

/**
 * The tools and how the model may use them. The API requires the tools of calls in the conversation; where the client
 * no longer offers them, they are declared by name only, and calls are forbidden.
 */
export function encodeTools(request: GenerationRequest, turns: readonly Turn[]): EncodedTools {
  if (request.tools.length === 0) {
    const called = calledNames(turns);
    if (called.length === 0) return {};
    return { tools: called.map((name) => ({ name, input_schema: ANY_OBJECT })), tool_choice: { type: "none" } };
  }
  const tool_choice = encodeChoice(request);
  return { tools: request.tools.map(encodeTool), ...(tool_choice !== null && { tool_choice }) };
}

const ANY_OBJECT = { type: "object" };

function calledNames(turns: readonly Turn[]): string[] {
  const blocks = turns.flatMap(({ content }) => content);
  return [...new Set(blocks.flatMap((block) => (block.type === "tool_use" ? [block.name] : [])))];
}

function encodeTool(tool: Tool): WireTool {
  switch (tool.kind) {
    case "function":
      return encodeFunction(tool);
    case "hosted":
      return tool.raw;
    case "custom":
      throw new GatewayError("internal_error", "A custom tool came where none can be said.");
  }
}

function encodeFunction({ name, description, parameters = {}, cache }: FunctionTool): WireTool {
  return {
    name,
    ...(description !== undefined && { description }),
    input_schema: { ...ANY_OBJECT, ...parameters },
    ...cacheControl(cache),
  };
}

function encodeChoice({ tool_choice, parallel_tool_calls }: GenerationRequest): WireToolChoice | null {
  const serial = parallel_tool_calls === false && { disable_parallel_tool_use: true };
  if (tool_choice === undefined) return serial ? { type: "auto", ...serial } : null;
  switch (tool_choice.mode) {
    case "auto":
      return { type: "auto", ...serial };
    case "none":
      return { type: "none" };
    case "required":
      return { type: "any", ...serial };
    case "named":
      return { type: "tool", name: tool_choice.name, ...serial };
  }
}
