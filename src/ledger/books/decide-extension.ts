import type { ExtendResult } from "../../core/ledger.ts";
import { add } from "../../core/money.ts";
import { hold } from "../wallet.ts";
import { remainingBudget } from "../../limits/budget.ts";
import { windowStart } from "../../limits/windows.ts";
import type { BookExtend } from "./book-op.ts";
import { changeAccount, changeKey, changeRequest, type KeyState, type WorkingSet } from "./working-set.ts";
import { spentInWindow } from "./window-spending.ts";
import { topUpIfLow } from "./top-up.ts";

/** Grows a hold, if the balance and the key's budget allow it (docs/rulings.md 22). */
export function decideExtension(working: WorkingSet, op: BookExtend): ExtendResult {
  const request = working.requests.get(op.request_id);
  const key = request && working.keys.get(request.key_id);
  const account = request && working.accounts.get(request.account_id);
  if (!request || !key || !account || request.status !== "held") return { outcome: "refused" };
  if (!fitsBudget(working, key, op)) return { outcome: "refused" };
  topUpIfLow(working, account, op.add_micro);
  const wallet = hold(account.wallet, op.add_micro);
  if (wallet === null) return { outcome: "refused" };
  account.wallet = wallet;
  changeAccount(working, account);
  key.held_micro = add(key.held_micro, op.add_micro);
  changeKey(working, key);
  request.hold_micro = add(request.hold_micro, op.add_micro);
  request.extended_micro = add(request.extended_micro, op.add_micro);
  request.hold_changed = true;
  changeRequest(working, request);
  return { outcome: "extended" };
}

function fitsBudget(working: WorkingSet, key: KeyState, op: BookExtend): boolean {
  if (key.budget_micro === null || key.budget_window === null) return true;
  const spent_micro = spentInWindow(key, key.budget_window, windowStart(key.budget_window, working.day));
  return op.add_micro <= remainingBudget(key.budget_micro, { spent_micro, held_micro: key.held_micro });
}
