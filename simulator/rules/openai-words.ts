import { isObject, type Json } from "../protocols/read.ts";
import type { Complaint } from "./rule.ts";

/**
 * OpenAI's sentences about values out of bounds, which chat completions and responses share. Source: the error objects in
 * public reports of its clients, whose sentences differ in place and numbers only.
 */

export function unknownParameter(param: string): Complaint {
  return { message: `Unknown parameter: '${param}'.`, param, code: "unknown_parameter" };
}

export function invalidValue(param: string, found: string, supported: readonly string[]): Complaint {
  const [last = "", ...before] = supported.map((value) => `'${value}'`).reverse();
  const list = before.length === 0 ? last : `${before.reverse().join(", ")}${before.length > 1 ? "," : ""} and ${last}`;
  return { message: `Invalid value: '${found}'. Supported values are: ${list}.`, param, code: "invalid_value" };
}

export function tooLongText(param: string, value: unknown, most: number): Complaint | null {
  if (typeof value !== "string" || value.length <= most) return null;
  return {
    message: `Invalid '${param}': string too long. Expected a string with maximum length ${most}, but got a string with length ${value.length} instead.`,
    param,
    code: "string_above_max_length",
  };
}

export function unlikePattern(param: string, value: unknown, pattern: RegExp): Complaint | null {
  if (typeof value !== "string" || pattern.test(value)) return null;
  return {
    message: `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${pattern.source}'.`,
    param,
    code: "invalid_value",
  };
}

export function tooLongList(param: string, value: unknown, most: number): Complaint | null {
  if (!Array.isArray(value) || value.length <= most) return null;
  return {
    message: `Invalid '${param}': array too long. Expected an array with maximum length ${most}, but got an array with length ${value.length} instead.`,
    param,
    code: "array_above_max_length",
  };
}

export function emptyList(param: string, value: unknown): Complaint | null {
  if (!Array.isArray(value) || value.length > 0) return null;
  return {
    message: `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    param,
    code: "empty_array",
  };
}

interface Range {
  readonly least: number;
  readonly most: number;
  /** The kind of number that the sentence asks for. */
  readonly kind?: "integer" | "decimal";
}

export function outOfRange(param: string, value: unknown, { least, most, kind = "integer" }: Range): Complaint | null {
  if (typeof value !== "number" || (value >= least && value <= most)) return null;
  const [where, sign, bound, code] =
    value > most ? ["above maximum", "<=", most, "above_max"] : ["below minimum", ">=", least, "below_min"];
  return {
    message: `Invalid '${param}': ${kind} ${where} value. Expected a value ${sign} ${bound}, but got ${value} instead.`,
    param,
    code: `${kind}_${code}_value`,
  };
}

const MOST_METADATA = 16;
const LONGEST_METADATA_NAME = 64;
const LONGEST_METADATA_VALUE = 512;

/** At most 16 pairs, names of at most 64 characters, values of at most 512. */
export function wrongMetadata(metadata: unknown): Complaint | null {
  if (!isObject(metadata)) return null;
  const names = Object.keys(metadata);
  if (names.length > MOST_METADATA) {
    return {
      message: `Invalid 'metadata': too many properties. Expected an object with at most ${MOST_METADATA} properties, but got an object with ${names.length} properties instead.`,
      param: "metadata",
      code: "object_above_max_properties",
    };
  }
  const long = names.find((name) => name.length > LONGEST_METADATA_NAME);
  if (long !== undefined) {
    return {
      message: `Invalid 'metadata': property name too long. Expected property names with maximum length ${LONGEST_METADATA_NAME}, but got a property name with length ${long.length} instead.`,
      param: "metadata",
      code: "property_name_above_max_length",
    };
  }
  const [name, found] = Object.entries(metadata).find(([, value]) => typeof value !== "string") ?? [];
  if (name !== undefined) {
    const message = `Invalid type for 'metadata.${name}': expected a string, but got ${nameOfType(found)} instead.`;
    return { message, param: `metadata.${name}`, code: "invalid_type" };
  }
  return firstLong(metadata);
}

function firstLong(metadata: Json): Complaint | null {
  for (const [name, value] of Object.entries(metadata)) {
    const complaint = tooLongText(`metadata.${name}`, value, LONGEST_METADATA_VALUE);
    if (complaint !== null) return complaint;
  }
  return null;
}

function nameOfType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "boolean") return "a boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal number";
  return typeof value === "string" ? "a string" : "an object";
}

/** The image types that are accepted; the refusal of another type lists them. */
export const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
