import { anchorPath, readAnchor } from "./anchor.ts";
import { type ChainEnd, digestText, hasChain, type LastCommit, readLastCommit } from "./chain.ts";
import { DatabaseMoved, describeMove, readMove } from "./moved-to.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";

/** The verdict on a database and its anchor. */
export type Verdict =
  | { readonly is: "whole" }
  /** No commit is known to be missing, and nothing proves that all are there. */
  | { readonly is: "unproven"; readonly problem: string }
  /** Commits that were acknowledged are missing, or the anchor is of another history. */
  | { readonly is: "lost"; readonly problem: string };

const WHOLE: Verdict = { is: "whole" };

/**
 * Compares the last commit of a database, its journal included, with what its anchor says. A database may be ahead of its
 * anchor: the process died between the two, or the system before the anchor was on the disk.
 */
export function verifyChain(path: string, found: LastCommit, anchor: ChainEnd | null): Verdict {
  if (found === null) {
    if (anchor === null) return WHOLE;
    return lost(path, `${anchorPath(path)} says that its database has ${anchor.seq} commits, and this one has none.`);
  }
  const { history, seq, digest, at_ms, copied_ms } = found;
  if (copied_ms !== null) {
    return lost(path, `It is a backup of ${timeOf(copied_ms)} that was put in place without \`camino restore\`.`);
  }
  if (anchor === null) {
    if (seq === 0) return WHOLE;
    const problem = `${anchorPath(path)} is missing or unreadable: nothing proves that the database has its last commits.`;
    return { is: "unproven", problem: `${problem} Its last commit is number ${seq} of ${timeOf(at_ms)}.` };
  }
  if (anchor.history !== history) {
    return lost(path, `${anchorPath(path)} belongs to another database, or to another history of this one.`);
  }
  if (seq < anchor.seq) {
    const missing = anchor.seq - seq;
    return lost(
      path,
      `Its last ${missing === 1 ? "commit is" : `${missing} commits are`} missing: it ends at number ${seq} of ` +
        `${timeOf(at_ms)}, and number ${anchor.seq} of ${timeOf(anchor.at_ms)} was acknowledged. Its write-ahead log ` +
        `(${path}-wal) was lost, cut or damaged, or the file is an older copy.`,
    );
  }
  if (seq === anchor.seq && digest !== anchor.digest) {
    const digests = `${digestText(digest)}, not ${digestText(anchor.digest)}`;
    return lost(path, `Its commit number ${seq} is not the one that was acknowledged (${digests}).`);
  }
  return WHOLE;
}

function lost(path: string, problem: string): Verdict {
  return { is: "lost", problem: `The database ${path} is not what its gateway left. ${problem}` };
}

function timeOf(time_ms: number): string {
  return new Date(time_ms).toISOString();
}

/** Thrown at the start on a database that has lost commits. */
export class CommitsLost extends Error {
  override readonly name = "CommitsLost";

  constructor(problem: string) {
    super(
      `${problem} If a copy with the missing part exists, put it back with all of its files. To go on with a backup, use ` +
        "`camino restore FILE --replace`. To go on with what is there, use `camino accept-loss`: the books then lack what " +
        "is missing, and the audit says so until the incident is closed.",
    );
  }
}

/** An incident with which a database is opened nevertheless: commits that may be missing, or an accepted loss. */
export interface ChainIncident {
  readonly kind: "unproven" | "log_lost";
  readonly problem: string;
}

/**
 * Compares a file with its anchor before anything is written to the file. Returns an incident where commits cannot be proven to be there,
 * or where their loss was accepted; else null.
 * Throws CommitsLost where commits are missing, DatabaseMoved where another database goes on with the history.
 */
export function findChainIncident(database: SqliteDatabase, path: string, accept_loss: boolean): ChainIncident | null {
  const found = database.run(hasChain()) ? database.run(readLastCommit()) : null;
  const verdict = verifyChain(path, found, readAnchor(path));
  const move = database.run(readMove());
  if (move !== null) {
    const moved = describeMove(path, move);
    if (!accept_loss) throw new DatabaseMoved(moved);
    return { kind: "log_lost", problem: verdict.is === "whole" ? moved : `${moved} ${verdict.problem}` };
  }
  if (verdict.is === "whole") return null;
  if (verdict.is === "unproven") return { kind: "unproven", problem: verdict.problem };
  if (!accept_loss) throw new CommitsLost(verdict.problem);
  return { kind: "log_lost", problem: verdict.problem };
}
