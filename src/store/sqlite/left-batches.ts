import { SQLiteError } from "bun:sqlite";
import { CannotBeKept } from "../../ledger/books/decide-as-acknowledged.ts";
import { type ChainEnd, linkBatch, readChain, readDigest } from "./chain.ts";
import { doneOps, type FoldedAccounts, readFoldedAccounts } from "./folded-accounts.ts";
import { type JournalRow, type ReadBatch, readBatch, readJournal } from "./journal.ts";
import {
  DecidedOtherwise,
  keepAcknowledged,
  passOver,
  putBatchAside,
  putOneAside,
  replayBatch,
  replayOne,
} from "./replay.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";

/** Receives the notices for the operator. */
interface Reports {
  /** Batches are missing: an incident. */
  lost(detail: string): void;
  notify(message: string): void;
}

/**
 * Writes the batches of the journal that are not in their tables yet, because an earlier process left them or another one wrote them
 * (docs/adr/0015). Each is decided again and written; a batch that cannot be written as it was acknowledged is set aside and reported.
 */
export class LeftBatches {
  readonly #database: SqliteDatabase;
  readonly #reports: Reports;

  constructor(database: SqliteDatabase, reports: Reports) {
    this.#database = database;
    this.#reports = reports;
  }

  /** Writes the journal to the tables, batch by batch. */
  write(): void {
    let end = this.#database.run(readChain());
    const journal = this.#database.run(readJournal());
    const folded = this.#database.run(readFoldedAccounts(journal));
    for (const left of journal) {
      const flaw = end === null ? null : flawOf(end, left);
      if (flaw === "gap") this.#reports.lost(`Batches before number ${left.seq} of the journal are missing.`);
      if (flaw === "damage") this.#putAside(left, "it is not what was written");
      else this.#replay(left, folded);
      if (end !== null) end = { ...end, seq: left.seq, digest: readDigest(left.digest) };
    }
  }

  /** Writes a batch of the journal; one operation after the other where the batch cannot be written as it was decided. */
  #replay(left: JournalRow, folded: FoldedAccounts): void {
    let batch: ReadBatch;
    try {
      batch = readBatch(left);
    } catch (thrown) {
      return this.#putAside(left, messageOf(thrown));
    }
    const done = this.#database.run(doneOps(left, batch.ops, folded));
    if (left.written_ops === 0) {
      try {
        this.#database.run(replayBatch(left, batch, done), "with the next commit");
        return;
      } catch (thrown) {
        if (!isRefusal(thrown)) throw thrown;
      }
    }
    for (let at = left.written_ops; at < batch.ops.length; at += 1) {
      if (done.has(at)) this.#database.run(passOver(left, batch, at));
      else this.#replayOne(left, batch, at);
    }
  }

  #replayOne(left: JournalRow, batch: ReadBatch, at: number): void {
    try {
      this.#database.run(replayOne(left, batch, at));
      return;
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown;
      const why = thrown instanceof DecidedOtherwise ? this.#keep(left, batch, at, thrown.message) : messageOf(thrown);
      if (why === null) return;
      this.#database.run(putOneAside(left, batch, at, why));
      this.#reports.notify(`operation ${at} of batch ${left.seq} of the journal was put aside: ${why}`);
    }
  }

  /** Writes what was acknowledged of an operation. Returns why that cannot be done; else null. */
  #keep(left: JournalRow, batch: ReadBatch, at: number, why: string): string | null {
    try {
      this.#database.run(keepAcknowledged(left, batch, at, why));
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown;
      return `${why}; ${messageOf(thrown)}`;
    }
    this.#reports.notify(
      `operation ${at} of batch ${left.seq} of the journal: ${why}; what was acknowledged was written`,
    );
    return null;
  }

  #putAside(left: JournalRow, why: string): void {
    this.#database.run(putBatchAside(left, why));
    this.#reports.notify(`batch ${left.seq} of the journal was put aside: ${why}`);
  }
}

/** The flaw of a row of the journal that should follow the end of the chain; null where it has none. */
function flawOf(end: ChainEnd, { seq, at_ms, texts, batch, outcome, digest }: JournalRow): "gap" | "damage" | null {
  // After a gap the expected digest is unknown.
  if (seq !== end.seq + 1) return "gap";
  return linkBatch(end, { at_ms, texts, batch, outcome }).digest === readDigest(digest) ? null : "damage";
}

/** Whether the batch is at fault, and not the disk. */
export function isRefusal(thrown: unknown): boolean {
  if (thrown instanceof DecidedOtherwise || thrown instanceof CannotBeKept) return true;
  return !(thrown instanceof SQLiteError) || thrown.code?.startsWith("SQLITE_CONSTRAINT") === true;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : "unknown";
}
