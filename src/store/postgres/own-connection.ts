import type { IncidentRecord } from "../../core/operations/incidents.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { closeIncident, openIncidents } from "../recovery/incidents.ts";
import { DEAD_AFTER_MS } from "../recovery/node-watch.ts";
import { acceptSecret } from "../sql/marks.ts";
import { state } from "../vendors/state.ts";
import { PostgresDatabase, REPORTING } from "./postgres-database.ts";
import type { MakeWork } from "./session.ts";
import { sqlState } from "./store-trouble.ts";

const DEADLINE_MS = 30_000;
const LISTED_AT_MOST = 1000;
/**
 * How long a change of partitions waits for other users of the table. Later users, batches among them, queue behind it meanwhile: so it
 * gives up soon and is tried again.
 */
const LOCK_WAIT_MS = 100;
/** A request was written to the default partition while its month's was made. */
const CHECK_VIOLATION = "23514";

/**
 * Runs a work that changes a table's partitions, on a connection of its own. False, with nothing changed, where it would have to wait for a
 * lock.
 */
export async function changePartitions(url: string, make: MakeWork<unknown>): Promise<boolean> {
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

/** The open incidents of a PostgreSQL database: they come from an embedded database that was moved to it (docs/design/moving.md). */
export function listIncidentsAt(url: string): Promise<readonly IncidentRecord[]> {
  return onServer(url, (database) => database.read(() => openIncidents(LISTED_AT_MOST)));
}

/** Closes an incident. False when no such incident is open. */
export function closeIncidentAt(url: string, id: number, closed_by: string, note: string): Promise<boolean> {
  return onServer(url, (database) => database.write(() => closeIncident(id, closed_by, note)));
}

/** Has a PostgreSQL database take another secret (ruling 203). Throws where a gateway lives on it: its keys are those of the other one. */
export function acceptSecretAt(url: string, fingerprint: number): Promise<void> {
  return onServer(url, (database) =>
    database.write(function* () {
      const living = (yield* state()).nodes.filter(({ alive }) => alive);
      if (living.length > 0) {
        throw new Error(
          `${living.length === 1 ? "A gateway runs" : `${living.length} gateways run`} on this database: stop it first. One that was killed counts for ${DEAD_AFTER_MS / 1000} s.`,
        );
      }
      yield* acceptSecret(fingerprint);
    }),
  );
}

async function onServer<Result>(url: string, run: (database: PostgresDatabase) => Promise<Result>): Promise<Result> {
  const database = new PostgresDatabase({ url, connections: 1, deadline_ms: DEADLINE_MS });
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}
