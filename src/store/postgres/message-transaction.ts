import type { ReservedSQL } from "bun";
import type { Work } from "../sql/work.ts";
import { EarlyRelease, type Released } from "./early-release.ts";
import type { Messages } from "./messages.ts";
import { requireTime, type TransactionAttempt } from "./session.ts";
import { sqlState } from "./store-trouble.ts";

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
export async function transactInMessages<Result>(transaction: MessageTransaction, work: Work<Result>): Promise<Result> {
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
