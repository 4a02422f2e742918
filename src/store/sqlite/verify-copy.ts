import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { audit } from "../audit/audit.ts";
import { Anchor, anchorPath } from "./anchor.ts";
import { beginHistory, type ChainEnd, markAsCopy, readLastCommit } from "./chain.ts";
import { SqliteBooks } from "./sqlite-books.ts";

/** A verified copy of a database, and the problems of its books. */
export interface VerifiedCopy {
  /** Findings and open incidents of its books, which the origin has too. */
  readonly problems: readonly string[];
  readonly accounts: number;
  readonly end: ChainEnd;
}

/** Thrown where a file is no sound copy of a database. */
export class NotSound extends Error {
  override readonly name = "NotSound";
}

/**
 * Checks every page of a copy, writes the journal that came with it to its tables, and recomputes its books. `end` is the
 * commit that the copy must end with; null where that is not known. `as` is what the copy is from now on. Leaves one file, without a log.
 */
export function verifyCopy(path: string, end: ChainEnd | null, as: "backup" | "database"): VerifiedCopy {
  checkPages(path);
  if (end !== null) proveEnd(path, end);
  const books = SqliteBooks.openWriter(path, { is_copy: end === null });
  try {
    const { accounts, problems } = books.run(audit());
    books.run(as === "backup" ? markAsCopy(Date.now()) : beginHistory());
    const last = books.run(readLastCommit());
    if (last === null) throw new NotSound(`${path} has no chain of commits`);
    return { accounts, problems, end: last };
  } finally {
    books.close();
    rmSync(anchorPath(path), { force: true });
    leaveOneFile(path);
  }
}

/** Gives the copy an anchor: opening it then shows that it ends with that commit. */
function proveEnd(path: string, end: ChainEnd): void {
  const anchor = Anchor.open(path);
  anchor.reset(end);
  anchor.close();
}

function checkPages(path: string): void {
  using database = new Database(path, { readwrite: true });
  try {
    const found = database.prepare<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
    const flaws = found.map(({ integrity_check }) => integrity_check).filter((line) => line !== "ok");
    if (flaws.length > 0) throw new NotSound(`its pages are damaged: ${flaws.slice(0, 5).join("; ")}`);
  } catch (thrown) {
    if (thrown instanceof NotSound) throw thrown;
    throw new NotSound(thrown instanceof Error ? thrown.message : "it cannot be read", { cause: thrown });
  }
}

/** Turns off the write-ahead log, because a copy would be incomplete without the log's file. The gateway turns it on again. */
function leaveOneFile(path: string): void {
  using database = new Database(path, { readwrite: true });
  database.run("PRAGMA journal_mode = DELETE");
}
