import { markGone } from "../recover.ts";
import { sqlFor } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row } from "../sql/work.ts";
import type { PostgresDatabase } from "./postgres-database.ts";

const countUnended = sqlFor({
  sqlite: "",
  postgres: "SELECT count(*) AS moves FROM moved_from WHERE ended_ms IS NULL",
});

/**
 * Rejects on a database that has only a part of another's accounts (docs/adr/0039). Called when the node has marked itself alive: whoever
 * begins a move looks for marks after that, so one of the two notices the other.
 */
export async function requireWhole(database: PostgresDatabase, node_id: string): Promise<void> {
  const found = await database.read(() => row<{ moves: unknown }>(countUnended));
  if (toInt(found?.moves ?? 0) === 0) return;
  await database.write(() => markGone(node_id));
  throw new Error(
    "an embedded database is being moved to it, and not all of it is there yet. Run `camino migrate-store` to its end; " +
      "until then the gateway starts on the embedded database",
  );
}
