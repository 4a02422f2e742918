import { constants, Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";

/**
 * Throws where a backup was copied over a database's file whose write-ahead log still lies beside it: opened together they are a mixture of
 * both, with charges gone. The file is looked at without its log first (docs/rulings.md 209).
 */
export function requireOwnLog(path: string): void {
  if (!hasLog(path) || !isBackup(path)) return;
  throw new Error(
    `The database ${path} is a backup that was copied in place beside ${path}-wal, the write-ahead log of the database that it replaces. ` +
      `Opened together they would be neither: nothing was opened, and nothing is changed. Move ${path}-wal and ${path}-shm away, ` +
      "and put the backup in place with `camino restore FILE --replace`.",
  );
}

function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Whether the file, without its log, says of itself that it is a copy. */
function isBackup(path: string): boolean {
  try {
    const address = `${pathToFileURL(path).href}?immutable=1`;
    using database = new Database(address, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
    const found = database.query("SELECT copied_ms FROM commit_chain").get() as { copied_ms: unknown } | null;
    return found !== null && found.copied_ms !== null;
  } catch {
    // It has no such table, or is no database: whoever opens it says so.
    return false;
  }
}
