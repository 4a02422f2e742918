import { isObject, type JsonRecord } from "../../core/json.ts";

/** A number as it is written in a JSON text, so that prices are read digit by digit and never as floats. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Parses JSON with every number kept as it is written. Throws a SyntaxError when the text is not JSON. */
export function parseWithNumberTexts(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === "number" ? new NumberText(context?.source ?? String(value)) : value,
  );
}

/** The members of an object that are objects themselves. */
export function objectsIn(value: unknown): [string, JsonRecord][] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => (isRecord(member) ? [[key, member]] : []));
}

export function isRecord(value: unknown): value is JsonRecord {
  return isObject(value) && !(value instanceof NumberText);
}

export function textIn(record: JsonRecord, key: string): string | null {
  const value = record[key];
  return typeof value === "string" && value !== "" ? value : null;
}

export function textsIn(record: JsonRecord, key: string): string[] {
  const value = record[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** A whole number above 0; null for anything else, because zero stands for unknown in published lists. */
export function countIn(record: JsonRecord, key: string): number | null {
  const value = record[key];
  const count = value instanceof NumberText ? Number(value.text) : Number.NaN;
  return Number.isSafeInteger(count) && count > 0 ? count : null;
}
