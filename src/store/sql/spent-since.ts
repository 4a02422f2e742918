import { MS_PER_DAY } from "../../core/clock.ts";
import { add, type Micro, ZERO } from "../../core/money/money.ts";
import type { BudgetWindow } from "../../core/people/principal.ts";
import { timeZoneOf } from "../../core/time-zone.ts";
import { windowStart } from "../../limits/windows.ts";
import { amount, intOrNull, type RawRow, word } from "./columns.ts";
import { sql } from "./statement.ts";
import { toInt, toMicro } from "./values.ts";
import { row, type Work } from "./work.ts";

/** Whose charges are added up: those of a key, of a project, or of an account. */
export interface Spender {
  readonly account_id: string;
  readonly key_id?: string | undefined;
  readonly project_id?: string | undefined;
}

const SPENT = "SELECT CAST(coalesce(sum(cost_micro), 0) AS BIGINT) AS spent_micro FROM";
const DAYS = {
  account: sql(`${SPENT} usage_days WHERE account_id = ? AND day >= ?`),
  key: sql(`${SPENT} usage_days WHERE account_id = ? AND day >= ? AND key_id = ?`),
  project: sql(`${SPENT} usage_projects WHERE account_id = ? AND day >= ? AND project_id = ?`),
} as const;

/** No request runs as long as this; a hold that was left behind by a process is nearly always ended sooner. */
const LONGEST_MS = 7 * MS_PER_DAY;
// The charge counts on the day of the end, and what a late end corrects on the same day (docs/rulings.md 146).
const ENDED = `${SPENT} (SELECT r.charge_micro + coalesce(l.difference_micro, 0) AS cost_micro
    FROM requests AS r LEFT JOIN late_settlements AS l ON l.request_id = r.id
    WHERE r.account_id = ? AND r.created_ms >= ? AND r.created_ms < ? AND r.ended_ms >= ? AND r.ended_ms < ?`;
const REQUESTS = {
  account: sql(`${ENDED}) AS ended`),
  key: sql(`${ENDED} AND r.key_id = ?) AS ended`),
  project: sql(`${ENDED} AND r.project_id = ?) AS ended`),
} as const;

/**
 * What has been charged since the beginning of a day in a time zone (null: UTC). Usage is kept by UTC days; where the day begins within one,
 * the requests that ended in the rest of that are added up.
 */
export function* spentSince(spender: Spender, time_zone: string | null, start_day: number): Work<Micro> {
  const { account_id, key_id, project_id } = spender;
  const of = key_id !== undefined ? "key" : project_id !== undefined ? "project" : "account";
  const more = [key_id ?? project_id].filter((id) => id !== undefined);
  // A window without an end begins with day 0 everywhere, and has nothing before it.
  const from_ms = start_day === 0 ? 0 : timeZoneOf(time_zone).startOf(start_day);
  const first_day = Math.ceil(from_ms / MS_PER_DAY);
  const days = yield* row<{ spent_micro: unknown }>(DAYS[of], [account_id, first_day, ...more]);
  const spent_micro = toMicro(days?.spent_micro);
  const until_ms = first_day * MS_PER_DAY;
  if (from_ms === until_ms) return spent_micro;
  const params = [account_id, from_ms - LONGEST_MS, until_ms, from_ms, until_ms, ...more];
  const edge = yield* row<{ spent_micro: unknown }>(REQUESTS[of], params);
  return add(spent_micro, toMicro(edge?.spent_micro ?? ZERO));
}

/** The columns of the sum that a holder of a budget keeps (ledger/books/window-spending.ts). */
export const KEPT_SUM = {
  spent_window: word<BudgetWindow | null>(),
  spent_start_day: intOrNull,
  spent_micro: amount,
} as const;
export type KeptSumRow = RawRow<typeof KEPT_SUM>;

/** What is charged in the window that a day is in: the kept sum, where it is of such a window. */
export function* spentInWindow(
  kept: KeptSumRow,
  spender: Spender,
  window: BudgetWindow,
  { time_zone, day }: { readonly time_zone: string | null; readonly day: number },
): Work<Micro> {
  const start_day = windowStart(window, day);
  const kept_day = toInt(kept.spent_start_day ?? 0);
  if (kept.spent_window !== window || kept_day > start_day) return yield* spentSince(spender, time_zone, start_day);
  return kept_day === start_day ? toMicro(kept.spent_micro) : ZERO;
}
