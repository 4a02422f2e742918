import type { BudgetUse } from "../../core/people/budgets.ts";
import type { Limits } from "../../core/people/principal.ts";
import type { AccountRecord } from "../../core/store/ports.ts";
import { now_ms } from "../sql/clock.ts";
import type { KeptSumRow } from "../sql/spent-since.ts";
import { sql, taken } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { findAccount } from "./accounts.ts";
import { budgetUseOf, calendarOf } from "./budget-use.ts";
import { hasNoLimits, LIMIT_COLUMNS, limitValues } from "./limit-columns.ts";
import { lockAccount, renewKeys } from "./locks.ts";
import { RAISE_COLUMNS, type RaiseRow } from "./raises.ts";

const mark = sql("UPDATE accounts SET has_limits = ? WHERE id = ?");
const remove = sql("DELETE FROM account_limits WHERE account_id = ?");
const countOpen = sql("SELECT count(*) AS open FROM requests WHERE account_id = ? AND status = 'held'");
const upsert = sql(
  `INSERT INTO account_limits (account_id, ${LIMIT_COLUMNS.join(", ")}, open_count)
    VALUES (?, ${LIMIT_COLUMNS.map(() => "?").join(", ")}, ?)
    ON CONFLICT (account_id) DO UPDATE SET ${taken(LIMIT_COLUMNS)}`,
);

/**
 * Sets the limits over all keys of an account. What is counted under them stays where there were limits before. The keys'
 * versions are renewed, as their records have the account's models. Null where there is no such account.
 */
export function* setAccountLimits(account_id: string, limits: Limits): Work<AccountRecord | null> {
  // Requests in flight are counted exactly once.
  if (!(yield* lockAccount(account_id))) return null;
  const has_limits = !hasNoLimits(limits);
  if (has_limits) {
    const counted = yield* row<{ open: unknown }>(countOpen, [account_id]);
    yield* rows(upsert, [account_id, ...limitValues(limits), toInt(counted?.open ?? 0)]);
  } else yield* rows(remove, [account_id]);
  yield* rows(mark, [has_limits ? 1 : 0, account_id]);
  yield* rows(renewKeys.account, [account_id]);
  return yield* findAccount(account_id);
}

const selectKept = sql(
  `SELECT spent_window, spent_start_day, spent_micro, ${RAISE_COLUMNS.join(", ")} FROM account_limits WHERE account_id = ?`,
);

/** The account's use of its own budget in the current window; null without a budget. */
export function* accountBudgetUse(account_id: string): Work<BudgetUse | null> {
  const account: AccountRecord | null = yield* findAccount(account_id);
  const budget = account?.limits?.budget ?? null;
  if (account === null || budget === null) return null;
  const kept = yield* row<KeptSumRow & RaiseRow>(selectKept, [account.id]);
  if (kept === null) return null;
  const calendar = calendarOf(account.time_zone ?? null, yield* now_ms());
  return yield* budgetUseOf(kept, { account_id: account.id }, budget, {
    ...calendar,
    held_micro: account.held_micro,
  });
}
