import type { BookOp } from "../../ledger/books/book-op.ts";
import type { BookResult } from "../../ledger/books/decide.ts";
import { sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { type ChainEnd, digestText, linkBatch, readDigest } from "./chain.ts";
import { BatchUnpacker, type PackedBatch } from "./pack-op.ts";
import { readOutcomes } from "./pack-result.ts";

/**
 * The journal: batches that were decided and acknowledged, but whose rows are not written yet, with the results that were
 * acknowledged (docs/rulings.md 148). replay.ts writes them to their tables.
 */

/** The format of `texts`, `batch` and `outcome` (pack-op.ts). Whoever changes it takes another number, and goes on reading this one. */
const FORMAT = 1;

/** A batch as it came from the main thread, and the texts that it names by their numbers: a row of the journal has both. */
export interface JournalBatch {
  readonly texts: string;
  readonly batch: string;
}

export interface JournalRow extends JournalBatch {
  readonly seq: number;
  readonly format: number;
  readonly at_ms: number;
  /** The acknowledged results (pack-result.ts). */
  readonly outcome: string;
  /** The chain's digest after this batch. */
  readonly digest: string;
  /** How many of the batch's operations have been dealt with already. */
  readonly written_ops: number;
}

const append = sql(
  `INSERT INTO journal (seq, format, at_ms, texts, batch, outcome, digest) VALUES (?, ${FORMAT}, ?, ?, ?, ?, ?)`,
);
const selectAll = sql(
  "SELECT seq, format, at_ms, texts, batch, outcome, digest, written_ops FROM journal ORDER BY seq",
);
const removeAll = sql("DELETE FROM journal");
const selectOne = sql("SELECT seq, digest, at_ms FROM journal WHERE seq = ?");
const removeThrough = sql("DELETE FROM journal WHERE seq <= ?");

/** Appends a batch with its results. Returns the chain's end after it (docs/rulings.md 133). */
export function* appendToJournal(
  end: ChainEnd,
  at_ms: number,
  { texts, batch }: JournalBatch,
  outcome: string,
): Work<ChainEnd> {
  const next = linkBatch(end, { at_ms, texts, batch, outcome });
  yield* rows(append, [next.seq, at_ms, texts, batch, outcome, digestText(next.digest)]);
  return next;
}

/** The journal's row for a commit whose changes are all written: behind waiting commits, it keeps the chain whole. */
export const NOTHING_WAITS: JournalBatch = { texts: "[]", batch: '{"texts":[],"ops":[]}' };

export function* emptyJournal(): Work<void> {
  yield* rows(removeAll);
}

/** Removes the rows up to one that is there, and returns the chain's end after that. */
export function* cutJournal(through_seq: number): Work<Omit<ChainEnd, "history">> {
  const found = yield* row<Pick<JournalRow, "seq" | "at_ms" | "digest">>(selectOne, [through_seq]);
  if (found === null) throw new Error(`the journal has no commit ${through_seq}`);
  yield* rows(removeThrough, [through_seq]);
  return { seq: toInt(found.seq), digest: readDigest(found.digest), at_ms: toInt(found.at_ms) };
}

/** All rows of the journal, in order. Throws when a newer program has written one of them. */
export function* readJournal(): Work<readonly JournalRow[]> {
  // SQLite's numbers are JavaScript's.
  const found = yield* rows<JournalRow>(selectAll);
  for (const { format } of found) {
    if (format === FORMAT) continue;
    throw new Error(
      `The journal of the database has entries of format ${format}, and this version of Camino knows ${FORMAT}. ` +
        "Start the version that ran on it last, and stop it: it leaves no journal behind.",
    );
  }
  return found;
}

/** A batch of the journal as operations, and the results that were acknowledged. */
export interface ReadBatch {
  readonly ops: readonly BookOp[];
  readonly acknowledged: readonly BookResult[];
}

/** Throws where the texts of the row are not what a writer leaves. */
export function readBatch({ texts, batch, outcome }: JournalRow): ReadBatch {
  const { ops: packed } = JSON.parse(batch) as PackedBatch;
  const ops = new BatchUnpacker().unpack({ texts: JSON.parse(texts) as PackedBatch["texts"], ops: packed });
  const acknowledged = readOutcomes(outcome);
  if (acknowledged.length !== ops.length) {
    throw new Error(`the row has ${ops.length} operations and ${acknowledged.length} outcomes`);
  }
  return { ops, acknowledged };
}
