import { type ReservedSQL, SQL } from "bun";
import type { StoreTrouble } from "../../core/store-errors.ts";
import { isSet, runAwaited, type Step, type Work } from "../sql/work.ts";
import { Deadline } from "./deadline.ts";
import { EarlyRelease, type Released } from "./early-release.ts";
import { encodeSet } from "./encode-values.ts";
import { Messages } from "./messages.ts";
import { retryTransient } from "./retry-transient.ts";
import { givenUp, type MakeWork, requireTime, type Session, type TransactionAttempt } from "./session.ts";
import { DatabaseTimeout, losesConnection, PoolExhausted, sqlState, storeError, troubleOf } from "./store-trouble.ts";

export interface PostgresOptions {
  readonly url: string;
  readonly connections: number;
  /**
   * How long a work may take on its connection, and how long it may wait for one. The server ends a statement a little earlier if it still
   * can; after the deadline the caller gets an error in any case.
   */
  readonly deadline_ms: number;
  /** Settings of the session beside the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * Called with each new connection before its first work; where it throws, that work fails with its error. Only with a single connection.
   */
  readonly onSession?: (session: Session) => Promise<void>;
  /** Whether the steps of a transaction travel as one message. Only where there is one connection. */
  readonly in_messages?: boolean;
  /** Decides which transactions release their locks before the flush. Only with `in_messages`. */
  readonly release?: EarlyRelease;
  /** The isolation of writing transactions. Rows that must not change meanwhile are locked, so the usual isolation is enough. */
  readonly isolation?: Isolation;
  /** Called where a work failed because the database could not be used. */
  readonly onTrouble?: (trouble: StoreTrouble) => void;
}

/** "serializable" is for engines that support no other isolation. */
export type Isolation = "read committed" | "serializable";

/**
 * Settings for statements that look rows up by their keys: the planner uses the keys' indices whatever it knows of the tables. In
 * a young database it knows nothing, and keeps plans that it made when the tables were empty.
 */
export const BY_KEY: Readonly<Record<string, string>> = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_bitmapscan: "off",
  // With scans disabled, a plan that has to scan looks so expensive that it would be compiled first.
  jit: "off",
};

/** Makes one plan for a statement at its first use, for all parameters. */
export const PLANNED_ONCE: Readonly<Record<string, string>> = { plan_cache_mode: "force_generic_plan" };

/**
 * Settings for statements that read many rows along an index or a range of it: no table with a usable index is read whole, and a plan is
 * made for each set of parameters.
 */
export const REPORTING: Readonly<Record<string, string>> = {
  enable_seqscan: "off",
  plan_cache_mode: "force_custom_plan",
  jit: "off",
};

const CONNECT_TIMEOUT_S = 3;
/** How much earlier than the deadline the server ends a statement, and gives up waiting for a lock. */
const SERVER_MARGIN_MS = 500;
const LOCK_MARGIN_MS = 1000;

const SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
// Named, because the server may be set to another default.
const WRITING: Readonly<Record<Isolation, string>> = {
  "read committed": "BEGIN ISOLATION LEVEL READ COMMITTED",
  serializable: "BEGIN ISOLATION LEVEL SERIALIZABLE",
};

/**
 * Connections to a PostgreSQL database. No work takes longer than its deadline, even where the server was stopped or its host is gone. The
 * connections are closed then, and the next work opens new ones.
 */
