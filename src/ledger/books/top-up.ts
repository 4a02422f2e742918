import { add, MAX_MICRO, type Micro, subtract, ZERO } from "../../core/money/money.ts";
import { windowStart } from "../../limits/windows.ts";
import { type AccountState, changeAccount, type TopUpState, type WorkingSet } from "./working-set.ts";

export const TOP_UP_NOTE = "automatic top-up";
export const TOP_UP_ACTOR = "gateway";

/**
 * Credits an account by its rule, if the balance is below the rule's threshold or would be below it after `debit_micro`,
 * which is about to be taken. So a request is not refused for a balance that the rule would top up. A debit causes at most one
 * top-up, and none when the debit would be refused all the same. The rule's amount is at least its threshold, so a balance that
 * was topped up falls below the threshold again only by debits: one crossing, one top-up. The caller holds the
 * account's lock (docs/rulings.md 104).
 */
export function topUpIfLow(working: WorkingSet, account: AccountState, debit_micro: Micro): void {
  const rule = account.top_up;
  if (rule === null || subtract(account.wallet.balance_micro, debit_micro) >= rule.threshold_micro) return;
  const { balance_micro, posted_micro } = account.wallet;
  const topped_up_micro = add(balance_micro, rule.amount_micro);
  const posted_after_micro = add(posted_micro, rule.amount_micro);
  if (topped_up_micro < debit_micro || posted_after_micro > MAX_MICRO || !fitsMonth(working, rule)) return;

  account.wallet = { ...account.wallet, balance_micro: topped_up_micro, posted_micro: posted_after_micro };
  account.entry_count += 1;
  changeAccount(working, account);
  working.entries.push({
    account_id: account.id,
    seq: account.entry_count,
    amount_micro: rule.amount_micro,
    posted_after_micro,
    created_ms: working.now_ms,
    request_id: null,
  });
  rule.month_used_micro = add(rule.month_used_micro, rule.amount_micro);
  rule.last_ms = working.now_ms;
  rule.changed = true;
}

/** Whether the month's limit allows one more top-up. A new month begins with nothing used. */
function fitsMonth(working: WorkingSet, rule: TopUpState): boolean {
  const month = windowStart("month", working.day);
  if (rule.month_start_day !== month) {
    rule.month_start_day = month;
    rule.month_used_micro = ZERO;
  }
  return add(rule.month_used_micro, rule.amount_micro) <= rule.month_limit_micro;
}
