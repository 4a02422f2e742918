import { type Micro, ZERO } from "../../core/money/money.ts";
import type { AutoTopUp, AutoTopUpRule } from "../../core/people/auto-top-ups.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { dayOf, formatDay, windowStart } from "../../limits/windows.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { toInt, toIntOrNull, toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

/** The stored rules of automatic top-ups. The books apply them when a balance changes: see ledger/books/top-up.ts. */

interface RuleRow {
  readonly account_id: string;
  readonly threshold_micro: unknown;
  readonly amount_micro: unknown;
  readonly month_limit_micro: unknown;
  readonly month_start_day: unknown;
  readonly month_used_micro: unknown;
  readonly last_ms: unknown;
  readonly updated_ms: unknown;
  readonly updated_by: string;
}

/** A rule is in force as long as its account has a threshold (`top_up_below_micro`). */
const selectRule = sql(
  `SELECT t.account_id, t.threshold_micro, t.amount_micro, t.month_limit_micro, t.month_start_day, t.month_used_micro,
      t.last_ms, t.updated_ms, t.updated_by
    FROM auto_top_ups AS t JOIN accounts AS a ON a.id = t.account_id
    WHERE t.account_id = ? AND a.top_up_below_micro IS NOT NULL`,
);

export function* findAutoTopUp(account_id: string): Work<AutoTopUp | null> {
  const found = yield* row<RuleRow>(selectRule, [account_id]);
  if (found === null) return null;
  const month = windowStart("month", dayOf(yield* now_ms()));
  return {
    account_id: found.account_id,
    threshold_micro: toMicro(found.threshold_micro),
    amount_micro: toMicro(found.amount_micro),
    month_limit_micro: toMicro(found.month_limit_micro),
    month_since: formatDay(month),
    month_used_micro: toInt(found.month_start_day) === month ? toMicro(found.month_used_micro) : ZERO,
    last_ms: toIntOrNull(found.last_ms),
    updated_ms: toInt(found.updated_ms),
    updated_by: found.updated_by,
  };
}

/** Locks the account, as every change of its balance does. */
const lockAccount = sql("SELECT id FROM accounts WHERE id = ? {lock}");
const upsertRule = sql(
  `INSERT INTO auto_top_ups
      (account_id, threshold_micro, amount_micro, month_limit_micro, month_start_day, month_used_micro, updated_ms, updated_by)
    VALUES (?, ?, ?, ?, ?, 0, ?, ?)
    ON CONFLICT (account_id) DO UPDATE SET threshold_micro = excluded.threshold_micro,
      amount_micro = excluded.amount_micro, month_limit_micro = excluded.month_limit_micro,
      updated_ms = excluded.updated_ms, updated_by = excluded.updated_by`,
);
const setThreshold = sql("UPDATE accounts SET top_up_below_micro = ? WHERE id = ?");

export function* setAutoTopUp(rule: AutoTopUpRule): Work<AutoTopUp> {
  const { account_id, threshold_micro, amount_micro, month_limit_micro, updated_by } = rule;
  requireSense(rule);
  const account = yield* row(lockAccount, [account_id]);
  if (account === null) throw new StoreConflict(`There is no account ${account_id}.`);
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
  yield* rows(lockAccount, [account_id]);
  return (yield* row(clearThreshold, [account_id])) !== null;
}
