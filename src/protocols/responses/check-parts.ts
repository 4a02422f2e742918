import type { TSchema } from "typebox";
import { GatewayError } from "../../core/errors.ts";
import { describe, isObject } from "../../core/json.ts";
import { compilePartCheck, type PartCheck } from "../shared/check-part.ts";
import { pathOf } from "../shared/explain.ts";
import { BLOCKS, ITEMS, NamedToolChoice, type ResponsesRequest, TOOLS } from "./wire-request.ts";

type Steps = readonly (string | number)[];

const codeOf = () => "invalid_responses_input" as const;

const ITEM_CHECKS = checksOf(ITEMS);
const BLOCK_CHECKS = checksOf(BLOCKS);
const TOOL_CHECKS = checksOf(TOOLS);
const checkNamedChoice = compilePartCheck(NamedToolChoice, codeOf);

function checksOf(schemas: Readonly<Record<string, TSchema>>): ReadonlyMap<string, PartCheck> {
  return new Map(Object.entries(schemas).map(([type, schema]) => [type, compilePartCheck(schema, codeOf)]));
}

/**
 * Checks the parts of a request that its schema leaves open: each input item, content block and tool by its type. Types
 * that are not known here pass unchecked: the vendor judges them (docs/rulings.md 1).
 */
export function checkParts(body: ResponsesRequest): void {
  if (Array.isArray(body.input)) {
    for (const [index, item] of body.input.entries()) if (isObject(item)) checkItem(item, ["input", index]);
  }
  for (const [index, tool] of (body.tools ?? []).entries()) TOOL_CHECKS.get(tool.type)?.(tool, ["tools", index]);
  checkChoice(body.tool_choice);
}

function checkItem(item: Readonly<Record<string, unknown>>, steps: Steps): void {
  ITEM_CHECKS.get(typeOfItem(item, steps))?.(item, steps);
  for (const field of ["content", "output"]) {
    const blocks = item[field];
    if (Array.isArray(blocks)) checkBlocks(blocks, [...steps, field]);
  }
}

/** The type of an input item; messages and references to items may leave it out. */
function typeOfItem({ type, role, id }: Readonly<Record<string, unknown>>, steps: Steps): string {
  if (typeof type === "string") return type;
  if (type === undefined && role !== undefined) return "message";
  if ((type ?? null) === null && typeof id === "string") return "a reference";
  const place = pathOf([...steps, "type"]);
  const found = type === undefined ? "missing" : describe(type);
  const message = `'${place}' is ${found}; allowed: the item's type, such as "message" or "function_call_output".`;
  throw new GatewayError("invalid_responses_input", message, { param: place });
}

function checkBlocks(blocks: readonly unknown[], steps: Steps): void {
  for (const [index, block] of blocks.entries()) {
    if (isObject(block) && typeof block.type === "string") BLOCK_CHECKS.get(block.type)?.(block, [...steps, index]);
  }
}

function checkChoice(choice: ResponsesRequest["tool_choice"]): void {
  if (!isObject(choice)) return;
  if (choice.type === "function" || choice.type === "custom") checkNamedChoice(choice, ["tool_choice"]);
}
