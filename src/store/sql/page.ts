import { type Statement, sql, type Value } from "./statement.ts";
import { toInt } from "./values.ts";
import { row, type Work } from "./work.ts";

/** The condition for rows behind a place, the newest first; its parameters are what `placesIn` gives. */
export function behind(table: string): string {
  return `(${table}created_ms < ? OR (${table}created_ms = ? AND ${table}id < ?))`;
}

/**
 * How a page of a table's rows, the newest first, finds its place: behind the row with the id that is given, and at the beginning where none
 * is. Null where there is no such row, which no rows are behind.
 */
export function placesIn(table: string): (before_id: string | undefined) => Work<Value[] | null> {
  const select = sql(`SELECT created_ms FROM ${table} WHERE id = ?`);
  return (before_id) => placeBehind(select, before_id);
}

function* placeBehind(select: Statement, before_id: string | undefined): Work<Value[] | null> {
  if (before_id === undefined) return [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, ""];
  const found = yield* row<{ created_ms: unknown }>(select, [before_id]);
  if (found === null) return null;
  return [toInt(found.created_ms), toInt(found.created_ms), before_id];
}
