import { type ReservedSQL, SQL } from "bun";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { onPostgres } from "../sql/statement.ts";
import { row } from "../sql/work.ts";
import type { Session } from "./session.ts";
import { messageOf, sqlState } from "./store-trouble.ts";

/**
 * One record in the write-ahead log, and nothing else. As a transaction of its own it is committed by the session's usual rule
 * (`synchronous_commit`), so its flush is also that of all that lies before it in the log. It changes no table and takes no lock.
 */
const FLUSH = "SELECT pg_logical_emit_message(true, 'camino', '')";
const flush = onPostgres(FLUSH);

/** The session setting with the mark of the last committed transaction: a rollback restores its earlier value. */
const MARK = "camino.released";

/** The end of a transaction whose locks are released before its commit is flushed. */
export interface Released {
  readonly mark: string;
  /** The statements that end the transaction. */
  readonly ending: readonly string[];
}

/**
 * Releases locks before the flush (docs/adr/0051). Several gateways that charge one wallet wait for its row, mostly while another gateway's
 * commit is flushed. So the transaction is committed without a flush, which releases its locks, and a second transaction in the same message
 * flushes both. Nothing is acknowledged before that flush. A batch of another gateway that has read unflushed changes stands behind them in
 * the log, so a crash never keeps it without them. That is true of a batch without changes as well, since the lock that it takes is a record
 * in the log.
 */
export class EarlyRelease {
  /** Whether the server has the function for it: asked once for each new session. */
  #can_flush = false;
  #last = 0;
  /** Whether another gateway has running requests: a gateway that is alone waits for no other. */
  is_shared = false;

  /** Called with each new session, before its first transaction. */
  async greet(session: Session): Promise<void> {
    this.#can_flush = await canFlush(session);
  }

  /** The end of the next transaction with changes; null for a plain `COMMIT`, which flushes by itself. */
  next(): Released | null {
    if (!this.#can_flush || !this.is_shared) return null;
    const mark = String(++this.#last);
    const without_flush = `SELECT set_config('synchronous_commit', 'off', true), set_config('${MARK}', '${mark}', false)`;
    // The last statement is in no block: the server commits it at the end of the message, before it says that it is done.
    return { mark, ending: [without_flush, "COMMIT", FLUSH] };
  }

  /**
   * Ends a transaction whose last message failed. The server's error does not say which of the message's two transactions was refused, but
   * the session's mark does: throws a StoreUnavailable of unknown outcome where the first one was committed.
   */
  static async judge(connection: ReservedSQL, { mark }: Released, thrown: unknown): Promise<void> {
    if (!(await isCommitted(connection, mark))) return;
    throw new StoreUnavailable("silent", `committed, and perhaps not flushed: ${messageOf(thrown)}`, {
      nothing_happened: false,
      cause: thrown,
    });
  }
}

/** Whether the session's last transaction is that of the mark. Rolls back an open transaction. */
async function isCommitted(connection: ReservedSQL, mark: string): Promise<boolean> {
  try {
    const [, [found]] = await connection.unsafe(`ROLLBACK;SELECT current_setting('${MARK}', true) AS mark`);
    return found.mark === mark;
  } catch {
    // The session is lost, so the transaction may have been committed.
    return true;
  }
}

/** Engines beside PostgreSQL may lack the function, and a server's owner may have taken it away. */
async function canFlush(session: Session): Promise<boolean> {
  try {
    await session.read(() => row(flush));
    return true;
  } catch (thrown) {
    if (thrown instanceof SQL.PostgresError && /^(42|0A)/.test(sqlState(thrown))) return false;
    throw thrown;
  }
}
