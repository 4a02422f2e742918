import { SQLiteError } from "bun:sqlite";
import { type Clock, systemClock } from "../../core/clock.ts";
import type { BookResult } from "../../ledger/books/decide.ts";
import { migrate } from "../schema/migrate.ts";
import type { Work } from "../sql/work.ts";
import { type Batch, ChangedElsewhere, commitOnWorkingSet, writeWaiting } from "./commit-on-working-set.ts";
import { putAside, readJournal, replay } from "./journal.ts";
import { OpenWorkingSet } from "./open-working-set.ts";
import { SqliteDatabase } from "./sqlite-database.ts";

/** A connection as the database thread uses it: batches of ledger operations, and all other works. */
export class SqliteBooks {
  readonly #database: SqliteDatabase;
  readonly #clock: Clock;
  readonly open = new OpenWorkingSet();
  /** Whether the journal may have batches that the working set has not. */
  #is_behind: boolean;

  private constructor(path: string, mode: "writer" | "reader", clock: Clock) {
    this.#database = new SqliteDatabase(path, mode);
    this.#clock = clock;
    this.#is_behind = mode === "writer";
  }

  /** The one writer: brings the schema up to date, and writes the batches that an earlier process left in the journal. */
  static openWriter(path: string, clock: Clock = systemClock): SqliteBooks {
    const books = new SqliteBooks(path, "writer", clock);
    try {
      books.#database.run(migrate("sqlite"));
      books.#catchUp();
    } catch (thrown) {
      books.#database.close();
      throw thrown;
    }
    return books;
  }

  static openReader(path: string): SqliteBooks {
    return new SqliteBooks(path, "reader", systemClock);
  }

  /** Whether decided operations are not in their tables yet. */
  get isWaiting(): boolean {
    return this.#is_behind || this.open.waiting_ops > 0;
  }

  /** Commits a batch. When it throws, nothing of it took place. */
  commit(batch: Batch): BookResult[] {
    return this.#runOnWorkingSet(() => commitOnWorkingSet(this.open, batch, this.#clock.now_ms()));
  }

  /** Writes the operations that wait to their tables, where readers see them. */
  fold(): void {
    if (this.isWaiting) this.#runOnWorkingSet(() => writeWaiting(this.open));
  }

  /** Runs a work in one transaction, on tables that are up to date. Whatever it throws is thrown, and nothing of it took place. */
  run<Result>(work: Work<Result>): Result {
    this.fold();
    this.open.forget();
    return this.#database.run(work);
  }

  /** Writes the operations that wait, and closes. */
  close(): void {
    try {
      this.fold();
    } catch {
      // The operations stay in the journal: the next process that opens the file writes them, or fails with the reason.
    } finally {
      this.#database.close();
    }
  }

  #runOnWorkingSet<Result>(work: () => Work<Result>): Result {
    this.#catchUp();
    try {
      return this.#database.run(work());
    } catch (thrown) {
      this.open.forget();
      this.#is_behind = true;
      if (!(thrown instanceof ChangedElsewhere)) throw thrown;
    }
    return this.#runOnWorkingSet(work);
  }

  /** Writes the journal to the tables, batch by batch. */
  #catchUp(): void {
    if (!this.#is_behind) return;
    for (const row of this.#database.run(readJournal())) {
      try {
        this.#database.run(replay(row));
      } catch (thrown) {
        if (!isRefusal(thrown)) throw thrown;
        this.#database.run(putAside(row, thrown instanceof Error ? thrown.message : "unknown"));
      }
    }
    this.#is_behind = false;
  }
}

/** Whether the fault is the batch's, and not the disk's. */
function isRefusal(thrown: unknown): boolean {
  return !(thrown instanceof SQLiteError) || thrown.code?.startsWith("SQLITE_CONSTRAINT") === true;
}
