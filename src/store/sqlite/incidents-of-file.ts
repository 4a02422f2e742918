import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import type { IncidentRecord } from "../../core/operations/incidents.ts";
import { closeIncident, openIncidents } from "../recovery/incidents.ts";
import { runNow, type Work } from "../sql/work.ts";

const LISTED_AT_MOST = 1000;

/** The open incidents of a database's file, while a gateway may be running on it. */
export function listIncidentsOf(path: string): readonly IncidentRecord[] {
  return runOn(path, openIncidents(LISTED_AT_MOST));
}

/** Closes an incident. False when no such incident is open. A gateway that runs on the file takes note of it. */
export function closeIncidentOf(path: string, id: number, closed_by: string, note: string): boolean {
  return runOn(path, closeIncident(id, closed_by, note));
}

function runOn<Result>(path: string, work: Work<Result>): Result {
  if (!existsSync(path)) throw new Error(`There is no database at ${path}.`);
  using database = new Database(path, { readwrite: true, create: false });
  database.run("PRAGMA busy_timeout = 5000");
  return runNow(work, ({ statement, params }) => {
    using prepared = database.prepare(statement.sqlite);
    return prepared.all(...(params as string[]));
  });
}
