import type { TSchema } from "typebox";
import type { ClientProtocol, ClientRequest } from "../../core/answer/exchange.ts";
import { REQUEST_BOUNDS } from "../../core/answer/request-bounds.ts";
import { GatewayError } from "../../core/errors.ts";
import { describe, isObject, type JsonRecord } from "../../core/json.ts";
import { chargedMembers } from "../shared/charged-members.ts";
import { type BodyCheck, compileBodyCheck, compilePartCheck, type PartCheck } from "../shared/check-body.ts";
import { refuseCount, refuseMore, refuseMoreBlocks } from "../shared/check-bounds.ts";
import { rareEffort } from "../shared/effort.ts";
import { COMMENT_BEAT, eventFrame, joinFrames } from "../shared/event-frames.ts";
import { type PathSteps, pathOf } from "../shared/explain.ts";
import { findMembers } from "../shared/json-members.ts";
import { parseBody } from "../shared/parse-json.ts";
import { RESPONSES_CHARGES } from "./charge-table.ts";
import { emptyResponse } from "./empty-response.ts";
import { inputTokenBound } from "./input-token-bound.ts";
import { BLOCKS, ITEMS, NamedToolChoice, ResponsesRequest, TOOLS } from "./wire-request.ts";

const checkRequest: BodyCheck<ResponsesRequest> = compileBodyCheck(ResponsesRequest, () => "invalid_responses_input");

/**
 * The client protocol of POST /v1/responses (docs/api.md 4.2). Fields outside the supported surface are not refused
 * here: whether they can be honoured depends on the vendor (docs/rulings.md 11).
 */
export const responses: ClientProtocol = {
  protocol: "responses",
  error_style: "a",
  endpoint: "responses",
  kind: "chat",
  general_error: "invalid_responses_input",
  beat: COMMENT_BEAT,
  failedStream({ code, message }, { model }): Uint8Array {
    const response = { ...emptyResponse(model), status: "in_progress" };
    const failed = { ...response, status: "failed", error: { code, message } };
    // The official clients read no other event before the first.
    return joinFrames([
      eventFrame("response.created", { type: "response.created", response, sequence_number: 0 }),
      eventFrame("response.failed", { type: "response.failed", response: failed, sequence_number: 1 }),
    ]);
  },
  readRequest(text: string): ClientRequest {
    const body = parseBody(text);
    const members = findMembers(text);
    checkBounds(text, body);
    checkRequest(body);
    checkParts(body);
    return {
      protocol: "responses",
      model: body.model,
      stream: body.stream ?? false,
      output_cap: body.max_output_tokens ?? null,
      choices: 1,
      input_bound_tokens: inputTokenBound(text, body),
      text,
      body,
      members,
      charged: chargedMembers(body, RESPONSES_CHARGES),
      ...rareEffort(body.reasoning?.effort, "reasoning.effort", "invalid_responses_input"),
    };
  },
};

const CODE = "invalid_responses_input";
/** The members of an item whose arrays hold content blocks. */
const HOLDERS = ["content", "output", "summary"];
/** Texts shorter than this have too few tools to count: each takes two characters with its comma. */
const SHORTEST_WITH_MANY_TOOLS = 2 * REQUEST_BOUNDS.tools;

/** Throws where a body has more items, blocks, tools or stop sequences than a request may have (docs/api.md 8). */
function checkBounds(text: string, body: JsonRecord): void {
  refuseMore(body.input, { bound: "messages", place: "input", of: "items", code: CODE });
  refuseMoreBlocks(text, body.input, HOLDERS, { place: "input", code: CODE });
  refuseMore(body.stop, { bound: "stop_sequences", place: "stop", of: "stop sequences", code: CODE });
  if (text.length < SHORTEST_WITH_MANY_TOOLS) return;
  refuseCount(toolsIn(body), {
    bound: "tools",
    place: "tools",
    of: "tools, with those that its items bring",
    code: CODE,
  });
}

/** The tools of a request, those of its namespaces, and those that items of the conversation bring. */
function toolsIn({ tools, input }: JsonRecord): number {
  let found = lengthOf(tools);
  for (const tool of Array.isArray(tools) ? tools : []) if (isObject(tool)) found += lengthOf(tool.tools);
  for (const item of Array.isArray(input) ? input : []) {
    if (!isObject(item) || !Array.isArray(item.tools)) continue;
    found += item.tools.length;
    for (const tool of item.tools) if (isObject(tool)) found += lengthOf(tool.tools);
  }
  return found;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

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
 * that are not known here pass unchecked: the vendor judges them (docs/rulings.md 1, 53).
 */
function checkParts(body: ResponsesRequest): void {
  if (Array.isArray(body.input)) {
    for (const [index, item] of body.input.entries()) if (isObject(item)) checkItem(item, ["input", index]);
  }
  for (const [index, tool] of (body.tools ?? []).entries()) TOOL_CHECKS.get(tool.type)?.(tool, ["tools", index]);
  checkChoice(body.tool_choice);
}

function checkItem(item: JsonRecord, steps: PathSteps): void {
  ITEM_CHECKS.get(typeOfItem(item, steps))?.(item, steps);
  for (const field of ["content", "output"]) {
    const blocks = item[field];
    if (Array.isArray(blocks)) checkBlocks(blocks, [...steps, field]);
  }
}

/** The type of an input item; messages and references to items may leave it out. */
function typeOfItem({ type, role, id }: JsonRecord, steps: PathSteps): string {
  if (typeof type === "string") return type;
  if (type === undefined && role !== undefined) return "message";
  if ((type ?? null) === null && typeof id === "string") return "a reference";
  const place = pathOf([...steps, "type"]);
  const found = type === undefined ? "missing" : describe(type);
  const message = `'${place}' is ${found}; allowed: the item's type, such as "message" or "function_call_output".`;
  throw new GatewayError("invalid_responses_input", message, { param: place });
}

function checkBlocks(blocks: readonly unknown[], steps: PathSteps): void {
  for (const [index, block] of blocks.entries()) {
    if (isObject(block) && typeof block.type === "string") BLOCK_CHECKS.get(block.type)?.(block, [...steps, index]);
  }
}

function checkChoice(choice: ResponsesRequest["tool_choice"]): void {
  if (!isObject(choice)) return;
  if (choice.type === "function" || choice.type === "custom") checkNamedChoice(choice, ["tool_choice"]);
}
