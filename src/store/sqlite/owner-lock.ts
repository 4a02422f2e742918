import { Database } from "bun:sqlite";

/**
 * Takes a database file for this process alone. Two gateways on one file would each believe that they alone decide over
 * its money. The lock is an open transaction on a tiny database beside it: the system releases it when the process ends,
 * however it ends. Throws when another process holds it.
 */
export function takeOwnership(path: string): { release(): void } {
  const lock = new Database(`${path}.lock`, { readwrite: true, create: true });
  try {
    lock.run("PRAGMA busy_timeout = 0");
    lock.run("BEGIN EXCLUSIVE");
  } catch (thrown) {
    lock.close();
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "SQLITE_BUSY")) throw thrown;
    throw new Error(
      `The database ${path} is in use by another gateway. Stop that one, or give this one a database of its own; ` +
        "several gateways can share a PostgreSQL database.",
      { cause: thrown },
    );
  }
  return { release: () => lock.close() };
}
