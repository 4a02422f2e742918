import { type ReservedSQL, SQL } from "bun";

const CONNECT_TIMEOUT_S = 5;

/** How long one statement may take: it may read or write all that an account has. */
const STATEMENT_MS = 3_600_000;

/**
 * One connection with a transaction that its owner begins and ends: for work that holds transactions of two databases open at a time, which no work of a
 * `PostgresDatabase` can.
 */
export class HeldConnection {
  readonly #sql: SQL;
  readonly #connection: ReservedSQL;

  private constructor(sql: SQL, connection: ReservedSQL) {
    this.#sql = sql;
    this.#connection = connection;
  }

  static async open(url: string, settings: Readonly<Record<string, string>> = {}): Promise<HeldConnection> {
    const sql = new SQL(url, {
      max: 1,
      connectionTimeout: CONNECT_TIMEOUT_S,
      connection: {
        application_name: "camino",
        standard_conforming_strings: "on",
        // What is committed here is what the next step builds on.
        synchronous_commit: "on",
        statement_timeout: String(STATEMENT_MS),
        idle_in_transaction_session_timeout: "0",
        jit: "off",
        ...settings,
      },
    });
    try {
      return new HeldConnection(sql, await sql.reserve());
    } catch (thrown) {
      await sql.close({ timeout: 0 }).catch(() => {});
      throw thrown;
    }
  }

  /** Runs one statement of `text` with its parameters. */
  async run<Row extends object>(text: string, params: readonly unknown[] = []): Promise<readonly Row[]> {
    return await this.#connection.unsafe<Row[]>(text, [...params]);
  }

  /** Runs statements in a transaction that ends with them. */
  async transact<Result>(run: () => Promise<Result>): Promise<Result> {
    await this.run("BEGIN ISOLATION LEVEL READ COMMITTED");
    try {
      const result = await run();
      await this.run("COMMIT");
      return result;
    } catch (thrown) {
      await this.rollBack();
      throw thrown;
    }
  }

  /** Ends a transaction of which nothing remains; does nothing where there is none. */
  async rollBack(): Promise<void> {
    await this.run("ROLLBACK").catch(() => {});
  }

  async close(): Promise<void> {
    this.#connection.release();
    await this.#sql.close({ timeout: 0 }).catch(() => {});
  }
}

/** A text as a literal of SQL. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
