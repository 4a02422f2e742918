import { type ReservedSQL, SQL } from "bun";
import { StoreConflict } from "../../core/ports.ts";
import type { ColumnType, Value } from "../sql/statement.ts";
import { isSet, runAwaited, type Step, type Work } from "../sql/work.ts";

/** A work is made anew for each try: a generator runs once. */
export type MakeWork<Result> = () => Work<Result>;

export interface PostgresOptions {
  readonly url: string;
  readonly connections: number;
}

// Nothing here waits for people: whatever takes longer is stuck, and must not hold an account's lock for ever.
const SETTINGS = {
  application_name: "camino",
  statement_timeout: "30000",
  lock_timeout: "10000",
  idle_in_transaction_session_timeout: "30000",
};
const CONNECT_TIMEOUT_S = 10;

const SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
// Named, because the server may be set to another default; what must not change meanwhile is locked.
const READ_COMMITTED = "BEGIN ISOLATION LEVEL READ COMMITTED";

/** Serialization failure, deadlock: the same transaction may pass at the next try. */
const TRANSIENT = new Set(["40001", "40P01"]);
const MAX_TRIES = 8;
/** Text with a NUL character or half a surrogate pair, which PostgreSQL does not store. */
const UNSTORABLE_TEXT = new Set(["22021", "22P05"]);

/** Connections to a PostgreSQL database. */
export class PostgresDatabase {
  readonly #sql: SQL;

  constructor({ url, connections }: PostgresOptions) {
    this.#sql = new SQL(url, { max: connections, connectionTimeout: CONNECT_TIMEOUT_S, connection: SETTINGS });
  }

  /** Runs a work that only reads and that no change in between can make inconsistent. */
  read<Result>(make: MakeWork<Result>): Promise<Result> {
    return runAwaited(make(), (step) => execute(this.#sql, step));
  }

  /** Runs a work in one transaction. Whatever it throws is thrown, and nothing of it took place. */
  write<Result>(make: MakeWork<Result>): Promise<Result> {
    return this.#transact(READ_COMMITTED, make);
  }

  /** Runs a work that reads the database as it is at one moment. */
  snapshot<Result>(make: MakeWork<Result>): Promise<Result> {
    return this.#transact(SNAPSHOT, make);
  }

  close(): Promise<void> {
    return this.#sql.close();
  }

  async #transact<Result>(begin: string, make: MakeWork<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      const connection = await this.#sql.reserve();
      try {
        return await transact(connection, begin, make());
      } catch (thrown) {
        const state = sqlState(thrown);
        if (UNSTORABLE_TEXT.has(state)) {
          throw new StoreConflict("The text has a character that cannot be stored.", { cause: thrown });
        }
        if (!TRANSIENT.has(state) || attempt === MAX_TRIES) throw thrown;
      } finally {
        connection.release();
      }
    }
  }
}

/** `BEGIN` and the first statements are on their way together; none that follows is sent before it has succeeded. */
async function transact<Result>(connection: ReservedSQL, begin: string, work: Work<Result>): Promise<Result> {
  // A query is sent when it is first awaited; this one must be the first on its way.
  const begun = connection.unsafe(begin).execute();
  try {
    const result = await runAwaited(work, async (step) => {
      const [rows] = await Promise.all([execute(connection, step), begun]);
      return rows;
    });
    await begun;
    await connection.unsafe("COMMIT");
    return result;
  } catch (thrown) {
    // Where the connection is lost the server rolls back by itself.
    await connection.unsafe("ROLLBACK").catch(() => {});
    throw thrown;
  }
}

async function execute(sql: SQL, step: Step): Promise<readonly unknown[]> {
  const { statement } = step;
  if (!isSet(step)) return await sql.unsafe<unknown[]>(statement.postgres, [...step.params]);
  if (step.params.length === 0) return [];
  const encoded = encodeRows(step.params, step.statement.set);
  return await sql.unsafe<unknown[]>(statement.postgres, [encoded]);
}

/** Rows of parameters as one JSON array. Whole numbers travel as text, since a JSON number is not exact for all. */
function encodeRows(rows: readonly (readonly Value[])[], types: readonly ColumnType[]): string {
  return JSON.stringify(rows.map((values) => values.map((value, index) => encode(value, types[index]))));
}

function encode(value: Value, type: ColumnType | undefined): string | number | null {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return type === "bytea" ? value.toBase64() : null;
  return value;
}

/** The SQLSTATE of an error that the server sent; empty for any other. */
export function sqlState(thrown: unknown): string {
  return thrown instanceof SQL.PostgresError && typeof thrown.errno === "string" ? thrown.errno : "";
}
