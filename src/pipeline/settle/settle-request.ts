import type { AnswerReport } from "../../core/answer/exchange.ts";
import { type ErrorCode, GatewayError } from "../../core/errors.ts";
import type { Outcome, SettleOp, SettleResult, StoredAnswer } from "../../core/ledger/ledger.ts";
import { type Micro, min, subtract, ZERO } from "../../core/money/money.ts";
import { costOf, unpricedOf } from "../../core/money/price.ts";
import { type Usage, withoutServed } from "../../core/money/usage.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { logQuietly, quietly } from "../../observe/quietly.ts";
import type { OwnedRequest } from "../answer/running-request.ts";
import { noteVendorUse } from "../ask/vendor-use.ts";
import type { PricedCandidate } from "../plan/prospects.ts";
import { highestCharge } from "../usage/believed-usage.ts";

/** How a request ended: the input of its settlement. */
export interface Settlement {
  readonly candidate: Pick<PricedCandidate, "model" | "price">;
  readonly usage: Usage;
  readonly estimated: boolean;
  /** The output that was delivered, which limits how far the hold may still grow. Without it the hold stays unchanged. */
  readonly report?: Pick<AnswerReport, "output_bytes"> | undefined;
  /** The error that the client got in the middle of the answer, if any. */
  readonly error: ErrorCode | null;
  /** Whether the client received an answer. */
  readonly success: boolean;
  readonly answer: StoredAnswer | null;
  /** Whether nothing is delivered before the settlement is booked. */
  readonly free_if_withheld?: boolean;
}

type Settled = Extract<SettleResult, { outcome: "settled" }>;

/** How often releasing a hold is tried before it is left to the sweep. */
const MOST_TRIES = 3;

/**
 * Ends the hold with a charge and resolves once the charge is durable. Where the database cannot be written, rejects
 * with the error that the client gets in place of the answer, or of the rest of it: the ledger books the charge
 * later. Where it throws before the ledger has the charge, the hold is still open, and `endRequest` voids it.
 *
 * Resolves with the charge; null where the hold had ended already, so that it is not known here.
 */
export async function settleRequest(run: OwnedRequest, settlement: Settlement): Promise<Micro | null> {
  const { deps, hold } = run;
  if (hold.hasEnded) return null;
  const op = settleOp(run, settlement);
  if (op.charge_micro > hold.held_micro) growFor(run, settlement, op.charge_micro);
  const began_ms = deps.clock.monotonic_ms();
  run.receipt.wentOn(began_ms);
  const charge = hold.settle(op);
  let result: SettleResult;
  try {
    while (!charge.is_decided) await charge.commit_ended;
    result = charge.result();
  } catch (cause) {
    throw withheld(cause);
  } finally {
    run.holdEnded();
  }
  try {
    noteSettled(run, settlement, result, began_ms);
    const { begun } = run.vendor_call;
    // What our decision engine asked for was counted with each of its calls.
    if (begun !== null && !run.receipt.is_of_engine) noteVendorUse(deps, begun.candidate, settlement.usage);
  } catch (thrown) {
    logQuietly(deps.log, thrown);
  }
  return result.outcome === "settled" ? result.charge_micro : null;
}

/** Counts and traces a settlement that is durable. May throw: nothing depends on it. */
export function noteSettled(
  run: OwnedRequest,
  settlement: Settlement,
  result: SettleResult,
  /** When it was asked for, monotonic. */
  began_ms: number,
): void {
  const { deps, hold } = run;
  const ended_ms = deps.clock.monotonic_ms();
  deps.metrics.overhead.add((ended_ms - began_ms) / 1000, "settlement");
  run.call.trace?.settled(began_ms, ended_ms, { ...settlement, held_micro: hold.held_micro, result });
  if (settlement.usage.extra !== undefined) noteUnpriced(run, settlement);
  if (result.outcome === "settled") measure(run, settlement, result);
  else deps.log.error({ request_id: run.request_id, outcome: result }, "a hold had ended before its settlement");
}

/** Ends the hold without a charge. A failed write is logged; the ledger writes it later. Throws where it has not got it. */
export async function releaseRequest(run: OwnedRequest, error: ErrorCode | null): Promise<void> {
  const { deps, hold, request_id } = run;
  if (hold.hasEnded) return;
  const began_ms = deps.clock.monotonic_ms();
  const voided = hold.void(outcomeOf(run, error));
  try {
    await voided;
    run.call.trace?.voided(began_ms, deps.clock.monotonic_ms());
  } catch (thrown) {
    quietly(deps.log, () => deps.log.error({ request_id, err: thrown }, "a hold could not be voided"));
  } finally {
    run.holdEnded();
  }
}

