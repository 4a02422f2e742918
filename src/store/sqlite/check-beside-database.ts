import type { AuditFinding } from "../../core/books-audit.ts";

/**
 * Differences between a SQLite file and what stands beside it, outside of its tables. Reads only; called once at the beginning
 * of each audit, while a gateway may be running on the file.
 */
export function checkBesideDatabase(_path: string): Promise<readonly AuditFinding[]> {
  return Promise.resolve([]);
}
