import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import type { BudgetWindow } from "../../core/people/principal.ts";
import { timeZoneOf } from "../../core/time-zone.ts";
import { windowStart } from "../../limits/windows.ts";
import { now_ms } from "../sql/clock.ts";
import { spentSince } from "../sql/spent-since.ts";
import { sql } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { finding } from "./finding.ts";

/** The counts under the limits of accounts, beside their open requests and their days. Few accounts have limits. */
const selectCounts = sql(
  `SELECT l.account_id, l.open_count, l.spent_window, l.spent_start_day, l.spent_micro, a.time_zone,
      (SELECT count(*) FROM requests AS r WHERE r.account_id = l.account_id AND r.status = 'held') AS requests_open,
      CAST(coalesce((SELECT sum(u.cost_micro) FROM usage_days AS u
        WHERE u.account_id = l.account_id AND u.day >= l.spent_start_day), 0) AS BIGINT) AS spent_expected
    FROM account_limits AS l JOIN accounts AS a ON a.id = l.account_id WHERE l.account_id BETWEEN ? AND ?`,
);

interface CountsRow {
  readonly account_id: string;
  readonly open_count: unknown;
  readonly spent_window: BudgetWindow | null;
  readonly spent_start_day: unknown;
  readonly spent_micro: unknown;
  readonly requests_open: unknown;
  readonly spent_expected: unknown;
  readonly time_zone: string | null;
}

export function* auditAccountLimits(range: readonly [first: string, last: string]): Work<AuditFinding[]> {
  const found = yield* rows<CountsRow>(selectCounts, range);
  if (found.length === 0) return [];
  const now = yield* now_ms();
  const findings: AuditFinding[] = [];
  for (const counts of found) findings.push(...auditOpen(counts), ...(yield* auditSpent(counts, now)));
  return findings;
}

function auditOpen({ account_id, open_count, requests_open }: CountsRow): AuditFinding[] {
  const values = { found: toInt(open_count), expected: toInt(requests_open) };
  if (values.found === values.expected) return [];
  return [finding("key", { account_id }, "the account's open requests are not its requests'", values)];
}

/** The kept sum of a window that is over means nothing (ledger/books/window-spending.ts). */
function* auditSpent(counts: CountsRow, now: number): Work<AuditFinding[]> {
  const { account_id, spent_window: window, time_zone } = counts;
  const start_day = toInt(counts.spent_start_day ?? 0);
  if (window === null || start_day !== windowStart(window, timeZoneOf(time_zone).dayAt(now))) return [];
  const expected =
    time_zone === null ? toMicro(counts.spent_expected) : yield* spentSince({ account_id }, time_zone, start_day);
  const values = { found: toMicro(counts.spent_micro), expected };
  if (values.found === values.expected) return [];
  const problem = `what the account has spent this ${window} is not what its days add up to`;
  return [finding("key", { account_id }, problem, values)];
}
