import type { BookOp } from "../batch/book-op.ts";
import { type BookResult, commitBatch } from "../batch/commit-batch.ts";
import { KeptRows } from "../batch/kept-rows.ts";
import type { Work } from "../sql/work.ts";
import { SqliteDatabase } from "./sqlite-database.ts";

/** A connection as the database thread uses it: batches of ledger operations, and all other works. */
export class SqliteBooks {
  readonly #database: SqliteDatabase;
  /** What the last batch has left for the next. Whatever comes between them throws it away. */
  readonly kept = new KeptRows();

  constructor(path: string, mode: "writer" | "reader") {
    this.#database = new SqliteDatabase(path, mode);
  }

  commit(ops: readonly BookOp[]): BookResult[] {
    try {
      return this.#database.run(commitBatch("sqlite", ops, this.kept));
    } catch (thrown) {
      this.kept.clear();
      throw thrown;
    }
  }

  /** Runs a work in one transaction. Whatever it throws is thrown, and nothing of it took place. */
  run<Result>(work: Work<Result>): Result {
    this.kept.clear();
    return this.#database.run(work);
  }

  close(): void {
    this.#database.close();
  }
}
