import { GatewayError } from "../../core/errors.ts";
import type { JsonMember, JsonMembers } from "../../core/json.ts";

const QUOTE = 34;
const BACKSLASH = 92;

/**
 * Finds the top-level members of a JSON object's text without building the object: where each key and value stands.
 * `text` must be valid JSON and an object (`parseBody` of check-body.ts has seen to that); the walk trusts it.
 *
 * Throws `invalid_json` when a key occurs twice, also in another spelling (`"mod\u0065l"`): readers of JSON disagree
 * about which of the two counts, so a client could name one model to us and another to the vendor. Where a repeated key
 * means something else, `refuse` makes the error.
 */
export function findMembers(text: string, refuse: (key: string) => Error = repeated): JsonMembers {
  const members = new Map<string, JsonMember>();
  let at = text.indexOf("{") + 1;
  for (;;) {
    at = skipWhitespace(text, at);
    if (text.charCodeAt(at) !== QUOTE) return members;
    const start = at;
    const key_end = endOfString(text, start);
    const key = readKey(text, start, key_end);
    if (members.has(key)) throw refuse(key);
    const value_start = skipWhitespace(text, text.indexOf(":", key_end) + 1);
    const end = endOfValue(text, value_start);
    members.set(key, { start, value_start, end });
    at = skipWhitespace(text, end);
    if (text[at] !== ",") return members;
    at += 1;
  }
}

/** Where the items of a JSON array stand, the array starting at `start` of a valid JSON text. */
export function findItems(text: string, start: number): readonly JsonSpan[] {
  const items: JsonSpan[] = [];
  let at = skipWhitespace(text, start + 1);
  if (text[at] === "]") return items;
  for (;;) {
    const end = endOfValue(text, at);
    items.push({ start: at, end });
    const next = skipWhitespace(text, end);
    if (text[next] !== ",") return items;
    at = skipWhitespace(text, next + 1);
  }
}

export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/** The text of a member's value as it was sent, or null when the object has no such member. */
export function memberText(text: string, members: JsonMembers, key: string): string | null {
  const member = members.get(key);
  return member === undefined ? null : text.slice(member.value_start, member.end);
}

/** What becomes of top-level members, by key: the JSON text of the new value, or null to remove the member. */
export type MemberChanges = ReadonlyMap<string, string | null>;

/**
 * The text with some top-level members replaced, added (at the end) or removed. Every other byte stays as it was sent:
 * unknown fields, the order of keys, white space, and numbers larger than a double can hold.
 */
export function replaceMembers(text: string, changes: MemberChanges, members = findMembers(text)): string {
  if (changes.size === 0) return text;
  const all = [...members.entries()];
  let out = "";
  let from = 0;
  let kept_end = -1;
  for (const [index, [key, member]] of all.entries()) {
    const change = changes.get(key);
    if (change === null) {
      // The comma goes too: the one before, or for a first member the one behind it.
      out += text.slice(from, kept_end === -1 ? member.start : kept_end);
      from = kept_end === -1 ? (all[index + 1]?.[1].start ?? member.end) : member.end;
      kept_end = kept_end === -1 ? -1 : member.end;
      continue;
    }
    if (change !== undefined) {
      out += text.slice(from, member.value_start) + change;
      from = member.end;
    }
    kept_end = member.end;
  }
  const last = all.at(-1)?.[1].end ?? text.indexOf("{") + 1;
  out += text.slice(from, last);
  return out + additions(changes, members, kept_end !== -1) + text.slice(last);
}

function additions(changes: MemberChanges, members: JsonMembers, after_others: boolean): string {
  let added = "";
  for (const [key, value] of changes) {
    if (value === null || members.has(key)) continue;
    added += `${after_others || added !== "" ? "," : ""}${JSON.stringify(key)}:${value}`;
  }
  return added;
}

function readKey(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes("\\") ? (JSON.parse(text.slice(start, end)) as string) : raw;
}

/** The index after a string that starts at `start`. Strings are skipped by searching for quotes, not byte by byte. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote + 1;
}

/** Whether an odd number of backslashes stands before. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        if (depth === 0) return at;
        continue;
      case "{":
      case "[":
        depth++;
        break;
      case "}":
      case "]":
        if (depth === 0) return endOfScalar(text, start, at);
        depth--;
        if (depth === 0) return at + 1;
        break;
      case ",":
        if (depth === 0) return endOfScalar(text, start, at);
        break;
    }
    at++;
  }
  return at;
}

/** The end of a number, `true`, `false` or `null`, without the white space behind it. */
function endOfScalar(text: string, start: number, stop: number): number {
  let end = stop;
  while (end > start && isWhitespace(text.charCodeAt(end - 1))) end--;
  return end;
}

function skipWhitespace(text: string, from: number): number {
  let at = from;
  while (isWhitespace(text.charCodeAt(at))) at++;
  return at;
}

function isWhitespace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

function repeated(key: string): GatewayError {
  const name = JSON.stringify(key.length <= 60 ? key : `${key.slice(0, 60)}…`);
  return new GatewayError("invalid_json", `The body has the member ${name} more than once; allowed: once.`, {
    param: key.length <= 60 ? key : null,
  });
}
