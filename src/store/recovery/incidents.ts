import { MS_PER_DAY } from "../../core/clock.ts";
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
const insert = sql("INSERT INTO incidents (at_ms, kind, detail, model, catalog_row) VALUES (?, ?, ?, ?, ?)");
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

/** `about`: the row of the catalogue that is wrong, where it is about one. */
export function* recordIncident(
  at_ms: number,
  kind: IncidentKind,
  detail: string,
  about: WrongRow | null = null,
): Work<void> {
  yield* rows(insert, [at_ms, kind, detail, about?.model ?? null, about?.row ?? null]);
}

const selectRecent = sql(
  "SELECT 1 AS found FROM incidents WHERE kind = 'wrong_row' AND model = ? AND catalog_row = ? AND at_ms > ? LIMIT 1",
);
const WRONG = { model: text, row: text } as const;
const selectWrong = sql(
  "SELECT DISTINCT model, catalog_row AS row FROM incidents WHERE kind = 'wrong_row' AND catalog_row IS NOT NULL",
);

/** Records an incident for a row that is wrong, where there was none for it in the last day (docs/rulings.md 171). */
export function* noteWrongRow(wrong: WrongRow, why: string): Work<void> {
  const at_ms = yield* now_ms();
  const { model, row: catalog_row } = wrong;
  if ((yield* row(selectRecent, [model, catalog_row, at_ms - MS_PER_DAY])) !== null) return;
  yield* recordIncident(at_ms, "wrong_row", `${model} (row ${catalog_row}): ${why}`, wrong);
}

/** Every row that was ever found wrong, whether or not a person has dealt with it: it is until the row changes. */
export function* wrongRows(): Work<WrongRow[]> {
  return yield* readRows(WRONG, selectWrong);
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
