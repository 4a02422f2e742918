import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import type { IncidentRecord } from "../../core/operations/incidents.ts";
import { closeIncident, openIncidents } from "../recovery/incidents.ts";
import { acceptSecret, setMark } from "../sql/marks.ts";
import { runNow, type Work } from "../sql/work.ts";
import { anchorPath } from "./anchor.ts";
import { takeOwnership } from "./owner-lock.ts";
import { realPath } from "./paths.ts";
import { SqliteBooks } from "./sqlite-books.ts";

const LISTED_AT_MOST = 1000;

/** The open incidents of a database's file, while a gateway may be running on it. */
export function listIncidentsOf(path: string): readonly IncidentRecord[] {
  return runOn(path, openIncidents(LISTED_AT_MOST));
}

/** Closes an incident. False when no such incident is open. A gateway that runs on the file takes note of it. */
export function closeIncidentOf(path: string, id: number, closed_by: string, note: string): boolean {
  return runOn(path, closeIncident(id, closed_by, note));
}

/** Has the file take another secret (ruling 203). Throws where a gateway runs on it: its keys are those of the other one. */
export function acceptSecretOf(given: string, fingerprint: number): void {
  if (!existsSync(given)) throw new Error(`There is no database at ${given}.`);
  const path = realPath(given);
  const ownership = takeOwnership(path);
  try {
    runOn(path, acceptSecret(fingerprint));
  } finally {
    ownership.release();
  }
}

/** Notes when the file was backed up, also while a gateway runs on it, which tells of a backup that is late. */
export function noteBackUp(path: string, at_ms: number): void {
  runOn(path, setMark("backed_up_ms", at_ms));
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

/**
 * Makes a database that has lost commits one that a gateway opens again, with an incident that says what is missing. Returns
 * what is missing or cannot be proven; empty when nothing is. Where only its anchor is left of a database, an empty one is made.
 */
export function acceptLoss(given: string): readonly string[] {
  if (!existsSync(given) && !existsSync(anchorPath(given))) throw new Error(`There is no database at ${given}.`);
  const path = realPath(given);
  const ownership = takeOwnership(path);
  try {
    const missing: string[] = [];
    SqliteBooks.openWriter(path, { accept_loss: true, notify: ({ message }) => missing.push(message) }).close();
    return missing;
  } finally {
    ownership.release();
  }
}
