import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import { now_ms } from "../sql/clock.ts";
import { int, readRows, text } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import type { Work } from "../sql/work.ts";
import { AUDITED_SUM, auditKeptSum } from "./audit-kept-sum.ts";
import { finding } from "./finding.ts";

const COUNTS = { account_id: text, open_count: int, open_now: int, ...AUDITED_SUM } as const;
/** The counts under the limits of accounts, beside their open requests and their days. Few accounts have limits. */
const selectCounts = sql(
  `SELECT l.account_id, l.open_count, l.spent_window, l.spent_start_day, l.spent_micro, a.time_zone,
      (SELECT count(*) FROM requests AS r WHERE r.account_id = l.account_id AND r.status = 'held') AS open_now,
      CAST(coalesce((SELECT sum(u.cost_micro) FROM usage_days AS u
        WHERE u.account_id = l.account_id AND u.day >= l.spent_start_day), 0) AS BIGINT) AS spent_now
    FROM account_limits AS l JOIN accounts AS a ON a.id = l.account_id WHERE l.account_id BETWEEN ? AND ?`,
);

export function* auditAccountLimits(range: readonly [first: string, last: string]): Work<AuditFinding[]> {
  const found = yield* readRows(COUNTS, selectCounts, range);
  const now = yield* now_ms();
  const findings: AuditFinding[] = [];
  for (const { account_id, open_count, open_now, ...kept } of found) {
    const values = { found: open_count, expected: open_now };
    if (open_count !== open_now)
      findings.push(finding("key", { account_id }, "the account's open requests are not its requests'", values));
    findings.push(...(yield* auditKeptSum("the account", { account_id }, kept, now)));
  }
  return findings;
}
