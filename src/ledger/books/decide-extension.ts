import type { ExtendOp, ExtendResult } from "../../core/ledger/ledger.ts";
import { add, type Micro, min, ZERO } from "../../core/money/money.ts";
import { hold } from "../wallet.ts";
import { growByRules, withinRules } from "./limit-rules.ts";
import { budgetLeft, sharedBudgetLeft } from "./shared-limits.ts";
import { topUpIfLow } from "./top-up.ts";
import {
  type AccountState,
  changeAccount,
  changeKey,
  changeProject,
  changeRequest,
  type KeyState,
  projectOf,
  type RequestState,
  type WorkingSet,
} from "./working-set.ts";

/**
 * Grows a hold by the asked amount, or by the part of it that the balance and the budgets of key, project and account have (docs/rulings.md 22):
 * what is left of a wallet is spent before an answer is cut.
 */
export function decideExtension(working: WorkingSet, op: ExtendOp): ExtendResult {
  const request = working.requests.get(op.request_id);
  const key = request && working.keys.get(request.key_id);
  const account = request && working.accounts.get(request.account_id);
  if (!request || !key || !account || request.status !== "held") return { outcome: "refused" };
  const within_key = min(op.add_micro, keyBudgetLeft(working, account, key) ?? op.add_micro);
  const shared = sharedBudgetLeft(working, account, projectOf(working, request));
  const wanted_micro = shared === null ? within_key : min(within_key, shared.remaining_micro);
  const added_micro = payable(working, account, withinRules(working, account, request, wanted_micro));
  if (added_micro === ZERO) return { outcome: "refused" };
  if (!growHold(working, { request, key, account }, added_micro))
    throw new Error(`the hold of ${request.id} was extended beyond its balance`);
  return { outcome: "extended", added_micro };
}

/** An open hold: its request, the key that it counts for, and the account that it was taken from. */
interface OpenHold {
  readonly request: RequestState;
  readonly key: KeyState;
  readonly account: AccountState;
}

/** Grows a hold by an amount. False, and nothing is changed, where the balance does not cover it. */
export function growHold(working: WorkingSet, { request, key, account }: OpenHold, added_micro: Micro): boolean {
  const wallet = hold(account.wallet, added_micro);
  if (wallet === null) return false;
  account.wallet = wallet;
  changeAccount(working, account);
  key.held_micro = add(key.held_micro, added_micro);
  changeKey(working, key);
  const project = projectOf(working, request);
  if (project !== null) {
    project.held_micro = add(project.held_micro, added_micro);
    changeProject(working, project);
  }
  growByRules(working, request, added_micro);
  request.hold_micro = add(request.hold_micro, added_micro);
  request.extended_micro = add(request.extended_micro, added_micro);
  request.hold_changed = true;
  changeRequest(working, request);
  return true;
}

/** The part of an amount that the balance pays for, after the account's rule may have topped it up. */
function payable(working: WorkingSet, account: AccountState, wanted_micro: Micro): Micro {
  if (wanted_micro === ZERO) return ZERO;
  topUpIfLow(working, account, wanted_micro);
  // A top-up that is smaller than what is wanted still helps.
  if (account.wallet.balance_micro < wanted_micro) topUpIfLow(working, account, account.wallet.balance_micro);
  return min(wanted_micro, account.wallet.balance_micro);
}

/** The rest of the key's budget; null without a budget. */
function keyBudgetLeft(working: WorkingSet, { time_zone }: AccountState, key: KeyState): Micro | null {
  const { budget_micro: amount_micro, budget_window: window, held_micro } = key;
  if (amount_micro === null || window === null) return null;
  return budgetLeft(working, time_zone, key, { amount_micro, window, held_micro });
}
