import type { IncidentRecord } from "../../core/operations/incidents.ts";
import { closeIncident, openIncidents } from "../recovery/incidents.ts";
import { PostgresDatabase } from "./postgres-database.ts";

const LISTED_AT_MOST = 1000;
const DEADLINE_MS = 30_000;

/** The open incidents of a PostgreSQL database: they came with an embedded database that was moved to it (docs/design/moving.md). */
export function listIncidentsAt(url: string): Promise<readonly IncidentRecord[]> {
  return onServer(url, (database) => database.read(() => openIncidents(LISTED_AT_MOST)));
}

/** Closes an incident. False when no such incident is open. */
export function closeIncidentAt(url: string, id: number, closed_by: string, note: string): Promise<boolean> {
  return onServer(url, (database) => database.write(() => closeIncident(id, closed_by, note)));
}

async function onServer<Result>(url: string, run: (database: PostgresDatabase) => Promise<Result>): Promise<Result> {
  const database = new PostgresDatabase({ url, connections: 1, deadline_ms: DEADLINE_MS });
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}
