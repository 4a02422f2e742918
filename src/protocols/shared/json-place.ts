import { type ErrorCode, GatewayError } from "../../core/errors.ts";
import { describe, type JsonRecord } from "../../core/json.ts";
import { problemError } from "./check-body.ts";
import { pathOf } from "./explain.ts";
import { findItems, findMembers } from "./json-members.ts";

/**
 * A value in a JSON text together with its own text and its place. A parsed object loses the order of keys that look
 * like numbers, and which keys were repeated; the text keeps both.
 */
export interface JsonPlace {
  /** The value as written: a part of the whole text. */
  readonly text: string;
  readonly value: unknown;
  /** Keys and indexes from the whole text to this value. */
  readonly steps: readonly (string | number)[];
}

/** The members of an object by their names, in the order of its text. */
export type PlaceMembers = ReadonlyMap<string, JsonPlace>;

/** Makes the error for a key that an object has twice. */
export type RefuseRepeat = (place: JsonPlace) => Error;

/**
 * The members of an object, in the order of its text. For a repeated key it throws the error that `refuse` makes,
 * `invalid_json` by default.
 */
export function membersOf(object: JsonPlace, refuse: RefuseRepeat = repeatedKey): PlaceMembers {
  const values = object.value as JsonRecord;
  const found = findMembers(object.text, (key) => refuse(memberAt(object, key, values[key], "")));
  const members = new Map<string, JsonPlace>();
  for (const [index, key] of found.keys().entries()) {
    const { value_start, end } = found.at(index);
    members.set(key, memberAt(object, key, values[key], object.text.slice(value_start, end)));
  }
  return members;
}

function memberAt(object: JsonPlace, key: string, value: unknown, text: string): JsonPlace {
  return { text, value, steps: [...object.steps, key] };
}

export function itemsOf(array: JsonPlace): readonly JsonPlace[] {
  const values = array.value as readonly unknown[];
  return findItems(array.text, 0).map(({ start, end }, index) => ({
    text: array.text.slice(start, end),
    value: values[index],
    steps: [...array.steps, index],
  }));
}

/** The error for a value that is not allowed at its place: what was found, what is allowed, where. */
export function wrongValue(place: JsonPlace, code: ErrorCode, allowed: string): GatewayError {
  const path = placePath(place);
  return problemError({ steps: place.steps, path, found: describe(place.value), allowed, value: place.value }, code);
}

/**
 * The member of an object; where the object lacks it, a place without a value, which `wrongValue` reports as missing.
 */
export function memberOf(object: JsonPlace, members: PlaceMembers, key: string): JsonPlace {
  return members.get(key) ?? memberAt(object, key, undefined, "");
}

/** The path of a place, with keys of unusual length cut. */
export function placePath({ steps }: Pick<JsonPlace, "steps">): string {
  return pathOf(steps.map((step) => (typeof step === "string" && step.length > 80 ? `${step.slice(0, 80)}…` : step)));
}

function repeatedKey(place: JsonPlace): Error {
  const path = placePath(place);
  return new GatewayError("invalid_json", `'${path}' is there more than once; allowed: once.`, { param: path });
}
