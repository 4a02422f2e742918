import { Database, type Statement as Prepared } from "bun:sqlite";
import type { Synced } from "../sql/beside.ts";
import type { Statement, Value } from "../sql/statement.ts";
import { isSet, runNow, type Step, type Work } from "../sql/work.ts";

/** Rows that one statement inserts. With four times as many it is hardly quicker, and takes four times the memory. */
const ROWS_AT_ONCE = 32;

/** An insertion of ROWS_AT_ONCE rows. Its parameters are always as many: one array serves all of its runs. */
interface RowsAtOnce {
  readonly prepared: Prepared;
  readonly values: Value[];
}

/** One connection to a SQLite file. Runs works straight through, each in a transaction. */
export class SqliteDatabase {
  readonly #db: Database;
  readonly #prepared = new Map<Statement, Prepared>();
  readonly #prepared_rows = new Map<Statement, RowsAtOnce>();
  readonly #begin: Prepared<unknown, []>;
  readonly #commit: Prepared<unknown, []>;
  readonly #merge: Prepared<{ log: number; checkpointed: number }, []>;

  /** `looker`: reads a file that it must not change in any way; a reader may make the log's files. */
  constructor(path: string, mode: "writer" | "reader" | "looker") {
    const access = mode === "looker" ? { readonly: true } : { readwrite: true, create: mode === "writer" };
    this.#db = new Database(path, { ...access, strict: true });
    this.#db.run("PRAGMA foreign_keys = ON");
    this.#db.run("PRAGMA busy_timeout = 5000");
    // Pages that commits come back to are few; reports read through the system's own cache.
    // Two and four times as many took 3 and 9 MB more and saved no time that could be measured.
    this.#db.run("PRAGMA cache_size = -2048");
    if (mode === "writer") {
      this.#db.run("PRAGMA journal_mode = WAL");
      // A commit is on the disk before it is acknowledged.
      this.#db.run("PRAGMA synchronous = FULL");
      // The log is merged into the file every 32 MiB. The same few pages change all the time, so merging more rarely is
      // less work, and fewer commits wait for it.
      this.#db.run("PRAGMA wal_autocheckpoint = 8192");
      // A log that a long report has kept from being merged is cut to this size again.
      this.#db.run("PRAGMA journal_size_limit = 67108864");
    } else {
      this.#db.run("PRAGMA query_only = ON");
    }
    this.#begin = this.#db.prepare(mode === "writer" ? "BEGIN IMMEDIATE" : "BEGIN");
    this.#commit = this.#db.prepare("COMMIT");
    this.#merge = this.#db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  }

  /** Runs a work in one transaction. Whatever it throws is thrown, and nothing of it took place. */
  run<Result>(work: Work<Result>, synced: Synced = "at once"): Result {
    if (synced === "at once") return this.#run(work);
    this.#db.run("PRAGMA synchronous = NORMAL");
    try {
      return this.#run(work);
    } finally {
      this.#db.run("PRAGMA synchronous = FULL");
    }
  }

  #run<Result>(work: Work<Result>): Result {
    this.#begin.run();
    try {
      const result = runNow(work, this.#execute);
      this.#commit.run();
      return result;
    } catch (thrown) {
      // SQLite has rolled back by itself after some failures (a full disk).
      if (this.#db.inTransaction) this.#db.run("ROLLBACK");
      throw thrown;
    }
  }

  /** Merges the write-ahead log into the file, as far as no reader needs it. Returns whether all of it is merged. */
  mergeLog(): boolean {
    const merged = this.#merge.get();
    return merged !== null && merged.log === merged.checkpointed;
  }

  /** Closes for good: with statements left, SQLite would keep the file open until they are collected. */
  close(): void {
    for (const prepared of this.#prepared.values()) prepared.finalize();
    for (const { prepared } of this.#prepared_rows.values()) prepared.finalize();
    for (const prepared of [this.#begin, this.#commit, this.#merge]) prepared.finalize();
    this.#prepared.clear();
    this.#prepared_rows.clear();
    this.#db.close(true);
  }

  readonly #execute = (step: Step): readonly unknown[] => {
    const prepared = this.#prepare(step.statement);
    if (!isSet(step)) return prepared.all(...step.params);
    const { statement, params } = step;
    if (prepared.columnNames.length > 0) return selectEach(prepared, params);
    changeEach(prepared, params, this.#insertRows(statement, params));
    return [];
  };

  /** Inserts as many of the rows as come out even, and says how many. */
  #insertRows(statement: Statement, sets: readonly (readonly Value[])[]): number {
    const even = sets.length - (sets.length % ROWS_AT_ONCE);
    if (even === 0 || statement.sqlite_rows === undefined) return 0;
    let together = this.#prepared_rows.get(statement);
    if (together === undefined) {
      together = { prepared: this.#db.prepare(statement.sqlite_rows(ROWS_AT_ONCE)), values: [] };
      this.#prepared_rows.set(statement, together);
    }
    const { prepared, values } = together;
    for (let at = 0; at < even; at += ROWS_AT_ONCE) {
      join(sets, at, values);
      prepared.run(values);
    }
    return even;
  }

  #prepare(statement: Statement): Prepared {
    let prepared = this.#prepared.get(statement);
    if (prepared === undefined) {
      prepared = this.#db.prepare(statement.sqlite);
      this.#prepared.set(statement, prepared);
    }
    return prepared;
  }
}

function selectEach(prepared: Prepared, sets: readonly (readonly Value[])[]): unknown[] {
  const found: unknown[] = [];
  for (const params of sets) {
    // The looked-up columns are unique.
    const one = prepared.get(...params);
    if (one !== null) found.push(one);
  }
  return found;
}

function changeEach(prepared: Prepared, sets: readonly (readonly Value[])[], start: number): void {
  // The parameters go in as one array: spread, they would be put into another array first.
  for (let at = start; at < sets.length; at += 1) prepared.run(sets[at] as Value[]);
}

/** Makes `values` those of ROWS_AT_ONCE rows from `start` on, one after the other. */
function join(sets: readonly (readonly Value[])[], start: number, values: Value[]): void {
  let count = 0;
  for (let at = start; at < start + ROWS_AT_ONCE; at += 1) {
    for (const value of sets[at] as readonly Value[]) values[count++] = value;
  }
}
