import { GatewayError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { compilePartCheck, type PartCheck } from "../shared/check-part.ts";
import { pathOf } from "../shared/explain.ts";
import { BLOCKS, type CountTokensRequest, CustomTool } from "./wire-request.ts";

type Steps = readonly (string | number)[];

const codeOf = () => "invalid_request" as const;

const BLOCK_CHECKS: ReadonlyMap<string, PartCheck> = new Map(
  Object.entries(BLOCKS).map(([type, schema]) => [type, compilePartCheck(schema, codeOf)]),
);
const checkCustomTool = compilePartCheck(CustomTool, codeOf);

/**
 * Checks the parts of a request that its schema leaves open: each content block by its type, also inside tool results,
 * and the client's own tools. Types that are not known here are the vendor's to judge; documents are refused, as
 * docs/api.md 4.3 says.
 */
export function checkContent(body: CountTokensRequest): void {
  for (const [index, message] of body.messages.entries()) {
    checkBlocks(message.content, ["messages", index, "content"]);
  }
  for (const [index, tool] of (body.tools ?? []).entries()) {
    if (isCustomTool(tool)) checkCustomTool(tool, ["tools", index]);
  }
}

function checkBlocks(content: string | readonly { readonly type: string }[], steps: Steps): void {
  if (typeof content === "string") return;
  for (const [index, block] of content.entries()) {
    const place = [...steps, index];
    if (block.type === "document") throw unsupportedDocument(place);
    BLOCK_CHECKS.get(block.type)?.(block, place);
    // A tool's result holds blocks of its own. Its shape was checked just before.
    if (block.type === "tool_result" && "content" in block && Array.isArray(block.content)) {
      checkBlocks(block.content, [...place, "content"]);
    }
  }
}

/** Vendors' own tools name themselves by a dated `type`, and not all of them have a `name`. */
function isCustomTool(tool: unknown): boolean {
  return !isObject(tool) || typeof tool.type !== "string" || tool.type === "custom";
}

function unsupportedDocument(steps: Steps): GatewayError {
  const place = pathOf(steps);
  return new GatewayError(
    "invalid_request",
    `'${place}' is a document block; documents and PDF files are not supported. Send their text in a text block.`,
    { param: place },
  );
}
