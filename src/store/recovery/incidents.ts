import type { IncidentKind, IncidentRecord, WrongRow } from "../../core/operations/incidents.ts";
import { now_ms } from "../sql/clock.ts";
import { int, readRows, text, word } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

/**
 * Incidents: what went wrong with the books and was not mended without a trace (docs/rulings.md 148). The audit reports
 * an incident until a person has closed it.
 */
const insert = sql("INSERT INTO incidents (at_ms, kind, detail) VALUES (?, ?, ?)");
const INCIDENT = { id: int, at_ms: int, kind: word<IncidentKind>(), detail: text } as const;
const COLUMNS = "seq AS id, at_ms, kind, detail";
const selectOpen = sql(`SELECT ${COLUMNS} FROM incidents WHERE closed_ms IS NULL ORDER BY seq LIMIT ?`);
const countOpen = sql("SELECT count(*) AS incidents FROM incidents WHERE closed_ms IS NULL");
const close = sql(
  "UPDATE incidents SET closed_ms = ?, closed_by = ?, note = ? WHERE seq = ? AND closed_ms IS NULL RETURNING seq",
);

const selectOpenOfBooks = sql(
  `SELECT ${COLUMNS} FROM incidents WHERE closed_ms IS NULL AND kind <> 'wrong_row' ORDER BY seq LIMIT ?`,
);

export function* recordIncident(at_ms: number, kind: IncidentKind, detail: string): Work<void> {
  yield* rows(insert, [at_ms, kind, detail]);
}

const DAY_MS = 86_400_000;
const selectWrong = sql("SELECT detail FROM incidents WHERE kind = ? AND at_ms > ? ORDER BY seq");

/** Records an incident for a row that is wrong, where there was none for it in the last day (docs/rulings.md 171). */
export function* noteWrongRow({ model, row }: WrongRow, why: string): Work<void> {
  const at_ms = yield* now_ms();
  const begins = `${model} (row ${row}): `;
  const recent = yield* rows<{ detail: string }>(selectWrong, ["wrong_row", at_ms - DAY_MS]);
  if (recent.some(({ detail }) => detail.startsWith(begins))) return;
  yield* recordIncident(at_ms, "wrong_row", begins + why);
}

/** Every row that was ever found wrong, whether or not a person has dealt with it: it is until the row changes. */
export function* wrongRows(): Work<WrongRow[]> {
  const found = yield* rows<{ detail: string }>(selectWrong, ["wrong_row", 0]);
  return found.flatMap(({ detail }) => {
    const [, model, row] = /^(\S+) \(row ([0-9a-f]+)\): /.exec(detail) ?? [];
    return model === undefined || row === undefined ? [] : [{ model, row }];
  });
}

/** The open incidents, the oldest first. */
export function* openIncidents(limit: number): Work<IncidentRecord[]> {
  return yield* readRows(INCIDENT, selectOpen, [limit]);
}

/** Those of them that concern the books: a wrong row of the catalogue does not. */
export function* openIncidentsOfBooks(limit: number): Work<IncidentRecord[]> {
  return yield* readRows(INCIDENT, selectOpenOfBooks, [limit]);
}

export function* countIncidents(): Work<number> {
  return toInt((yield* row<{ incidents: unknown }>(countOpen))?.incidents ?? 0);
}

/** Closes an incident that a person has dealt with. False when no such incident is open. */
export function* closeIncident(id: number, closed_by: string, note: string): Work<boolean> {
  return (yield* row(close, [yield* now_ms(), closed_by, note, id])) !== null;
}
