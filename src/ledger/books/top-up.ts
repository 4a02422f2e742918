import { add, MAX_MICRO, type Micro, subtract, ZERO } from "../../core/money.ts";
import { windowStart } from "../../limits/windows.ts";
import { type AccountState, changeAccount, type WorkingSet, type TopUpState } from "./working-set.ts";

/** What the entry of an automatic top-up says. */
export const TOP_UP_NOTE = "automatic top-up";
export const TOP_UP_ACTOR = "gateway";

/**
 * Credits an account by its rule, if the balance is below the rule's threshold or would be after `debit_micro`, which is
 * about to be taken: so a request that the balance alone does not cover is not refused for it. At most once for a debit,
 * and not where the debit would be refused all the same. The amount is at least the threshold, so a balance that has been
 * topped up falls below it again only by being drawn on: one crossing, one top-up. Whoever gets here holds the account.
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
