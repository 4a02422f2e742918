import { textOfParts } from "../../core/answer/sent-body.ts";
import { COMMA, QUOTE } from "../../core/ascii.ts";
import { GatewayError } from "../../core/errors.ts";
import type { JsonMember, JsonMembers } from "../../core/json.ts";
import { endOfMember, endOfString, endOfValue, skipWhitespace } from "./json-walk.ts";

/**
 * Finds the top-level members of a JSON object's text without building the object: where each key and value stands.
 * `text` must be valid JSON and an object (`parseBody` of check-body.ts has seen to that); the walk trusts it.
 *
 * Throws `invalid_json` when a key occurs twice, also in another spelling (`"mod\u0065l"`): readers of JSON disagree
 * about which of the two counts, so a client could name one model to us and another to the vendor. A caller that
 * reports a repeated key differently passes `refuse`, which makes the error (docs/rulings.md 51).
 */
export function findMembers(text: string, refuse: (key: string) => Error = repeated): JsonMembers {
  const members = new MemberPlaces(text, scanMembers(text));
  const twice = members.repeatedKey();
  if (twice !== null) throw refuse(twice);
  return members;
}

/** Start of the key, start and end of the value, for each top-level member: three numbers, one after the other. */
function scanMembers(text: string): number[] {
  const places: number[] = [];
  let at = text.indexOf("{") + 1;
  for (;;) {
    at = skipWhitespace(text, at);
    if (text.charCodeAt(at) !== QUOTE) return places;
    const colon = skipWhitespace(text, endOfString(text, at));
    const value_start = skipWhitespace(text, colon + 1);
    const end = endOfMember(text, value_start);
    places.push(at, value_start, end);
    at = skipWhitespace(text, end);
    if (text.charCodeAt(at) !== COMMA) return places;
    at += 1;
  }
}

/** With more members than this, or a key with escapes, keys are decoded and looked up in a map. */
const FEW = 24;

/**
 * Members as places in the text. A request has few members, and fewer are looked up, so keys are compared where they
 * stand in the text: a map would create more strings than the rest of the walk.
 */
class MemberPlaces implements JsonMembers {
  readonly size: number;
  readonly #text: string;
  readonly #places: readonly number[];
  readonly #index: ReadonlyMap<string, number> | null;

  constructor(text: string, places: readonly number[]) {
    this.#text = text;
    this.#places = places;
    this.size = places.length / 3;
    this.#index = this.size > FEW || this.#hasEscapedKey() ? new Map(this.keys().map((key, at) => [key, at])) : null;
  }

  has(key: string): boolean {
    return this.indexOf(key) !== -1;
  }

  get(key: string): JsonMember | undefined {
    const index = this.indexOf(key);
    return index === -1 ? undefined : this.at(index);
  }

