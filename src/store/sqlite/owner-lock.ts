import { Database } from "bun:sqlite";
import { closeSync, fstatSync, openSync, statSync } from "node:fs";
import { openCLibrary } from "../../system/c-library.ts";

/** A database file that this process alone may write. */
export interface Ownership {
  /** Whether the path still leads to the file that is owned: somebody may have moved or deleted it. */
  isHeld(): boolean;
  release(): void;
}

/**
 * Takes a database file for this process alone. Two gateways on one file would each believe that they alone decide over its
 * money. The file itself is locked, by whatever path it was opened; the system releases the lock when the process ends, however
 * it ends. Creates the file, readable by its owner alone, where it does not exist. Throws when another process owns it.
 *
 * `path` is a real path, without symbolic links; `name` is what the operator calls it. SQLite's own locks on the file are of another kind and not in the way. But
 * closing any descriptor of a file gives up all of SQLite's locks on it in this process: a lock that another part of this
 * process has is therefore refused without closing.
 */
export function takeOwnership(path: string, name: string = path): Ownership {
  // For systems on which the database itself cannot be locked.
  const beside = lockBeside(path, name);
  const fd = openSync(path, "a", 0o600);
  if (!lockFile(fd)) {
    beside.close();
    throw inUse(name);
  }
  return {
    isHeld: () => isSameFile(path, fd),
    release: () => {
      closeSync(fd);
      beside.close();
    },
  };
}

/** An open transaction on a tiny database beside the file. */
function lockBeside(path: string, name: string): Database {
  const lock = new Database(`${path}.lock`, { readwrite: true, create: true });
  try {
    lock.run("PRAGMA busy_timeout = 0");
    lock.run("BEGIN EXCLUSIVE");
    return lock;
  } catch (thrown) {
    lock.close();
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "SQLITE_BUSY")) throw thrown;
    throw inUse(name, thrown);
  }
}

const LOCK_EXCLUSIVE = 2;
const LOCK_NOT_WAITING = 4;

/** Whether the file is now locked for its descriptor; true as well on a system that has no such locks beside SQLite's. */
function lockFile(fd: number): boolean {
  // Elsewhere both kinds of locks are one, and SQLite could not open the file any more.
  if (process.platform !== "linux") return true;
  const library = openCLibrary({ flock: { args: ["i32", "i32"], returns: "i32" } });
  if (library === null) return true;
  const refused = library.symbols.flock(fd, LOCK_EXCLUSIVE | LOCK_NOT_WAITING);
  library.close();
  return refused === 0;
}

function isSameFile(path: string, fd: number): boolean {
  try {
    const there = statSync(path, { bigint: true });
    const ours = fstatSync(fd, { bigint: true });
    return there.ino === ours.ino && there.dev === ours.dev;
  } catch {
    return false;
  }
}

/** Thrown where another process owns the file. */
export class DatabaseInUse extends Error {
  override readonly name = "DatabaseInUse";
}

function inUse(name: string, cause?: unknown): DatabaseInUse {
  return new DatabaseInUse(
    `The database ${name} is in use by another gateway. Stop that one, or give this one a database of its own; ` +
      "several gateways can share a PostgreSQL database.",
    { cause },
  );
}
