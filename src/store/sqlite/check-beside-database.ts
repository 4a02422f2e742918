import type { AuditFinding } from "../../core/books-audit.ts";
import { finding } from "../audit/finding.ts";
import { readAnchor } from "./anchor.ts";
import { readLastCommit } from "./chain.ts";
import { SqliteDatabase } from "./sqlite-database.ts";
import { verifyChain } from "./verify-chain.ts";

/**
 * Differences between a SQLite file and what stands beside it, outside of its tables: its anchor (docs/adr/0023). Reads only;
 * called once at the beginning of each audit, while a gateway may be running on the file. The anchor is read first: it names
 * no commit that a reader does not see.
 */
export async function checkBesideDatabase(path: string): Promise<readonly AuditFinding[]> {
  const anchor = readAnchor(path);
  const database = new SqliteDatabase(path, "looker");
  try {
    const verdict = verifyChain(path, database.run(readLastCommit()), anchor);
    if (verdict.is === "whole") return [];
    const expected = "a database that ends where its anchor says, or behind it";
    return [finding("anchor", {}, "the database is not proven to be whole", { found: verdict.problem, expected })];
  } finally {
    database.close();
  }
}
