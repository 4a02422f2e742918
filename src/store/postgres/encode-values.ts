import { arrayText, storable } from "../sql/array-text.ts";
import type { ColumnType, Value } from "../sql/statement.ts";
import type { SetStep } from "../sql/work.ts";

/** The rows of parameters of a step, as the one parameter that its statement has. */
export function encodeSet({ statement, params }: SetStep): string {
  if (statement.is_array === true) return arrayText(params.map(([value = null]) => value));
  return encodeRows(params, statement.set);
}

/** Rows as one JSON array. Whole numbers travel as texts, which are exact and which the server reads faster than JSON's numbers. */
function encodeRows(rows: readonly (readonly Value[])[], types: readonly ColumnType[]): string {
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
 * A value as SQL; its place in the statement gives it its type. A quote is the only character that must be doubled, because the session
 * reads backslashes as they are (`standard_conforming_strings`). Throws a StoreConflict for a text that PostgreSQL cannot store.
 */
export function literal(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `'${storable(value).replaceAll("'", "''")}'`;
  if (typeof value !== "object") return `'${value}'`;
  return `'\\x${value.toHex()}'`;
}
