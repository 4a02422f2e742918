import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { systemClock } from "../../core/clock.ts";
import type { LedgerOp } from "../../core/ledger/ledger.ts";
import type { BookResult } from "../../ledger/books/decide.ts";
import { commitBatch } from "../batch/commit-batch.ts";
import { PostgresDatabase } from "../postgres/postgres-database.ts";
import { migrate } from "../schema/migrate.ts";
import type { Work } from "../sql/work.ts";
import { BatchPacker, BatchUnpacker, type PackedBatch } from "../sqlite/pack-op.ts";
import { SqliteBooks } from "../sqlite/sqlite-books.ts";

/** A database whose clock stands where a test puts it. */
export interface MovedBooks {
  moveTo(time: string): Promise<void>;
  commit(ops: readonly LedgerOp[]): Promise<readonly BookResult[]>;
  run<Result>(make: () => Work<Result>): Promise<Result>;
  /** Gives the writer up as a process does that dies, and opens the database anew. */
  crash(): void;
  close(): Promise<void>;
}

/** On SQLite the clock of decisions moves; what is read of SQL's own clock stays real. */
export async function movedSqlite(): Promise<MovedBooks> {
  const folder = mkdtempSync(join(tmpdir(), "camino-moved-"));
  let now_ms = Date.now();
  const open = () =>
    SqliteBooks.openWriter(join(folder, "camino.db"), { clock: { ...systemClock, now_ms: () => now_ms } });
  let books = open();
  const dead: SqliteBooks[] = [];
  const packer = new BatchPacker();
  const unpacker = new BatchUnpacker();
  return {
    moveTo: async (time) => {
      now_ms = Date.parse(time);
    },
    async commit(ops) {
      const batch = JSON.stringify(packer.pack(ops));
      const unpacked = unpacker.unpack(JSON.parse(batch) as PackedBatch);
      return books.commit({ ops: unpacked, for_journal: { texts: JSON.stringify(unpacker.used), batch } }).results;
    },
    run: async (make) => books.run(make()),
    crash() {
      // What waits is in the journal alone.
      books.nameLast();
      dead.push(books);
      books = open();
    },
    async close() {
      books.close();
      for (const each of dead) each.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** On PostgreSQL, in an empty database, a function stands before the server's own clock. */
export async function movedPostgres(url: string): Promise<MovedBooks> {
  const raw = new SQL(url, { max: 1 });
  await raw.unsafe(
    `CREATE TABLE moved_clock (at timestamptz NOT NULL);
      INSERT INTO moved_clock VALUES (pg_catalog.now());
      CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT at FROM public.moved_clock';
      ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = public, pg_catalog`,
  );
  const database = new PostgresDatabase({ url, connections: 1, deadline_ms: 20_000 });
  await database.write(() => migrate("postgres"));
  return {
    moveTo: async (time) => {
      await raw.unsafe(`UPDATE moved_clock SET at = '${time}'`);
    },
    commit: (ops) => database.write(() => commitBatch("postgres", ops)),
    run: (make) => database.write(make),
    crash() {},
    async close() {
      await Promise.all([database.close(), raw.close()]);
    },
  };
}
