import { type Micro, ZERO } from "../../core/money/money.ts";
import type { AutoTopUp, AutoTopUpRule } from "../../core/people/auto-top-ups.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { dayOf, formatDay, windowStart } from "../../limits/windows.ts";
import { now_ms } from "../sql/clock.ts";
import { amount, columnsOf, int, intOrNull, readFirst, text } from "../sql/columns.ts";
import { sql, taken } from "../sql/statement.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { lockAccount, requireAccount } from "./locks.ts";

/** The stored rules of automatic top-ups. The books apply them when a balance changes: see ledger/books/top-up.ts. */

const RULE = {
  account_id: text,
  threshold_micro: amount,
  amount_micro: amount,
  month_limit_micro: amount,
  month_start_day: int,
  month_used_micro: amount,
  last_ms: intOrNull,
  updated_ms: int,
  updated_by: text,
} as const;

/** A rule is in force as long as its account has a threshold (`top_up_below_micro`). */
const selectRule = sql(
  `SELECT ${columnsOf(RULE, "t")}
    FROM auto_top_ups AS t JOIN accounts AS a ON a.id = t.account_id
    WHERE t.account_id = ? AND a.top_up_below_micro IS NOT NULL`,
);

export function* findAutoTopUp(account_id: string): Work<AutoTopUp | null> {
  const found = yield* readFirst(RULE, selectRule, [account_id]);
  if (found === null) return null;
  const { month_start_day, month_used_micro, ...rule } = found;
  const month = windowStart("month", dayOf(yield* now_ms()));
  const used_micro = month_start_day === month ? month_used_micro : ZERO;
  return { ...rule, month_since: formatDay(month), month_used_micro: used_micro };
}

const upsertRule = sql(
  `INSERT INTO auto_top_ups
      (account_id, threshold_micro, amount_micro, month_limit_micro, month_start_day, month_used_micro, updated_ms, updated_by)
    VALUES (?, ?, ?, ?, ?, 0, ?, ?)
    ON CONFLICT (account_id) DO UPDATE SET
      ${taken(["threshold_micro", "amount_micro", "month_limit_micro", "updated_ms", "updated_by"])}`,
);
const setThreshold = sql("UPDATE accounts SET top_up_below_micro = ? WHERE id = ?");

export function* setAutoTopUp(rule: AutoTopUpRule): Work<AutoTopUp> {
  const { account_id, threshold_micro, amount_micro, month_limit_micro, updated_by } = rule;
  requireSense(rule);
  yield* requireAccount(account_id);
  const now = yield* now_ms();
  const month = windowStart("month", dayOf(now));
  yield* rows(upsertRule, [account_id, threshold_micro, amount_micro, month_limit_micro, month, now, updated_by]);
  yield* rows(setThreshold, [threshold_micro, account_id]);
  const made = yield* findAutoTopUp(account_id);
  if (made === null) throw new Error(`the rule of ${account_id} was not written`);
  return made;
}

function requireSense({ threshold_micro, amount_micro, month_limit_micro }: Record<RuleAmount, Micro>): void {
  if (amount_micro <= ZERO || amount_micro < threshold_micro) {
    throw new StoreConflict("An automatic top-up adds more than nothing, and at least the threshold.");
  }
  if (month_limit_micro < amount_micro) throw new StoreConflict("The month's limit must allow one top-up.");
}

type RuleAmount = "threshold_micro" | "amount_micro" | "month_limit_micro";

const clearThreshold = sql(
  "UPDATE accounts SET top_up_below_micro = NULL WHERE id = ? AND top_up_below_micro IS NOT NULL RETURNING id",
);

/** The row stays: it counts what was credited in this month, also for a rule that is set again. */
export function* removeAutoTopUp(account_id: string): Work<boolean> {
  yield* lockAccount(account_id);
  return (yield* row(clearThreshold, [account_id])) !== null;
}
