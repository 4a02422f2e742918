import { readAnchor } from "./anchor.ts";
import { hasChain, readLastCommit } from "./chain.ts";
import { DatabaseMoved, describeMove, readMove } from "./moved-to.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { CommitsLost, verifyChain } from "./verify-chain.ts";

/** Doubts with which a database is opened nevertheless. */
export interface Doubt {
  readonly kind: "unproven" | "log_lost";
  readonly problem: string;
}

/**
 * Compares a file with its anchor before it is written. Returns the doubt: commits that cannot be proven to be there, or accepted losses; else null.
 * Throws CommitsLost where commits are missing, DatabaseMoved where another database goes on with the history.
 */
export function doubtOf(database: SqliteDatabase, path: string, accept_loss: boolean): Doubt | null {
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
