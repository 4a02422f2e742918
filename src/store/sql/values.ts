import { type Micro, micro } from "../../core/money/money.ts";

/**
 * Values as the drivers return them: SQLite gives 64-bit integers as numbers, PostgreSQL as text or bigint. The schema
 * keeps every integer within ±(2⁵³ − 1), so a number is always exact.
 */

export function toMicro(value: unknown): Micro {
  if (typeof value === "number" || typeof value === "bigint") return micro(value);
  if (typeof value === "string") return micro(BigInt(value));
  throw new TypeError(`the database returned ${typeof value} where an amount was expected`);
}

export function toInt(value: unknown): number {
  if (typeof value === "number") return value;
  const number = Number(value);
  if ((typeof value !== "string" && typeof value !== "bigint") || !Number.isSafeInteger(number)) {
    throw new TypeError(`the database returned ${typeof value} where a whole number was expected`);
  }
  return number;
}

export function toIntOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : toInt(value);
}

export function toBoolean(value: unknown): boolean {
  return toInt(value) !== 0;
}

/** A column that has JSON of our own writing. The caller names the type of what was written. */
export function readJson<Shape>(text: string): Shape {
  return JSON.parse(text);
}
