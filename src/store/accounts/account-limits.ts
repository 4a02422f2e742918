import type { BudgetUse } from "../../core/people/budgets.ts";
import type { Limits } from "../../core/people/principal.ts";
import type { AccountRecord } from "../../core/store/ports.ts";
import { dayOf, sinceOf, windowStart } from "../../limits/windows.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { findAccount } from "./accounts.ts";
import { hasNoLimits, LIMIT_COLUMNS, limitValues } from "./limit-columns.ts";
import { RAISE_COLUMNS, type RaiseRow, runningRaise } from "./raises.ts";

/** A change of the limits locks the account, as an admission does: requests in flight are counted exactly once. */
const lockAccount = sql("SELECT id FROM accounts WHERE id = ? {lock}");
const mark = sql("UPDATE accounts SET has_limits = ? WHERE id = ?");
const renewKeys = sql("UPDATE keys SET version = version + 1 WHERE account_id = ?");
const remove = sql("DELETE FROM account_limits WHERE account_id = ?");
const upsert = sql(
  `INSERT INTO account_limits (account_id, ${LIMIT_COLUMNS.join(", ")}, open_count)
    VALUES (?, ${LIMIT_COLUMNS.map(() => "?").join(", ")},
      (SELECT count(*) FROM requests WHERE account_id = ? AND status = 'held'))
    ON CONFLICT (account_id) DO UPDATE SET ${LIMIT_COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}`,
);

/**
 * Sets the limits over all keys of an account. What is counted under them stays where there were limits before. The keys'
 * versions are renewed, as their records have the account's models. Null where there is no such account.
 */
export function* setAccountLimits(account_id: string, limits: Limits): Work<AccountRecord | null> {
  if ((yield* row(lockAccount, [account_id])) === null) return null;
  const has_limits = !hasNoLimits(limits);
  if (has_limits) yield* rows(upsert, [account_id, ...limitValues(limits), account_id]);
  else yield* rows(remove, [account_id]);
  yield* rows(mark, [has_limits ? 1 : 0, account_id]);
  yield* rows(renewKeys, [account_id]);
  return yield* findAccount(account_id);
}

const sumSpent = sql(
  "SELECT CAST(coalesce(sum(cost_micro), 0) AS BIGINT) AS spent_micro FROM usage_days WHERE account_id = ? AND day >= ?",
);

const selectRaise = sql(`SELECT ${RAISE_COLUMNS.join(", ")} FROM account_limits WHERE account_id = ?`);

/** The account's use of its own budget in the current window; null without a budget. */
export function* accountBudgetUse(account_id: string): Work<BudgetUse | null> {
  const account: AccountRecord | null = yield* findAccount(account_id);
  const budget = account?.limits?.budget ?? null;
  if (account === null || budget === null) return null;
  const now = yield* now_ms();
  const since = windowStart(budget.window, dayOf(now));
  const raise = yield* row<RaiseRow>(selectRaise, [account.id]);
  const sum = yield* row<{ spent_micro: unknown }>(sumSpent, [account.id, since]);
  return {
    window: budget.window,
    since: sinceOf(budget.window, since),
    amount_micro: budget.amount_micro,
    raise: raise && runningRaise(raise, now),
    spent_micro: toMicro(sum?.spent_micro),
    held_micro: account.held_micro,
  };
}
