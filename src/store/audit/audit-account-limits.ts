import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import type { BudgetWindow } from "../../core/people/principal.ts";
import { dayOf, windowStart } from "../../limits/windows.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { finding } from "./finding.ts";

/** The counts under the limits of accounts, beside their open requests and their days. Few accounts have limits. */
const selectCounts = sql(
  `SELECT l.account_id, l.open_count, l.spent_window, l.spent_start_day, l.spent_micro,
      (SELECT count(*) FROM requests AS r WHERE r.account_id = l.account_id AND r.status = 'held') AS requests_open,
      CAST(coalesce((SELECT sum(u.cost_micro) FROM usage_days AS u
        WHERE u.account_id = l.account_id AND u.day >= l.spent_start_day), 0) AS BIGINT) AS spent_expected
    FROM account_limits AS l WHERE l.account_id BETWEEN ? AND ?`,
);

interface CountsRow {
  readonly account_id: string;
  readonly open_count: unknown;
  readonly spent_window: BudgetWindow | null;
  readonly spent_start_day: unknown;
  readonly spent_micro: unknown;
  readonly requests_open: unknown;
  readonly spent_expected: unknown;
}

export function* auditAccountLimits(range: readonly [first: string, last: string]): Work<AuditFinding[]> {
  const found = yield* rows<CountsRow>(selectCounts, range);
  if (found.length === 0) return [];
  const today = dayOf(yield* now_ms());
  return found.flatMap((counts) => [...auditOpen(counts), ...auditSpent(counts, today)]);
}

function auditOpen({ account_id, open_count, requests_open }: CountsRow): AuditFinding[] {
  const values = { found: toInt(open_count), expected: toInt(requests_open) };
  if (values.found === values.expected) return [];
  return [finding("key", { account_id }, "the account's open requests are not its requests'", values)];
}

/** The kept sum of a window that is over means nothing (ledger/books/window-spending.ts). */
function auditSpent(counts: CountsRow, today: number): AuditFinding[] {
  const { account_id, spent_window: window } = counts;
  if (window === null || toInt(counts.spent_start_day) !== windowStart(window, today)) return [];
  const values = { found: toMicro(counts.spent_micro), expected: toMicro(counts.spent_expected) };
  if (values.found === values.expected) return [];
  const problem = `what the account has spent this ${window} is not what its days add up to`;
  return [finding("key", { account_id }, problem, values)];
}
