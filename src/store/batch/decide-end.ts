import type { RequestStatus, SettleResult, VoidResult } from "../../core/ledger.ts";
import { add, type Micro, micro, subtract, ZERO } from "../../core/money.ts";
import { totalInput } from "../../core/usage.ts";
import { charge, release } from "../../ledger/wallet.ts";
import { correct, refill } from "../../limits/bucket.ts";
import type { BookAnswer, BookRecovery, BookSettle, BookVoid, Progress } from "./book-op.ts";
import { closeRecord, dropRecord } from "./idempotency.ts";
import {
  changeAccount,
  changeKey,
  changeRequest,
  type KeyState,
  type Page,
  type RequestEnd,
  type RequestState,
} from "./page.ts";
import { addSpent } from "./spent.ts";
import { topUpIfLow } from "./top-up.ts";
import { usageOf } from "./usage.ts";
import { bookUsage } from "./usage-text.ts";

/** Ends a hold with a charge (docs/rulings.md 23). A request that has ended stays as it is. */
export function decideSettle(page: Page, op: BookSettle): SettleResult {
  const request = page.requests.get(op.request_id);
  if (!request) return { outcome: "unknown_request" };
  if (request.status !== "held") return { outcome: "already_ended", status: request.status };
  const { estimated, success, answer } = op;
  const { charge_micro, operator_loss_micro } = settle(page, request, "settled", {
    // The operation is its own usage and outcome: it has their fields.
    answered: { model: op.model, price: op.price, usage: op },
    estimated,
    success,
    answer,
    cost_micro: op.charge_micro,
    outcome: op,
  });
  return { outcome: "settled", charge_micro, operator_loss_micro };
}

/** Ends a hold without a charge. */
export function decideVoid(page: Page, op: BookVoid): VoidResult {
  const request = page.requests.get(op.request_id);
  if (!request) return { outcome: "unknown_request" };
  if (request.status !== "held") return { outcome: "already_ended", status: request.status };
  voidHold(page, request, op.operator_loss_micro, op);
  return { outcome: "voided" };
}

export type RecoveryResult = { readonly outcome: "settled" | "voided" | "left" };

/**
 * Ends a hold that its process left behind (docs/rulings.md 43): charged with what was recorded of it, else voided with
 * the hold as the operator's loss, since what was spent upstream is not known.
 */
export function decideRecovery(page: Page, op: BookRecovery): RecoveryResult {
  const request = page.requests.get(op.request_id);
  if (request?.status !== "held") return { outcome: "left" };
  const is_late = request.deadline_ms <= page.now_ms;
  if (op.reason === "deadline" && !is_late) return { outcome: "left" };
  if (request.progress === null) {
    voidHold(page, request, request.hold_micro, null);
    return { outcome: "voided" };
  }
  const { model, price, usage, charge_micro } = JSON.parse(request.progress) as Progress;
  settle(page, request, is_late ? "expired" : "settled", {
    answered: { model, price: JSON.stringify(price), usage: bookUsage(usage) },
    estimated: true,
    success: false,
    answer: null,
    cost_micro: micro(BigInt(charge_micro)),
    outcome: null,
  });
  return { outcome: "settled" };
}

interface Settlement extends Omit<RequestEnd, "ended_ms" | "charge_micro" | "operator_loss_micro" | "answered"> {
  readonly answered: NonNullable<RequestEnd["answered"]>;
  readonly cost_micro: Micro;
  readonly answer: BookAnswer | null;
}

function settle(page: Page, request: RequestState, status: RequestStatus, settlement: Settlement): RequestEnd {
  const account = page.accounts.get(request.account_id);
  if (!account) throw new Error(`the account of ${request.id} is missing`);
  const { answered, estimated, success, outcome } = settlement;
  const { wallet, charge_micro, operator_loss_micro } = charge(
    account.wallet,
    request.hold_micro,
    settlement.cost_micro,
  );
  account.wallet = wallet;
  changeAccount(page, account);
  if (charge_micro > ZERO) {
    account.entry_count += 1;
    page.entries.push({
      account_id: account.id,
      seq: account.entry_count,
      amount_micro: micro(-charge_micro),
      posted_after_micro: wallet.posted_micro,
      created_ms: page.now_ms,
      request_id: request.id,
    });
  }
  topUpIfLow(page, account, ZERO);
  const { model, usage } = answered;
  const counts = usageOf(page, request.account_id, request.key_id, model);
  counts.cost_micro = add(counts.cost_micro, charge_micro);
  counts.prompt_tokens += totalInput(usage);
  counts.completion_tokens += usage.output_tokens;
  counts.ended_count += 1;
  if (success) counts.success_count += 1;

  const key = freeKey(page, request, totalInput(usage) + usage.output_tokens);
  addSpent(key, charge_micro);
  closeRecord(page, request, settlement.answer);
  const ended_ms = page.now_ms;
  const end: RequestEnd = { ended_ms, charge_micro, operator_loss_micro, answered, estimated, success, outcome };
  request.status = status;
  request.end = end;
  changeRequest(page, request);
  return end;
}

function voidHold(page: Page, request: RequestState, operator_loss_micro: Micro, outcome: BookVoid | null): void {
  const account = page.accounts.get(request.account_id);
  if (!account) throw new Error(`the account of ${request.id} is missing`);
  account.wallet = release(account.wallet, request.hold_micro);
  changeAccount(page, account);
  usageOf(page, request.account_id, request.key_id, request.model).ended_count += 1;
  freeKey(page, request, 0);
  dropRecord(page, request);
  request.status = "voided";
  request.end = {
    ended_ms: page.now_ms,
    charge_micro: ZERO,
    operator_loss_micro,
    answered: null,
    estimated: false,
    success: false,
    outcome,
  };
  changeRequest(page, request);
}

/** Takes an ended request off its key's counts, and corrects its tokens to what was used (docs/rulings.md 50). */
function freeKey(page: Page, request: RequestState, used_tokens: number): KeyState {
  const key = page.keys.get(request.key_id);
  if (!key) throw new Error(`the key of ${request.id} is missing`);
  key.open_count -= 1;
  key.held_micro = subtract(key.held_micro, request.hold_micro);
  if (key.tokens !== null) {
    const bucket = refill(key.tokens, key.tokens.limit, page.now_ms);
    key.tokens = correct(bucket, request.bound_tokens, used_tokens, request.created_ms);
  }
  changeKey(page, key);
  return key;
}
