import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import { timeZoneOf } from "../../core/time-zone.ts";
import { windowStart } from "../../limits/windows.ts";
import { amount, type ReadRow, textOrNull } from "../sql/columns.ts";
import { KEPT_SUM, type Spender, spentSince } from "../sql/spent-since.ts";
import type { Work } from "../sql/work.ts";
import { finding } from "./finding.ts";

/** A kept sum with the time zone of its account, and what the days since its beginning add up to in UTC. */
export const AUDITED_SUM = { ...KEPT_SUM, time_zone: textOrNull, spent_now: amount } as const;

/** What a holder of limits has spent in the window that runs. The kept sum of one that is over means nothing (ledger/books/window-spending.ts). */
export function* auditKeptSum(
  holder: string,
  spender: Spender,
  { spent_window: window, time_zone, ...kept }: ReadRow<typeof AUDITED_SUM>,
  now: number,
): Work<AuditFinding[]> {
  const start_day = kept.spent_start_day ?? 0;
  if (window === null || start_day !== windowStart(window, timeZoneOf(time_zone).dayAt(now))) return [];
  const expected = time_zone === null ? kept.spent_now : yield* spentSince(spender, time_zone, start_day);
  if (kept.spent_micro === expected) return [];
  const problem = `what ${holder} has spent this ${window} is not what its days add up to`;
  return [finding("key", { account_id: spender.account_id }, problem, { found: kept.spent_micro, expected })];
}
