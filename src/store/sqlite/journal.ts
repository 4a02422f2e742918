import type { BookOp } from "../../ledger/books/book-op.ts";
import { commitLoaded } from "../batch/commit-batch.ts";
import { loadMissing } from "../batch/load-working-set.ts";
import { newWorkingSet } from "../../ledger/books/working-set.ts";
import { sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { BatchUnpacker, type PackedBatch } from "./pack-op.ts";

/**
 * The journal: batches that were decided and acknowledged, but whose rows are not written yet. Decisions follow from the
 * rows, the operations and the time alone, so a batch that is decided again after the same ones decides the same.
 */

/** The format of `texts` and `batch` (pack-op.ts). Whoever changes it takes another number, and goes on reading this one. */
const FORMAT = 3;
/**
 * The formats that can be read. In format 1 each admission has its terms in itself (pack-flat-admit.ts); before format 3 no
 * settlement has `usage_extra` at its end.
 */
const FORMATS: readonly number[] = [1, 2, FORMAT];

/** A batch as it came from the main thread, and the texts that it names by their numbers: a row of the journal has both. */
export interface JournalBatch {
  readonly texts: string;
  readonly batch: string;
}

export interface JournalRow extends JournalBatch {
  readonly seq: unknown;
  readonly format: unknown;
  readonly at_ms: unknown;
}

const append = sql(`INSERT INTO journal (format, at_ms, texts, batch) VALUES (${FORMAT}, ?, ?, ?)`);
const selectAll = sql("SELECT seq, format, at_ms, texts, batch FROM journal ORDER BY seq");
const removeAll = sql("DELETE FROM journal");
const removeOne = sql("DELETE FROM journal WHERE seq = ?");
const refuse = sql(
  `INSERT INTO journal_refused (format, at_ms, texts, batch, problem)
    SELECT format, at_ms, texts, batch, ? FROM journal WHERE seq = ?`,
);

export function* appendToJournal(now_ms: number, { texts, batch }: JournalBatch): Work<void> {
  yield* rows(append, [now_ms, texts, batch]);
}

export function* emptyJournal(): Work<void> {
  yield* rows(removeAll);
}

/** All rows of the journal, in order. Throws when a newer program has written one of them. */
export function* readJournal(): Work<readonly JournalRow[]> {
  const found = yield* rows<JournalRow>(selectAll);
  for (const { format } of found) {
    if (FORMATS.includes(toInt(format))) continue;
    throw new Error(
      `The journal of the database has entries of format ${toInt(format)}, and this version of Camino knows ${FORMATS.join(", ")}. ` +
        "Start the version that ran on it last, and stop it: it leaves no journal behind.",
    );
  }
  return found;
}

/** Decides a batch of the journal again, at its time, and writes it to its tables. */
export function* replay(row: JournalRow): Work<void> {
  const ops = opsOf(row);
  const working = newWorkingSet(toInt(row.at_ms), { accounts: new Map(), keys: new Map(), requests: new Map() });
  yield* loadMissing(working, ops);
  yield* commitLoaded(working, ops);
  yield* rows(removeOne, [toInt(row.seq)]);
}

/** Puts a batch aside that its tables refuse, so that it does not stand in the way of all others. The audit reports it. */
export function* putAside({ seq }: JournalRow, problem: string): Work<void> {
  yield* rows(refuse, [problem, toInt(seq)]);
  yield* rows(removeOne, [toInt(seq)]);
}

function opsOf({ texts, batch }: JournalBatch): readonly BookOp[] {
  const { ops } = JSON.parse(batch) as PackedBatch;
  return new BatchUnpacker().unpack({ texts: JSON.parse(texts) as PackedBatch["texts"], ops });
}
