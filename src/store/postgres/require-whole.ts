import { markGone } from "../recovery/recover.ts";
import { sqlFor } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, type Work } from "../sql/work.ts";
import type { PostgresDatabase } from "./postgres-database.ts";

const countUnended = sqlFor({
  sqlite: "",
  postgres: "SELECT count(*) AS moves FROM moved_from WHERE ended_ms IS NULL",
});

const hasTable = sqlFor({ sqlite: "", postgres: "SELECT count(to_regclass('moved_from')) AS found" });

/** Whether the database has only a part of another's accounts so far. Also of a database whose schema is older. */
export function* isPart(): Work<boolean> {
  const table = yield* row<{ found: unknown }>(hasTable);
  if (toInt(table?.found ?? 0) === 0) return false;
  return toInt((yield* row<{ moves: unknown }>(countUnended))?.moves ?? 0) > 0;
}

export const IS_PART =
  "An embedded database is being moved to it, and not all of it is there yet: run `camino migrate-store` to its end. Until then the " +
  "gateway starts on the embedded database.";

/**
 * Rejects on a database that has only a part of another's accounts (docs/design/moving.md). Called when the node has marked itself alive: whoever
 * begins a move looks for marks after that, so one of the two notices the other.
 */
export async function requireWhole(database: PostgresDatabase, node_id: string): Promise<void> {
  if (!(await database.read(isPart))) return;
  await database.write(() => markGone(node_id));
  throw new Error(IS_PART);
}
