import { isObject, type JsonRecord } from "../../core/json.ts";
import { isExactNumber } from "../shared/exact-json.ts";

/**
 * Candidates as clients read them, where a vendor broke a member or left one out; the given list where all is right. What is no candidate,
 * no part or no call is left out: Google's clients walk through them without asking.
 */
export function readableCandidates(told: unknown): readonly unknown[] | undefined {
  if (told === undefined) return undefined;
  if (!Array.isArray(told)) return [];
  const readable = told.filter(isMembers).map(readableCandidate);
  return readable.length === told.length && readable.every((one, at) => one === told[at]) ? told : readable;
}

function readableCandidate(candidate: JsonRecord): JsonRecord {
  const { content, finishReason, index } = candidate;
  const right: Record<string, unknown> = {};
  if (content !== undefined) {
    const readable = isMembers(content) ? readableContent(content) : undefined;
    if (readable !== content) right.content = readable;
  }
  if (finishReason !== undefined && (typeof finishReason !== "string" || finishReason === ""))
    right.finishReason = undefined;
  if (index !== undefined && typeof index !== "number") right.index = undefined;
  return mended(candidate, right);
}

function readableContent(content: JsonRecord): JsonRecord {
  const { parts, role } = content;
  const right: Record<string, unknown> = {};
  if (role !== undefined && role !== "model") right.role = "model";
  if (parts !== undefined) {
    const list: readonly unknown[] = Array.isArray(parts) ? parts : [];
    const readable = list.flatMap(readablePart);
    if (!Array.isArray(parts) || readable.length !== list.length || readable.some((part, at) => part !== list[at]))
      right.parts = readable;
  }
  return mended(content, right);
}

/** Whether a value is an object of JSON: a number that keeps its digits is one to the runtime alone. */
function isMembers(value: unknown): value is JsonRecord {
  return isObject(value) && !isExactNumber(value);
}

/** No part for what says nothing. */
function readablePart(part: unknown): JsonRecord[] {
  if (!isMembers(part)) return [];
  const { text, thought, thoughtSignature, functionCall } = part;
  const right: Record<string, unknown> = {};
  if (text !== undefined && typeof text !== "string") right.text = undefined;
  if (thought !== undefined && typeof thought !== "boolean") right.thought = undefined;
  if (thoughtSignature !== undefined && typeof thoughtSignature !== "string") right.thoughtSignature = undefined;
  if (functionCall !== undefined) {
    const readable = isMembers(functionCall) ? readableCall(functionCall) : undefined;
    if (readable !== functionCall) right.functionCall = readable;
  }
  const readable = mended(part, right);
  return Object.keys(readable).length === 0 ? [] : [readable];
}

function readableCall(call: JsonRecord): JsonRecord {
  const { name, args, id } = call;
  const right: Record<string, unknown> = {};
  if (typeof name !== "string") right.name = "";
  if (args !== undefined && !isMembers(args)) right.args = undefined;
  if (id !== undefined && typeof id !== "string") right.id = undefined;
  return mended(call, right);
}

/** The object with these members in place of its own, without those that are undefined; the object itself where there are none. */
function mended(object: JsonRecord, right: JsonRecord): JsonRecord {
  if (Object.keys(right).length === 0) return object;
  return Object.fromEntries(Object.entries({ ...object, ...right }).filter(([, value]) => value !== undefined));
}
