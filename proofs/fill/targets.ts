import { MS_PER_DAY, systemClock } from "../../src/core/clock.ts";
import { openStore } from "../../src/store/open-store.ts";
import { BY_KEY, PostgresDatabase } from "../../src/store/postgres/postgres-database.ts";
import type { Work } from "../../src/store/sql/work.ts";
import { SqliteBooks } from "../../src/store/sqlite/sqlite-books.ts";
import type { FillOptions } from "./options.ts";

/** A database that is filled: each work is one transaction. */
export interface Target {
  /** How many works it writes at the same time. */
  readonly sessions: number;
  write<Result>(make: () => Work<Result>): Promise<Result>;
  close(): Promise<void>;
}

const DEADLINE_MS = 3_600_000;
/** While PostgreSQL writes calls, the next ones are drawn and decided. */
const POSTGRES_SESSIONS = 3;

/** Opens a database, with its schema up to date. Rejects when a gateway owns it. */
export async function openTarget({ database, days }: Pick<FillOptions, "database" | "days">): Promise<Target> {
  const store = await openStore({ url: database, node_id: NODE });
  await store.upkeep.makeMonths(systemClock.now_ms() - days * MS_PER_DAY);
  await store.ledger.leave(NODE);
  await store.close();
  if (!database.startsWith("sqlite:")) {
    const postgres = new PostgresDatabase({
      url: database,
      connections: POSTGRES_SESSIONS,
      deadline_ms: DEADLINE_MS,
      settings: BY_KEY,
    });
    return { sessions: POSTGRES_SESSIONS, write: (make) => postgres.write(make), close: () => postgres.close() };
  }
  const books = SqliteBooks.openWriter(database.slice("sqlite:".length));
  return {
    sessions: 1,
    write: async (make) => books.run(make()),
    close: async () => {
      books.checkpoint();
      books.close();
    },
  };
}

/** The node that the requests are of. */
export const NODE = "node_0123456789ABCDEFGHIJKL";
