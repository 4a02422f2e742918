import { sql } from "./statement.ts";
import { toIntOrNull } from "./values.ts";
import { row, rows, type Work } from "./work.ts";

/** Single numbers that the whole database agrees on. `requests_kept_since_ms`: requests that ended before may be deleted. */
export type MarkName = "requests_kept_since_ms";

const selectMark = sql("SELECT value FROM marks WHERE name = ?");
const raiseMark = sql(
  `INSERT INTO marks (name, value) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE marks.value < excluded.value`,
);

export function* readMark(name: MarkName): Work<number | null> {
  return toIntOrNull((yield* row<{ value: unknown }>(selectMark, [name]))?.value);
}

/** A mark only ever rises. */
export function* setMark(name: MarkName, value: number): Work<void> {
  yield* rows(raiseMark, [name, value]);
}
