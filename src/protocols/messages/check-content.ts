import { type GatewayError, invalidRequest } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { compilePartCheck, type PartCheck } from "../shared/check-body.ts";
import { type PathSteps, pathOf } from "../shared/explain.ts";
import { isSettingsOnly, isSystem } from "./system-turns.ts";
import type { WireMessage } from "./wire-blocks.ts";
import { BLOCKS, type CountTokensRequest, CustomTool, DocumentBlock } from "./wire-request.ts";

const codeOf = () => "invalid_request" as const;

const BLOCK_CHECKS: ReadonlyMap<string, PartCheck> = new Map(
  Object.entries(BLOCKS).map(([type, schema]) => [type, compilePartCheck(schema, codeOf)]),
);
const checkDocument = compilePartCheck(DocumentBlock, codeOf);
const checkCustomTool = compilePartCheck(CustomTool, codeOf);

/**
 * Checks the parts of a request that its schema leaves open: each content block by its type, also inside tool results,
 * and the client's own tools. Types that are not known here pass unchecked: the vendor judges them. Returns the place of
 * the first document outside tool results: the operator says whether there may be any (docs/rulings.md 189, 53).
 */
export function checkContent(body: CountTokensRequest): { readonly document?: string } {
  checkBeginning(body.messages as readonly WireMessage[]);
  for (const [index, message] of body.messages.entries()) {
    const place = ["messages", index, "content"];
    if (message.role === "system") checkInstruction(message.content ?? [], place);
    else checkBlocks(message.content, place);
  }
  for (const [index, tool] of (body.tools ?? []).entries()) {
    if (isCustomTool(tool)) checkCustomTool(tool, ["tools", index]);
  }
  const document = firstDocument(body.messages as readonly WireMessage[]);
  return document === null ? {} : { document };
}

/** The path of the first document in what a turn says itself. */
function firstDocument(messages: readonly WireMessage[]): string | null {
  for (const [index, { role, content }] of messages.entries()) {
    if (role === "system" || typeof content === "string" || content === undefined) continue;
    const at = content.findIndex(({ type }) => type === "document");
    if (at !== -1) return pathOf(["messages", index, "content", at]);
  }
  return null;
}

/** The 400 of the specification for documents in what the user says (docs/api.md 4.3). */
export function documentError(place: string): GatewayError {
  return invalidRequest(
    `'${place}' is a document block; documents and PDF files are not supported. Send their text in a text block.`,
    place,
  );
}

type UncheckedContent = string | readonly { readonly type: string }[];

/** Checks that a conversation has a turn and does not begin with a system message, which belongs in `system`. */
function checkBeginning(messages: readonly WireMessage[]): void {
  const first = messages.findIndex((message) => !isSystem(message) || !isSettingsOnly(message));
  if (first !== -1 && !isSystem(messages[first])) return;
  const place = pathOf(["messages", Math.max(first, 0), "role"]);
  const message = `'${place}' is the string "system" before the first turn; allowed: "user" or "assistant". What holds from the beginning belongs in 'system'.`;
  throw invalidRequest(message, place);
}

function checkInstruction(content: UncheckedContent, steps: PathSteps): void {
  if (typeof content === "string") return;
  for (const [index, block] of content.entries()) {
    const place = [...steps, index];
    if (block.type !== "text" && (block.type === "document" || BLOCK_CHECKS.has(block.type))) {
      const path = pathOf(place);
      const message = `'${path}' is a block of the type ${JSON.stringify(block.type)}; allowed in a system message: text.`;
      throw invalidRequest(message, path);
    }
    BLOCK_CHECKS.get(block.type)?.(block, place);
  }
}

function checkBlocks(content: UncheckedContent, steps: PathSteps): void {
  if (typeof content === "string") return;
  for (const [index, block] of content.entries()) {
    const place = [...steps, index];
    if (block.type === "document") checkDocument(block, place);
    BLOCK_CHECKS.get(block.type)?.(block, place);
    // A tool's result holds blocks of its own; the shape of the result was checked just before.
    if (block.type === "tool_result" && "content" in block && Array.isArray(block.content)) {
      checkBlocks(block.content, [...place, "content"]);
    }
  }
}

/** Whether a tool is the client's own. Vendors' tools have a dated `type`, and some have no `name`. */
function isCustomTool(tool: unknown): boolean {
  return !isObject(tool) || typeof tool.type !== "string" || tool.type === "custom";
}
