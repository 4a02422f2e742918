import { StoreConflict } from "../../core/ports.ts";
import type { ColumnType, Value } from "../sql/statement.ts";

/** Rows of parameters as one JSON array. Whole numbers travel as texts: the server reads them faster than JSON's numbers, and exactly. */
export function encodeRows(rows: readonly (readonly Value[])[], types: readonly ColumnType[]): string {
  let text = "[";
  for (let at = 0; at < rows.length; at += 1) {
    const values = rows[at] ?? [];
    text += at === 0 ? "[" : ",[";
    for (let column = 0; column < values.length; column += 1) {
      if (column > 0) text += ",";
      text += encode(values[column] ?? null, types[column]);
    }
    text += "]";
  }
  return `${text}]`;
}

function encode(value: Value, type: ColumnType | undefined): string {
  if (value === null) return "null";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object") return `"${value}"`;
  return type === "bytea" ? `"${value.toBase64()}"` : "null";
}

/**
 * A value as SQL, with its type left to where it stands. The session reads backslashes as they are (`standard_conforming_strings`),
 * so a quote is all that must be doubled. Throws a StoreConflict for a text that PostgreSQL cannot store.
 */
export function literal(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "string") {
    if (value.includes("\0")) throw new StoreConflict("The text has a character that cannot be stored.");
    return `'${value.replaceAll("'", "''")}'`;
  }
  if (typeof value !== "object") return `'${value}'`;
  return `'\\x${value.toHex()}'`;
}
