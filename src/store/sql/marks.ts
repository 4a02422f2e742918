import { sql } from "./statement.ts";
import { toIntOrNull } from "./values.ts";
import { row, rows, type Work } from "./work.ts";

/**
 * Single numbers that the whole database agrees on. `requests_kept_since_ms`: requests that ended before may be deleted.
 * `secret_fingerprint`: of the secret that its keys were made with (ruling 203). `alerts_looked_ms`: when a node last looked what is to be told. `contents_bytes`, `cached_bytes`:
 * what all rows of `content_segments` and `cached_answers` have in their `bytes`. `backed_up_ms`: when the embedded database was last backed up.
 * `cell`: the digest of the name of the cell that the database is; absent: it is no cell (docs/adr/0085).
 */
export type MarkName =
  | "requests_kept_since_ms"
  | "secret_fingerprint"
  | "alerts_looked_ms"
  | "backed_up_ms"
  | "cell"
  | "contents_bytes"
  | "cached_bytes";

const selectDrained = sql("SELECT name FROM drained_cells");

/** The names of the cells that get no new accounts. */
export function* drainedCells(): Work<string[]> {
  return (yield* rows<{ name: string }>(selectDrained)).map(({ name }) => name);
}

const selectMark = sql("SELECT value FROM marks WHERE name = ?");
const raiseMark = sql(
  `INSERT INTO marks (name, value) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE marks.value < excluded.value`,
);

const firstMark = sql("INSERT INTO marks (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING");
const replaceMark = sql(
  "INSERT INTO marks (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
);

export function* readMark(name: MarkName): Work<number | null> {
  return toIntOrNull((yield* row<{ value: unknown }>(selectMark, [name]))?.value);
}

/** A mark only ever rises. */
export function* setMark(name: MarkName, value: number): Work<void> {
  yield* rows(raiseMark, [name, value]);
}

const takeTurn = sql(
  `INSERT INTO marks (name, value) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE marks.value <= ? OR marks.value > excluded.value RETURNING name`,
);

/** Whether a turn has come again since the mark's time, which is then now. Of several nodes one gets it. A clock that was set back gives it at once. */
export function* claimTurn(name: MarkName, now: number, every_ms: number): Work<boolean> {
  return (yield* row(takeTurn, [name, now, now - every_ms])) !== null;
}

/** The fingerprint of the secret that the database's keys were made with: the given one where none was known before. Of two nodes at once, the first one's. */
export function* secretFingerprint(fingerprint: number): Work<number> {
  yield* rows(firstMark, ["secret_fingerprint", fingerprint]);
  return (yield* readMark("secret_fingerprint")) ?? fingerprint;
}

/** The digest of the cell that the database is: the given one where it was none before. */
export function* takeCell(digest: number): Work<number> {
  yield* rows(firstMark, ["cell", digest]);
  return (yield* readMark("cell")) ?? digest;
}

/** Puts another secret's fingerprint in the place of the one that is known. */
export function* acceptSecret(fingerprint: number): Work<void> {
  yield* rows(replaceMark, ["secret_fingerprint", fingerprint]);
}
