import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import { openIncidentsOfBooks } from "../recovery/incidents.ts";
import { now_ms } from "../sql/clock.ts";
import { readMark } from "../sql/marks.ts";
import type { Work } from "../sql/work.ts";
import { finding } from "./finding.ts";

/** The figures that an audit needs before it begins, and the findings that belong to no account. */
export interface Outset {
  readonly now_ms: number;
  readonly kept_since_ms: number;
  readonly findings: readonly AuditFinding[];
}

/** More open incidents than this are not listed one by one. */
const INCIDENTS_AT_MOST = 1000;

/**
 * Batches that wait in the journal are no finding: their rows come to the tables together, so the tables are whole without
 * them (docs/adr/0015).
 */
export function* auditOutset(): Work<Outset> {
  const incidents = yield* openIncidentsOfBooks(INCIDENTS_AT_MOST);
  return {
    now_ms: yield* now_ms(),
    kept_since_ms: (yield* readMark("requests_kept_since_ms")) ?? 0,
    findings: incidents.map(({ id, at_ms, kind, detail }) => {
      const problem = `${kind} of ${new Date(at_ms).toISOString()} is open`;
      return finding("incident", { incident: id }, problem, { found: detail, expected: "none" });
    }),
  };
}
