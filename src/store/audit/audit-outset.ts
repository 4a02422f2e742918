import type { AuditFinding } from "../../core/books-audit.ts";
import { readMark } from "../sql/marks.ts";
import { now_ms } from "../sql/clock.ts";
import { sqlFor } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { finding } from "./finding.ts";

/** What an audit must know before it begins, and what belongs to no account. */
export interface Outset {
  readonly now_ms: number;
  readonly kept_since_ms: number;
  readonly findings: readonly AuditFinding[];
}

/** Batches that were acknowledged and that the tables then refused: SQLite's writer put them aside. */
const selectRefused = sqlFor({
  sqlite: "SELECT seq, at_ms, problem FROM journal_refused ORDER BY seq LIMIT 1000",
  postgres: "SELECT 0 AS seq, 0 AS at_ms, '' AS problem WHERE false",
});

interface RefusedRow {
  readonly seq: unknown;
  readonly at_ms: unknown;
  readonly problem: string;
}

/**
 * Batches that wait in the journal are no finding: their rows come to the tables together, so the tables are whole without
 * them (docs/adr/0015).
 */
export function* auditOutset(): Work<Outset> {
  const refused = yield* rows<RefusedRow>(selectRefused);
  return {
    now_ms: yield* now_ms(),
    kept_since_ms: (yield* readMark("requests_kept_since_ms")) ?? 0,
    findings: refused.map(({ seq, at_ms, problem }) => {
      const time = new Date(toInt(at_ms)).toISOString();
      const values = { found: problem, expected: "a batch that the tables take" };
      return finding("journal", { journal_row: toInt(seq) }, `a batch of ${time} could not be written`, values);
    }),
  };
}
