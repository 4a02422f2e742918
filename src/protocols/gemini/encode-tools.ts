import type { FunctionTool, GenerationRequest, ToolChoice } from "../../core/generation.ts";
import { fitSchema } from "./json-schema.ts";
import type { FunctionCallingConfig, FunctionDeclaration, GenerateContentRequest } from "./wire.ts";

/**
 * The tools of a request, and which of them must be called. Empty for a request without tools. Adds to `ignored` what of
 * the tools was left out.
 */
export function encodeTools(
  { tools, tool_choice }: GenerationRequest,
  ignored: string[],
): Pick<GenerateContentRequest, "tools" | "toolConfig"> {
  const functions = tools.filter((tool) => tool.kind === "function");
  if (functions.length === 0) return {};
  const config = callingConfig(tool_choice, functions);
  return {
    tools: [{ functionDeclarations: functions.map((tool) => declaration(tool, ignored)) }],
    ...(config === null ? {} : { toolConfig: { functionCallingConfig: config } }),
  };
}

function declaration({ name, description, parameters }: FunctionTool, ignored: string[]): FunctionDeclaration {
  const said = { name, ...(description === undefined ? {} : { description }) };
  if (parameters === undefined) return said;
  const { schema, lost } = fitSchema(parameters);
  for (const what of lost) ignored.push(`tools.${what}`);
  return { ...said, parametersJsonSchema: schema };
}

/**
 * The mode of tool calls; null for the API's own default. Forced calls always follow their schemas; optional calls do
 * when `strict`.
 */
function callingConfig(
  choice: ToolChoice | undefined,
  functions: readonly FunctionTool[],
): FunctionCallingConfig | null {
  const free = functions.some(({ strict }) => strict === true) ? "VALIDATED" : "AUTO";
  if (choice === undefined) return free === "AUTO" ? null : { mode: free };
  switch (choice.mode) {
    case "auto":
      return { mode: free };
    case "none":
      return { mode: "NONE" };
    case "required":
      return { mode: "ANY" };
    case "named":
      return { mode: "ANY", allowedFunctionNames: [choice.name] };
  }
}
