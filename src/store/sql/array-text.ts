import { StoreConflict } from "../../core/store/ports.ts";
import type { Value } from "./statement.ts";

/** Values as the text of a PostgreSQL array. Throws a StoreConflict for a text that PostgreSQL cannot store. */
export function arrayText(values: Iterable<Value>): string {
  let text = "{";
  for (const value of values) text += `${text.length > 1 ? "," : ""}${element(value)}`;
  return `${text}}`;
}

function element(value: Value): string {
  if (typeof value !== "string") return value === null ? "NULL" : String(value);
  return `"${storable(value).replace(/["\\]/g, "\\$&")}"`;
}

/** The text itself, if PostgreSQL can store it. */
export function storable(text: string): string {
  if (text.includes("\0")) throw new StoreConflict("The text has a character that cannot be stored.");
  return text;
}
