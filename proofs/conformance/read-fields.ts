import { demand, quote } from "./violation.ts";

/** Strict readers of a deployment's answers: each throws unless a member is present and has its type. */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses a JSON text that must be an object. */
export function parseFields(text: string, what: string): Fields {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    demand(false, `${what} is no JSON: ${quote(text)}`);
  }
  demand(isFields(value), `${what} is no JSON object: ${quote(value)}`);
  return value;
}

export function fieldsAt(holder: Fields, name: string): Fields {
  const value = holder[name];
  demand(isFields(value), `'${name}' is ${quote(value)}, not an object`);
  return value;
}

export function listAt(holder: Fields, name: string): readonly Fields[] {
  const value = holder[name];
  demand(Array.isArray(value) && value.every(isFields), `'${name}' is ${quote(value)}, not an array of objects`);
  return value;
}

export function textAt(holder: Fields, name: string): string {
  const value = holder[name];
  demand(typeof value === "string", `'${name}' is ${quote(value)}, not a string`);
  return value;
}

/** Reads a string that must not be empty, such as an id or a name. */
export function nameAt(holder: Fields, name: string): string {
  const value = textAt(holder, name);
  demand(value !== "", `'${name}' is empty`);
  return value;
}

export function countAt(holder: Fields, name: string): number {
  const value = holder[name];
  demand(Number.isInteger(value) && Number(value) >= 0, `'${name}' is ${quote(value)}, not a count`);
  return Number(value);
}

/** Reads a count; an absent or null count is 0. */
export function optionalCount(holder: unknown, name: string): number {
  return isFields(holder) && holder[name] !== undefined && holder[name] !== null ? countAt(holder, name) : 0;
}

export function demandValue(holder: Fields, name: string, ...allowed: readonly unknown[]): void {
  const value = holder[name];
  demand(allowed.includes(value), `'${name}' is ${quote(value)}; allowed: ${allowed.map(quote).join(", ")}`);
}
