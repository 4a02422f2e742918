import { GatewayError } from "../../core/errors.ts";
import type { FunctionTool, GenerationRequest } from "../../core/generation.ts";
import { objectSchema } from "../shared/object-schema.ts";

/**
 * The request with the parameters of its functions as plain objects at their roots, which is what vendors of every
 * protocol take (docs/rulings.md 196). Throws `unsupported_parameter` for parameters that are no object.
 */
export function withObjectSchemas(request: GenerationRequest, ignored: string[]): GenerationRequest {
  const tools = request.tools.map((tool) => (tool.kind === "function" ? withObjectSchema(tool, ignored) : tool));
  return tools.every((tool, index) => tool === request.tools[index]) ? request : { ...request, tools };
}

function withObjectSchema(tool: FunctionTool, ignored: string[]): FunctionTool {
  const { name, parameters, strict } = tool;
  if (parameters === undefined) return tool;
  const found = objectSchema(parameters);
  if ("fault" in found) {
    const message = `'tools' has the tool ${JSON.stringify(name.slice(0, 60))}, whose schema ${found.fault}; allowed: the JSON Schema of an object.`;
    throw new GatewayError("unsupported_parameter", message, { param: "tools" });
  }
  const { schema } = found;
  if (schema === parameters) return tool;
  if (strict !== true || schema.properties === parameters.properties) return { ...tool, parameters: schema };
  // Merged alternatives have members that are not required, which strict functions may not have.
  ignored.push("tools.strict");
  return { ...tool, parameters: schema, strict: false };
}
