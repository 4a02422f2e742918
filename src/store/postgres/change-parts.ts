import { StoreUnavailable } from "../../core/store-errors.ts";
import { PostgresDatabase, REPORTING } from "./postgres-database.ts";
import type { MakeWork } from "./session.ts";
import { sqlState } from "./store-trouble.ts";

const DEADLINE_MS = 30_000;
/**
 * How long a change of parts waits for users of the table. Later users wait behind it meanwhile, batches too: so it gives up soon, and
 * is tried again.
 */
const LOCK_WAIT_MS = 100;
/** A request came to the part of all others while its month was made. */
const CHECK_VIOLATION = "23514";

/** Runs a work that changes parts of a table, on a connection of its own. False where it would have to wait for somebody: nothing has changed then. */
export async function changeParts(url: string, make: MakeWork<unknown>): Promise<boolean> {
  const settings = { ...REPORTING, lock_timeout: String(LOCK_WAIT_MS) };
  const database = new PostgresDatabase({ url, connections: 1, deadline_ms: DEADLINE_MS, settings });
  try {
    return (await database.write(make)) === true;
  } catch (thrown) {
    if (thrown instanceof StoreUnavailable && thrown.trouble === "busy") return false;
    if (sqlState(thrown) === CHECK_VIOLATION) return false;
    throw thrown;
  } finally {
    await database.close();
  }
}
