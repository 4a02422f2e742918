import { existsSync } from "node:fs";
import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import { finding } from "../audit/finding.ts";
import { readAnchor } from "./anchor.ts";
import { type ChainEnd, hasChain, type LastCommit, readLastCommit } from "./chain.ts";
import { SqliteDatabase } from "./sqlite-database.ts";
import { CommitsLost, type Verdict, verifyChain } from "./verify-chain.ts";

/**
 * Differences between a SQLite file and its anchor (docs/adr/0023): commits that were acknowledged and are missing. Reads only;
 * called once at the beginning of each audit, while a gateway may be running on the file.
 */
export function checkBesideDatabase(path: string): Promise<readonly AuditFinding[]> {
  return Promise.resolve().then(() => {
    const { verdict, found, anchor } = compare(path);
    if (verdict.is === "whole") return [];
    const values = {
      found: `commit ${found?.seq ?? 0}`,
      expected: anchor === null ? "an anchor" : `commit ${anchor.seq}`,
    };
    return [finding("anchor", {}, verdict.problem, values)];
  });
}

/**
 * The sentence with which a start would refuse a SQLite file from which commits are missing, or which is gone; null where none is known to
 * be missing. An audit needs the tables of this version, and this does not: it is for a file with older tables or none. Reads only.
 */
export function lossOf(path: string): string | null {
  const { verdict } = compare(path);
  return verdict.is === "lost" ? new CommitsLost(verdict.problem).message : null;
}

interface ChainComparison {
  readonly verdict: Verdict;
  readonly found: LastCommit;
  readonly anchor: ChainEnd | null;
}

function compare(path: string): ChainComparison {
  // Read before the database, so that the database contains the commit that it names.
  const anchor = readAnchor(path);
  const found = existsSync(path) ? lastCommitOf(path) : null;
  return { verdict: verifyChain(path, found, anchor), found, anchor };
}

function lastCommitOf(path: string): LastCommit {
  const database = new SqliteDatabase(path, "looker");
  try {
    return database.run(hasChain()) ? database.run(readLastCommit()) : null;
  } finally {
    database.close();
  }
}
