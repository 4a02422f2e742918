import { newId } from "../../core/ids.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import type { CallCounts } from "../../core/money/price-classes.ts";
import { type Usage, withExtra } from "../../core/money/usage.ts";
import { isExactNumber, parseExact } from "../shared/exact-json.ts";
import { readGeminiUsage, USAGE_COUNTS } from "../shared/gemini-usage.ts";
import { findMembers, type MemberChange, memberText, replaceMembers } from "../shared/json-members.ts";
import { nameText } from "../shared/json-text.ts";
import { costMembers, shownUsage, type UsageEdit } from "../shared/vendor-costs.ts";
import { sealThoughts } from "./thought-seal.ts";
import { writeUsage } from "./write-usage.ts";

export interface RelayedAnswer {
  /** The catalogue's id, which stands in `modelVersion`. */
  readonly model_id: string;
  /** The vendor's name where it signs its thoughts itself, else null. */
  readonly issuer: string | null;
  /** The id of an answer to which its vendor gave none. */
  readonly response_id: string;
}

export function relayedAnswer(model_id: string, issuer: string | null): RelayedAnswer {
  return { model_id, issuer, response_id: newId("resp") };
}

/** The usage that the client sees: the vendor's own, another one, or none, with the value of `cost`. */
export interface ShownUsage {
  readonly usage?: UsageEdit;
  readonly cost?: string | undefined;
}

/**
 * A response object of a vendor for its client, as JSON text on one line: with the catalogue's name of the model, without what the vendor
 * says of its costs, and with its signatures packed where they are not Google's (docs/rulings.md 7, 169, 192). Every other token
 * stays. Throws where a member is named twice.
 */
export function relayedText(text: string, answer: JsonRecord, about: RelayedAnswer, shown: ShownUsage = {}): string {
  // In JSON a line end can only stand between two tokens, where a space means the same.
  const line = /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, " ").trim() : text;
  const members = findMembers(line);
  const changes: MemberChange[] = [...costMembers(answer), ["modelVersion", nameText(about.model_id)]];
  if (typeof answer.responseId !== "string" || answer.responseId === "")
    changes.push(["responseId", JSON.stringify(about.response_id)]);
  const candidates = shownCandidates(answer, () => memberText(line, members, "candidates") ?? "[]", about.issuer);
  if (candidates !== null) changes.push(["candidates", candidates]);
  if (answer.promptFeedback !== undefined && !isObject(answer.promptFeedback)) changes.push(["promptFeedback", null]);
  const sent = answer.usageMetadata;
  const change = shown.usage ?? toldUsage(sent);
  const usage = shownUsage(sent, () => memberText(line, members, "usageMetadata"), change, shown.cost);
  if (usage !== undefined) changes.push(["usageMetadata", usage]);
  return replaceMembers(line, changes, members);
}

/** What replaces a vendor's usage: null, for no usage, where it cannot be believed; a usage written anew where one of its counts is not a number, which clients could not read. */
function toldUsage(sent: unknown): UsageEdit {
  if (sent === undefined) return undefined;
  const usage = readGeminiUsage(sent);
  if (usage === null) return null;
  return isObject(sent) && Object.entries(sent).some(isNoCount) ? { ...writeUsage(usage) } : undefined;
}

function isNoCount([name, value]: [name: string, value: unknown]): boolean {
  return USAGE_COUNTS.has(name) && !(Number.isSafeInteger(value) && Number(value) >= 0);
}

/** The candidates' JSON text as a client reads them; null where they stay as they were sent. */
function shownCandidates({ candidates }: JsonRecord, textOf: () => string, issuer: string | null): string | null {
  const is_readable = readableCandidates(candidates) === candidates;
  const is_issued = issuer !== null && textOf().includes('"thoughtSignature"');
  if (is_readable && !is_issued) return null;
  const exact = readableCandidates(parseExact(textOf())) ?? [];
  return JSON.stringify(issuer === null ? exact : exact.map((candidate) => issuedCandidate(candidate, issuer)));
}

function issuedCandidate(candidate: unknown, issuer: string): unknown {
  if (!isObject(candidate) || !isObject(candidate.content) || !Array.isArray(candidate.content.parts)) return candidate;
  const parts = candidate.content.parts.map((part: unknown) => issuedPart(part, issuer));
  return { ...candidate, content: { ...candidate.content, parts } };
}

function issuedPart(part: unknown, issuer: string): unknown {
  if (!isObject(part) || typeof part.thoughtSignature !== "string" || part.thoughtSignature === "") return part;
  const own = { family: issuer, form: "signature", data: part.thoughtSignature } as const;
  return { ...part, thoughtSignature: sealThoughts({ own, reasoning: [] }) };
}

/** The text, reasoning and arguments that an object brings, for an estimate. */
export function generatedIn({ candidates }: JsonRecord): string {
  if (!Array.isArray(candidates)) return "";
  let text = "";
  for (const part of candidates.flatMap(partsOf)) {
    if (typeof part.text === "string") text += part.text;
    if (isObject(part.functionCall)) text += JSON.stringify(part.functionCall.args ?? {});
    for (const name of ["executableCode", "codeExecutionResult"])
      if (isObject(part[name])) text += JSON.stringify(part[name]);
  }
  return text;
}

/** Whether an object brings content: a text, a call, or any other part. */
export function hasContent({ candidates }: JsonRecord): boolean {
  if (!Array.isArray(candidates)) return false;
  return candidates.flatMap(partsOf).some((part) => {
    const names = Object.keys(part).filter((name) => name !== "thought" && name !== "thoughtSignature");
    return names.some((name) => (name === "text" ? part.text !== "" : (part[name] ?? null) !== null));
  });
}

function partsOf(candidate: unknown): JsonRecord[] {
  if (!isObject(candidate) || !isObject(candidate.content) || !Array.isArray(candidate.content.parts)) return [];
  return candidate.content.parts.filter(isObject);
}

/**
 * Candidates as clients read them, where a vendor broke a member or left one out; the given list where all is right. What is no candidate,
 * no part or no call is left out: Google's clients walk through them without asking.
 */
function readableCandidates(told: unknown): readonly unknown[] | undefined {
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

/** A part as a list of one; an empty list for a part without any readable member. */
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

/**
 * The vendor's own searches, which its usage does not count: the answer names the queries that it searched for, and the places of a map
 * among its sources (docs/rulings.md 144).
 */
export class Searches {
  #web = 0;
  #maps = 0;

  take({ candidates }: JsonRecord): void {
    if (!Array.isArray(candidates)) return;
    for (const candidate of candidates) {
      const told: unknown = isObject(candidate) ? candidate.groundingMetadata : undefined;
      if (!isObject(told)) continue;
      const { webSearchQueries: queries, groundingChunks: sources } = told;
      if (Array.isArray(queries)) this.#web = Math.max(this.#web, queries.length);
      if (Array.isArray(sources) && sources.some((source) => isObject(source) && isObject(source.maps))) this.#maps = 1;
    }
  }

  addTo(usage: Usage | null): Usage | null {
    if (usage === null || (this.#web === 0 && this.#maps === 0)) return usage;
    const calls: CallCounts = {
      ...usage.extra?.calls,
      ...(this.#web > 0 && { web_search: this.#web }),
      ...(this.#maps > 0 && { maps_search: this.#maps }),
    };
    return withExtra(usage, { ...usage.extra, calls });
  }
}