export class PostgresDatabase {
  readonly #options: PostgresOptions;
  readonly #messages: Messages | null;
  readonly #begin: string;
  readonly #release: EarlyRelease;
  #sql: SQL;
  /** Whether `onSession` has not been called for the connection yet. */
  #is_new = true;
  /** When a work last gave its connection back, by the monotonic clock. */
  #given_back_ms = Number.NEGATIVE_INFINITY;

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.#messages = options.in_messages === true ? new Messages() : null;
    this.#begin = WRITING[options.isolation ?? "read committed"];
    this.#release = options.release ?? new EarlyRelease();
    this.#sql = this.#connect();
  }

  /** Runs a read-only work whose result stays consistent whatever changes between its statements. */
  read<Result>(make: MakeWork<Result>): Promise<Result> {
    return this.#retrying((connection) => runAwaited(make(), (step) => execute(connection, step)));
  }

  /** Runs a work in one transaction. Whatever it throws is thrown, and nothing of it took place. */
  write<Result>(make: MakeWork<Result>): Promise<Result> {
    const messages = this.#messages;
    if (messages === null) return this.#transact(this.#begin, make);
    return this.#retrying((connection, attempt) =>
      transactInMessages({ connection, messages, begin: this.#begin, attempt, release: this.#release }, make()),
    );
  }

  /** Runs a work that reads the database as it is at one moment. */
  snapshot<Result>(make: MakeWork<Result>): Promise<Result> {
    return this.#transact(SNAPSHOT, make);
  }

  /** Waits for what runs, as long as a work may take. */
  close(): Promise<void> {
    return this.#sql.close({ timeout: Math.ceil(this.#options.deadline_ms / 1000) });
  }

  #connect(): SQL {
    const { url, connections, deadline_ms, settings } = this.#options;
    return new SQL(url, {
      max: connections,
      connectionTimeout: CONNECT_TIMEOUT_S,
      onconnect: (failure) => {
        if (failure === null) this.#is_new = true;
      },
      // No transaction waits for a person: one that takes longer is stuck, and must not hold an account's lock for ever.
      connection: {
        application_name: "camino",
        // Texts are quoted by this rule (encode-values.ts).
        standard_conforming_strings: "on",
        statement_timeout: String(deadline_ms - SERVER_MARGIN_MS),
        lock_timeout: String(deadline_ms - LOCK_MARGIN_MS),
        idle_in_transaction_session_timeout: String(deadline_ms),
        ...settings,
      },
    });
  }

  #transact<Result>(begin: string, make: MakeWork<Result>): Promise<Result> {
    return this.#retrying((connection, attempt) => transact(connection, begin, make(), attempt));
  }

  #retrying<Result>(run: (connection: ReservedSQL, attempt: TransactionAttempt) => Promise<Result>): Promise<Result> {
    return retryTransient(this.#options.deadline_ms, () => this.#within(run));
  }

  /** Runs something on a connection of its own, until the deadline at most. */
  async #within<Result>(
    run: (connection: ReservedSQL, attempt: TransactionAttempt) => Promise<Result>,
  ): Promise<Result> {
    const { deadline_ms, connections } = this.#options;
    const sql = this.#sql;
    const attempt: TransactionAttempt = { commit_sent: false, over: false, deadline: new Deadline() };
    // Works that share one connection wait for each other: as long as others finish, the server is well.
    const turnsMs = (): number => (connections === 1 ? deadline_ms - (performance.now() - this.#given_back_ms) : 0);
    attempt.deadline.set(deadline_ms, () => new PoolExhausted(deadline_ms), turnsMs);
    try {
      return await Promise.race([this.#onConnection(sql, attempt, run), attempt.deadline.passed]);
    } catch (thrown) {
      const trouble = troubleOf(thrown);
      if (losesConnection(trouble)) this.#replace(sql);
      if (trouble !== null) this.#options.onTrouble?.(trouble);
      throw storeError(thrown, attempt.commit_sent);
    } finally {
      attempt.over = true;
      attempt.deadline.clear();
    }
  }

  async #onConnection<Result>(
    sql: SQL,
    attempt: TransactionAttempt,
    run: (connection: ReservedSQL, attempt: TransactionAttempt) => Promise<Result>,
  ): Promise<Result> {
    const connection = await sql.reserve();
    try {
      if (attempt.over) throw givenUp();
      const { deadline_ms } = this.#options;
      attempt.deadline.set(deadline_ms, () => new DatabaseTimeout(deadline_ms));
      await this.#greet(connection, attempt);
      return await run(connection, attempt);
    } finally {
      if (!attempt.over) this.#given_back_ms = performance.now();
      connection.release();
    }
  }

  async #greet(connection: ReservedSQL, attempt: TransactionAttempt): Promise<void> {
    if (!this.#is_new) return;
    this.#messages?.forget();
    const { onSession } = this.#options;
    await onSession?.({
      read: (make) => runAwaited(make(), (step) => execute(connection, step)),
      write: (make) =>
        retryTransient(this.#options.deadline_ms, () => transact(connection, this.#begin, make(), attempt)),
    });
    requireTime(attempt);
    this.#is_new = false;
    attempt.commit_sent = false;
  }

  /** Closes the connections, failing all works that wait on them. Only once, although many works may find them broken at the same time. */
  #replace(broken: SQL): void {
    if (this.#sql !== broken) return;
    this.#sql = this.#connect();
    broken.close({ timeout: 0 }).catch(() => {});
  }
}

/** Runs a transaction. `BEGIN` is sent together with the first statements; no later statement is sent before it has succeeded. */
async function transact<Result>(
  connection: ReservedSQL,
  begin: string,
  work: Work<Result>,
  attempt: TransactionAttempt,
): Promise<Result> {
  // A query is sent when it is first awaited; this one must be the first on its way.
  const begun = connection.unsafe(begin).execute();
  try {
    const result = await runAwaited(work, async (step) => {
      const [rows] = await Promise.all([execute(connection, step), begun]);
      return rows;
    });
    await begun;
    requireTime(attempt);
    attempt.commit_sent = true;
    await connection.unsafe("COMMIT");
    return result;
  } catch (thrown) {
    // Where the connection is lost the server rolls back by itself.
    if (!attempt.over) await connection.unsafe("ROLLBACK").catch(() => {});
    throw thrown;
  }
}

async function execute(connection: ReservedSQL, step: Step): Promise<readonly unknown[]> {
  const { statement } = step;
  if (!isSet(step)) return await connection.unsafe<unknown[]>(statement.postgres, [...step.params]);
  if (step.params.length === 0) return [];
  return await connection.unsafe<unknown[]>(statement.postgres, [encodeSet(step)]);
}

/** The session has no prepared statement of that name: a pooler in between has assigned another session. */
const STATEMENT_LOST = "26000";

interface MessageTransaction {
  readonly connection: ReservedSQL;
  readonly messages: Messages;
  readonly begin: string;
  readonly attempt: TransactionAttempt;
  readonly release: EarlyRelease;
}

/** A transaction whose `BEGIN` is sent in one message with the first steps, and whose `COMMIT` with the last ones. */
async function transactInMessages<Result>(transaction: MessageTransaction, work: Work<Result>): Promise<Result> {
  const { connection, messages, begin, attempt, release } = transaction;
  let begun = false;
  let committed = false;
  let released: Released | null = null;
  const commits = (): void => {
    requireTime(attempt);
    attempt.commit_sent = true;
    committed = true;
  };
  /** The end that travels with the last steps. */
  const endOf = (): readonly string[] => {
    commits();
    released = release.next();
    return released === null ? ["COMMIT"] : released.ending;
  };
  try {
    let asked = work.next();
    while (asked.done !== true) {
      if (committed) throw new Error("a work asked for more behind its last steps");
      const steps = asked.value;
      const before = begun ? [] : [begin];
      begun = true;
      // Prepared before the deadline is checked, so that nothing is awaited between that check and the commit.
      await messages.prepare(connection, steps);
      const behind = steps.is_last === true ? endOf() : [];
      asked = work.next(await messages.send(connection, steps, { before, behind }));
    }
    if (begun && !committed) {
      commits();
      await connection.unsafe("COMMIT");
    }
    return asked.value;
  } catch (thrown) {
    if (sqlState(thrown) === STATEMENT_LOST) messages.forget();
    // Where the connection is lost the server rolls back by itself.
    if (!attempt.over)
      await (released === null ? rollBack(connection) : EarlyRelease.judge(connection, released, thrown));
    throw thrown;
  }
}

async function rollBack(connection: ReservedSQL): Promise<void> {
  await connection.unsafe("ROLLBACK").catch(() => {});
}
