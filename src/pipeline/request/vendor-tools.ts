import type { ClientRequest } from "../../core/answer/exchange.ts";
import { isObject, plainText } from "../../core/json.ts";

/** Tools that the client runs, whose results are in the bytes of the next request. */
const CLIENT_TOOLS = /^(function|custom|namespace|local_shell|apply_patch|(bash|text_editor|computer|memory)(_.*)?)$/;

/** Whether a body names tools that the vendor runs. */
export function hasVendorTools({ tools, mcp_servers, contents }: ClientRequest["body"]): boolean {
  // In Gemini's style a tool is a member, and the client's are declared under one name.
  if (contents !== undefined && Array.isArray(tools))
    return tools.some((tool) => isObject(tool) && Object.keys(tool).some((name) => name !== "functionDeclarations"));
  if (mcp_servers !== undefined && mcp_servers !== null) return true;
  return Array.isArray(tools) && tools.some((tool) => isObject(tool) && !isClients(tool.type));
}

function isClients(type: unknown): boolean {
  return type === undefined || type === null || CLIENT_TOOLS.test(plainText(type));
}