  indexOf(key: string): number {
    if (this.#index !== null) return this.#index.get(key) ?? -1;
    for (let index = 0; index < this.size; index++) {
      const from = this.start(index) + 1;
      if (this.#text.charCodeAt(from + key.length) === QUOTE && this.#text.startsWith(key, from)) return index;
    }
    return -1;
  }

  at(index: number): JsonMember {
    return { start: this.start(index), value_start: this.valueStart(index), end: this.end(index) };
  }

  start(index: number): number {
    return this.#places[index * 3] as number;
  }

  valueStart(index: number): number {
    return this.#places[index * 3 + 1] as number;
  }

  end(index: number): number {
    return this.#places[index * 3 + 2] as number;
  }

  keys(): readonly string[] {
    return Array.from({ length: this.size }, (_, index) => this.#key(index));
  }

  /** A key that occurs twice, or null. */
  repeatedKey(): string | null {
    if (this.#index !== null) {
      if (this.#index.size === this.size) return null;
      // For a repeated key the map holds the last occurrence.
      return this.keys().find((key, at) => this.#index?.get(key) !== at) ?? null;
    }
    for (let index = 1; index < this.size; index++) {
      for (let before = 0; before < index; before++) if (this.#areSame(before, index)) return this.#key(index);
    }
    return null;
  }

  /** Whether two keys without escapes are equal. */
  #areSame(one: number, other: number): boolean {
    let a = this.start(one) + 1;
    let b = this.start(other) + 1;
    for (; this.#text.charCodeAt(a) === this.#text.charCodeAt(b); a++, b++) {
      if (this.#text.charCodeAt(a) === QUOTE) return true;
    }
    return false;
  }

  #hasEscapedKey(): boolean {
    for (let index = 0; index < this.size; index++) {
      const start = this.start(index);
      const backslash = this.#text.indexOf("\\", start);
      if (backslash === -1) return false;
      if (backslash < endOfString(this.#text, start)) return true;
    }
    return false;
  }

  #key(index: number): string {
    const start = this.start(index);
    return readKey(this.#text, start, endOfString(this.#text, start));
  }
}

/** The places of the items of a JSON array that starts at `start` of a valid JSON text. */
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

/** The text of a member's value as sent, or null when the object has no such member. */
export function memberText(text: string, members: JsonMembers, key: string): string | null {
  const index = members.indexOf(key);
  return index === -1 ? null : text.slice(members.valueStart(index), members.end(index));
}

/** A change of a top-level member: its key and the JSON text of its new value, or null to remove the member. */
export type MemberChange = readonly [key: string, value: string | null];
export type MemberChanges = Iterable<MemberChange>;

/**
 * The text with some top-level members replaced, added (at the end) or removed. Every other byte stays as it was sent:
 * unknown fields, the order of keys, white space, and numbers larger than a double can hold.
 */
export function replaceMembers(text: string, changes: MemberChanges, members = findMembers(text)): string {
  return textOfParts(replacedParts(text, changes, members));
}

/** The parts of the text that `replaceMembers` returns: see `rewrittenParts`. */
export function replacedParts(text: string, changes: MemberChanges, members: JsonMembers): readonly string[] {
  let change_of: ChangeOf[] | null = null;
  let added = "";
  for (const [key, value] of changes) {
    change_of ??= new Array<ChangeOf>(members.size).fill(undefined);
    const index = members.indexOf(key);
    if (index !== -1) change_of[index] = value;
    else if (value !== null) added += `,${JSON.stringify(key)}:${value}`;
  }
  return rewrittenParts(text, members, change_of, added);
}

/** The change of a member: a new value as JSON text, null to remove the member, undefined to keep it. */
export type ChangeOf = string | null | undefined;

/**
 * Does what `replaceMembers` does, for changes whose members in the text are already known. `change_of` has an entry
 * for each member, or is null; `added` is appended after the last member, each pair with a comma before it. Returns the parts
 * of the new text in order: unchanged stretches, and what is new between them. No part ends inside a string.
 */
export function rewrittenParts(
  text: string,
  members: JsonMembers,
  change_of: readonly ChangeOf[] | null,
  added: string,
): readonly string[] {
  if (change_of === null && added === "") return [text];
  const parts: string[] = [];
  let from = 0;
  let kept_end = -1;
  for (let index = 0; index < members.size; index++) {
    const change = change_of?.[index];
    if (change === null) {
      // A comma is removed with the member: the comma before it, or after it for the first member.
      parts.push(text.slice(from, kept_end === -1 ? members.start(index) : kept_end));
      if (kept_end === -1) from = index + 1 < members.size ? members.start(index + 1) : members.end(index);
      else {
        from = members.end(index);
        kept_end = from;
      }
      continue;
    }
    if (change !== undefined) {
      parts.push(text.slice(from, members.valueStart(index)), change);
      from = members.end(index);
    }
    kept_end = members.end(index);
  }
  if (added === "") parts.push(text.slice(from));
  else {
    const last = members.size === 0 ? text.indexOf("{") + 1 : members.end(members.size - 1);
    parts.push(text.slice(from, last), kept_end === -1 ? added.slice(1) : added, text.slice(last));
  }
  return parts;
}

function readKey(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes("\\") ? (JSON.parse(text.slice(start, end)) as string) : raw;
}

function repeated(key: string): GatewayError {
  const name = JSON.stringify(key.length <= 60 ? key : `${key.slice(0, 60)}…`);
  return new GatewayError("invalid_json", `The body has the member ${name} more than once; allowed: once.`, {
    param: key.length <= 60 ? key : null,
  });
}

/**
 * The text of a JSON array with some of its items changed; the same string where none changes. An item for which `change`
 * gives null is left out; the commas between the others are then written anew.
 */
export function mapItems(text: string, change: (item: string, index: number) => string | null): string {
  const kept: string[] = [];
  const places = findItems(text, 0);
  let out = "";
  let from = 0;
  for (const [index, { start, end }] of places.entries()) {
    const item = text.slice(start, end);
    const changed = change(item, index);
    if (changed !== null) kept.push(changed);
    if (changed === item) continue;
    out += text.slice(from, start) + (changed ?? "");
    from = end;
  }
  if (from === 0) return text;
  return kept.length === places.length ? out + text.slice(from) : `[${kept.join(",")}]`;
}

/** The texts of the items of a JSON array. */
export function itemTexts(text: string): string[] {
  return findItems(text, 0).map(({ start, end }) => text.slice(start, end));
}
