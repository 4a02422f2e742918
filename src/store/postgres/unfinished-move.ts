import { markGone } from "../recovery/recover.ts";
import { onPostgres } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, type Work } from "../sql/work.ts";
import type { PostgresDatabase } from "./postgres-database.ts";

const countUnended = onPostgres("SELECT count(*) AS moves FROM moved_from WHERE ended_ms IS NULL");

const hasTable = onPostgres("SELECT count(to_regclass('moved_from')) AS found");

/** Whether an embedded database's move to this one has begun and not ended. Also reads a database whose schema is older. */
export function* isMoveUnfinished(): Work<boolean> {
  const table = yield* row<{ found: unknown }>(hasTable);
  if (toInt(table?.found ?? 0) === 0) return false;
  return toInt((yield* row<{ moves: unknown }>(countUnended))?.moves ?? 0) > 0;
}

export const MOVE_UNFINISHED =
  "An embedded database is being moved to it, and not all of it is there yet: run `camino migrate-store` to its end. Until then the " +
  "gateway starts on the embedded database.";

/**
 * Rejects on a database that an embedded one is still being moved to (docs/design/moving.md). Called after the node has marked itself
 * alive: a move looks for such marks after it has noted its begin, so one of the two notices the other.
 */
export async function requireMoveFinished(database: PostgresDatabase, node_id: string): Promise<void> {
  if (!(await database.read(isMoveUnfinished))) return;
  await database.write(() => markGone(node_id));
  throw new Error(MOVE_UNFINISHED);
}
