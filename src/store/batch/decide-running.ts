import type { ExtendResult, Recorded } from "../../core/ledger.ts";
import { add } from "../../core/money.ts";
import { hold } from "../../ledger/wallet.ts";
import { remainingBudget } from "../../limits/budget.ts";
import { windowStart } from "../../limits/windows.ts";
import type { BookExtend, BookProgress } from "./book-op.ts";
import { changeAccount, changeKey, changeRequest, type KeyState, type Page } from "./page.ts";
import { spentInWindow } from "./spent.ts";
import { topUpIfLow } from "./top-up.ts";

/** Grows a hold, if the balance and the key's budget allow it (docs/rulings.md 22). */
export function decideExtend(page: Page, op: BookExtend): ExtendResult {
  const request = page.requests.get(op.request_id);
  const key = request && page.keys.get(request.key_id);
  const account = request && page.accounts.get(request.account_id);
  if (!request || !key || !account || request.status !== "held") return { outcome: "refused" };
  if (!fitsBudget(page, key, op)) return { outcome: "refused" };
  topUpIfLow(page, account, op.add_micro);
  const wallet = hold(account.wallet, op.add_micro);
  if (wallet === null) return { outcome: "refused" };
  account.wallet = wallet;
  changeAccount(page, account);
  key.held_micro = add(key.held_micro, op.add_micro);
  changeKey(page, key);
  request.hold_micro = add(request.hold_micro, op.add_micro);
  request.extended_micro = add(request.extended_micro, op.add_micro);
  request.hold_changed = true;
  changeRequest(page, request);
  return { outcome: "extended" };
}

function fitsBudget(page: Page, key: KeyState, op: BookExtend): boolean {
  if (key.budget_micro === null || key.budget_window === null) return true;
  const spent_micro = spentInWindow(key, key.budget_window, windowStart(key.budget_window, page.day));
  return op.add_micro <= remainingBudget(key.budget_micro, { spent_micro, held_micro: key.held_micro });
}

/** Records how far a request has come, and moves its deadline. */
export function decideProgress(page: Page, op: BookProgress): Recorded {
  const request = page.requests.get(op.request_id);
  if (request?.status === "held") {
    request.progress = op.progress;
    request.deadline_ms = page.now_ms + op.ttl_ms;
    request.hold_changed = true;
    changeRequest(page, request);
  }
  return { outcome: "recorded" };
}
