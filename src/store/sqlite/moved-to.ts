import { now_ms } from "../sql/clock.ts";
import { onSqlite, sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

/** The database in which the history of a SQLite file goes on (docs/design/moving.md). */
interface Move {
  /** The other database, without the user's name and password. */
  readonly target: string;
  readonly moved_ms: number;
}

const hasTable = onSqlite("SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = 'moved_to'");
const select = sql("SELECT target, moved_ms FROM moved_to");
const insert = sql("INSERT INTO moved_to (one, target, moved_ms) VALUES (1, ?, ?)");
const remove = sql("DELETE FROM moved_to");

/** Null where the file's history goes on in the file. */
export function* readMove(): Work<Move | null> {
  if ((yield* row(hasTable)) === null) return null;
  const found = yield* row<{ target: string; moved_ms: unknown }>(select);
  return found === null ? null : { target: found.target, moved_ms: toInt(found.moved_ms) };
}

/** Records that another database has all of the file's content and continues its history. */
export function* writeMove(target: string): Work<void> {
  yield* rows(insert, [target, yield* now_ms()]);
}

export function* forgetMove(): Work<void> {
  yield* rows(remove);
}

export function describeMove(path: string, { target, moved_ms }: Move): string {
  return `The database ${path} was moved to ${target} on ${new Date(moved_ms).toISOString()}, which has its accounts since then.`;
}

/** Thrown at the start on a file that was moved: two databases with the same wallets would spend them twice. */
export class DatabaseMoved extends Error {
  override readonly name = "DatabaseMoved";

  constructor(problem: string) {
    super(
      `${problem} Start the gateway with CAMINO_DATABASE_URL set to that database. To go back to the file, without all that ` +
        "happened since then, use `camino accept-loss`: the audit says so until the incident is closed.",
    );
  }
}
