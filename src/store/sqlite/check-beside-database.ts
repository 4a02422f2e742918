import type { AuditFinding } from "../../core/books-audit.ts";
import { finding } from "../audit/finding.ts";
import { readAnchor } from "./anchor.ts";
import { hasChain, readLastCommit } from "./chain.ts";
import { SqliteDatabase } from "./sqlite-database.ts";
import { verifyChain } from "./verify-chain.ts";

/**
 * Differences between a SQLite file and its anchor (docs/adr/0023): commits that were acknowledged and are missing. Reads only;
 * called once at the beginning of each audit, while a gateway may be running on the file.
 */
export function checkBesideDatabase(path: string): Promise<readonly AuditFinding[]> {
  return Promise.resolve().then(() => {
    // Read first: what the anchor names is in every database that is read after it.
    const anchor = readAnchor(path);
    const database = new SqliteDatabase(path, "looker");
    try {
      const found = database.run(hasChain()) ? database.run(readLastCommit()) : null;
      if (found === null && anchor === null) return [];
      const verdict = verifyChain(path, found, anchor);
      if (verdict.is === "whole") return [];
      const values = {
        found: `commit ${found?.seq ?? 0}`,
        expected: anchor === null ? "an anchor" : `commit ${anchor.seq}`,
      };
      return [finding("anchor", {}, verdict.problem, values)];
    } finally {
      database.close();
    }
  });
}