/**
 * Closes the vendor's call and releases the hold where they are still open, after any failure. Never throws. Has no effect on a request that
 * has ended.
 */
export async function endRequest(run: OwnedRequest, error: ErrorCode | null): Promise<void> {
  const { deps, hold, request_id } = run;
  run.vendor_call.close(deps.log);
  for (let tries = 0; !hold.hasEnded && tries < MOST_TRIES; tries += 1) {
    try {
      await releaseRequest(run, error);
    } catch (thrown) {
      quietly(deps.log, () => deps.log.error({ request_id, err: thrown }, "a hold was not released"));
    }
  }
}

/** The operation that ends the hold with a charge. */
export function settleOp(run: OwnedRequest, settlement: Settlement): SettleOp {
  const { candidate, usage, estimated, error, success, answer, free_if_withheld = false } = settlement;
  return {
    op: "settle",
    request_id: run.request_id,
    account_id: run.call.key.account_id,
    model: candidate.model.id,
    price: candidate.price,
    usage: withoutServed(usage),
    estimated,
    charge_micro: costOf(usage, candidate.price),
    outcome: outcomeOf(run, error),
    success,
    answer,
    free_if_withheld,
  };
}

function outcomeOf({ receipt, was_left, signal }: OwnedRequest, error: ErrorCode | null): Outcome {
  return receipt.outcome(error, was_left || signal.aborted);
}

/**
 * Lets the hold grow for a cost that it does not cover, as far as the evidence, the balance and the budget allow
 * (docs/rulings.md 145).
 */
function growFor({ hold, plan, request }: OwnedRequest, settlement: Settlement, cost_micro: Micro): void {
  const { usage, candidate, report } = settlement;
  if (report === undefined) return;
  const { held_output_tokens } = plan;
  const evidence = { held_output_tokens, choices: request.choices, output_bytes: report.output_bytes };
  const most_micro = min(cost_micro, highestCharge(usage, candidate.price, evidence));
  if (most_micro > hold.held_micro) hold.extendBeforeSettlement(subtract(most_micro, hold.held_micro));
}

/**
 * Counts in the usage that have no price: the operator pays for them and must learn of them (docs/rulings.md 144).
 */
function noteUnpriced({ deps, request_id }: OwnedRequest, { candidate, usage }: Settlement): void {
  const unpriced = unpricedOf(usage, candidate.price);
  if (unpriced.length === 0) return;
  const model = candidate.model.id;
  deps.metrics.unpriced.add(1, model);
  deps.log.warn({ request_id, model, unpriced }, "a vendor's usage has counts without a price");
}

function measure(
  { deps, request_id }: OwnedRequest,
  { candidate, usage }: Settlement,
  { charge_micro, operator_loss_micro }: Settled,
): void {
  const model = candidate.model.id;
  const { tokens, charged, operator_loss } = deps.metrics;
  tokens.add(usage.input_tokens, model, "input");
  tokens.add(usage.output_tokens, model, "output");
  if (usage.cache_read_tokens > 0) tokens.add(usage.cache_read_tokens, model, "cache_read");
  if (usage.cache_write_tokens > 0) tokens.add(usage.cache_write_tokens, model, "cache_write");
  charged.add(Number(charge_micro), model);
  if (operator_loss_micro === ZERO) return;
  operator_loss.add(Number(operator_loss_micro), model);
  deps.log.warn(
    { request_id, model, usage, charge_micro, operator_loss_micro },
    "an answer cost more than what was held: the rest is the operator's loss",
  );
}

const RETRY_AFTER_MS = 2000;

/**
 * The error in place of a whole answer or a decision whose charge could not be booked (docs/rulings.md 159): 503 while the database is
 * away, so that the client asks again; 500 where the fault is ours.
 */
export function withheld(cause: unknown): GatewayError {
  const is_away = cause instanceof GatewayError && cause.cause instanceof StoreUnavailable;
  if (!is_away)
    return new GatewayError("internal_error", "The answer could not be recorded, so it is withheld.", { cause });
  return new GatewayError(
    "model_unavailable",
    "The answer could not be recorded while the gateway's database cannot be used, so it is withheld. Try again soon.",
    { cause, retry_after_ms: RETRY_AFTER_MS },
  );
}
