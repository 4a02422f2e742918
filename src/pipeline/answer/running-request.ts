import type { ClientSignal } from "../../core/answer-stream.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { AnswerReport, ClientRequest } from "../../core/exchange.ts";
import {
  type Attempt,
  CLIENT_LEFT,
  type ExtendOp,
  type Outcome,
  type SettleOp,
  type SettleResult,
  type StoredAnswer,
} from "../../core/ledger.ts";
import { add, type Micro, min, subtract, ZERO } from "../../core/money.ts";
import { affordableOutput, costOf, highestOutputPrice, outputCost, unpricedOf } from "../../core/price.ts";
import { COST_MARK } from "../../core/shown-cost.ts";
import { type Usage, withoutServed } from "../../core/usage.ts";
import { possiblePrices, rareCosts } from "../../ledger/rare-costs.ts";
import { logQuietly, quietly } from "../../observe/quietly.ts";
import { HOLD_TTL_MS } from "../admit/admit.ts";
import type { AttemptContext, AttemptResult, CurrentCall } from "../ask/attempt.ts";
import type { FailureReason } from "../ask/failure-reason.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { AdmissiblePlan } from "../plan/admissible-plan.ts";
import type { Plan } from "../plan/plan.ts";
import type { PricedCandidate } from "../plan/prospects.ts";
import { highestCharge } from "../usage/believed-usage.ts";
import { withheld } from "./withheld.ts";

/** How a request ended: the input of its settlement. */
export interface Settlement {
  readonly candidate: Pick<PricedCandidate, "model" | "price">;
  readonly usage: Usage;
  readonly estimated: boolean;
  /** The output that passed: the evidence for how far the hold may still grow. Without it the hold stays unchanged. */
  readonly report?: Pick<AnswerReport, "output_bytes"> | undefined;
  /** The error that the client got in the middle of the answer, if any. */
  readonly error: ErrorCode | null;
  /** Whether the client received an answer. */
  readonly success: boolean;
  readonly answer: StoredAnswer | null;
  /** Whether nothing is delivered before the settlement is booked. */
  readonly free_if_withheld?: boolean;
}

/** How often a hold's release and a call's end are tried before the sweep and the vendor's time limits have to. */
const MOST_TRIES = 3;

type Settled = Extract<SettleResult, { outcome: "settled" }>;

/**
 * An admitted request: the one owner of its hold and of its vendor's call (docs/rulings.md 159). Its hold ends once, by
 * `settle` or `release`; `end` ends what is still open, on every way out.
 */
export class RunningRequest<Planned extends AdmissiblePlan = Plan, Asked extends ClientRequest = ClientRequest>
  implements AttemptContext, CurrentCall
{
  readonly deps: PipelineDeps;
  readonly call: BilledCall;
  readonly request: Asked;
  readonly plan: Planned;
  readonly attempts: Attempt[] = [];
  current: CurrentCall["current"] = null;
  asked: CurrentCall["asked"] = null;
  begun: CurrentCall["begun"] = null;
  /** True once the vendor's call was closed because the client had left. */
  was_left = false;
  #admitted_ms: number;
  #held_micro: Micro;
  #has_ended = false;
  #onVendorDrainStop: (() => void) | null = null;
  /** The body that another thread keeps for this request. */
  #remote: { release(): void } | null;
  /** When the last attempt began, since the request's arrival. */
  #attempt_started_ms = 0;
  #upstream_cost_micro: Micro | null = null;

  /** Does nothing that can fail: from here on the hold has an owner. */
  constructor(deps: PipelineDeps, call: BilledCall, request: Asked, plan: Planned) {
    this.deps = deps;
    this.call = call;
    this.request = request;
    this.plan = plan;
    this.#admitted_ms = call.arrived_ms;
    this.#held_micro = plan.hold_micro;
    this.#remote = request.remote ?? null;
  }

  /** Another thread keeps this until the request ends. Called at most once, for a request whose own body is not large. */
  keepsUntilEnd(remote: { release(): void }): void {
    this.#remote?.release();
    this.#remote = remote;
  }

  /** Called once, before anything else is done for the request. */
  begin(): void {
    this.deps.open_requests.add(this);
    this.#admitted_ms = this.deps.clock.monotonic_ms();
  }

  /** Whether the hold has ended, or the ledger has what ends it. */
  get hasEnded(): boolean {
    return this.#has_ended;
  }

  /**
   * Sets how to stop the reading of an answer whose client has left: `stopVendorDrain` calls it when the gateway is about to end.
   */
  whenVendorDrainStops(stop: () => void): void {
    this.#onVendorDrainStop = stop;
  }

  stopVendorDrain(): void {
    this.#onVendorDrainStop?.();
  }

  get request_id(): string {
    return this.call.request_id;
  }

  /** What stands for the cost in the answer until it is known; undefined where answers show none (docs/rulings.md 169). */
  get cost_mark(): string | undefined {
    return this.deps.configuration.answers?.cost === "hide" ? undefined : COST_MARK;
  }

  get held_micro(): Micro {
    return this.#held_micro;
  }

  get signal(): ClientSignal {
    return this.call.signal;
  }

  firstByte(at_ms: number): void {
    this.call.metadata.first_byte_ms ??= at_ms - this.call.arrived_ms;
  }

  /** Records the cost of our own engine's calls, apart from the answer's charge (docs/rulings.md 40). */
  noteUpstreamCost(cost_micro: Micro): void {
    this.#upstream_cost_micro = cost_micro;
  }

  /**
   * Ends the hold with a charge and resolves once the charge is durable. Where the database cannot be written, rejects
   * with the error that the client gets in place of the answer, or of the rest of it: the ledger books the charge
   * later. Where it throws before the ledger has the charge, the hold is still open, and `end` voids it.
   *
   * Resolves with the charge; null where the hold had ended already, so that it is not known here.
   */
  async settle(settlement: Settlement): Promise<Micro | null> {
    if (this.#has_ended) return null;
    const { deps } = this;
    const op = this.#settleOp(settlement);
    if (op.charge_micro > this.#held_micro) this.#growFor(settlement, op.charge_micro);
    const charge = deps.ledger.settle(op);
    this.#has_ended = true;
    let result: SettleResult;
    try {
      while (!charge.is_decided) await charge.commit_ended;
      result = charge.result();
    } catch (cause) {
      throw withheld(cause);
    } finally {
      this.#leaveTheOpen();
    }
    try {
      if (settlement.usage.extra !== undefined) this.#noteUnpriced(settlement);
      if (result.outcome === "settled") this.#measure(settlement, result);
      else
        deps.log.error({ request_id: this.call.request_id, outcome: result }, "a hold had ended before its settlement");
    } catch (thrown) {
      logQuietly(deps.log, thrown);
    }
    return result.outcome === "settled" ? result.charge_micro : null;
  }

  #settleOp(settlement: Settlement): SettleOp {
    const { candidate, usage, estimated, error, success, answer, free_if_withheld = false } = settlement;
    return {
      op: "settle",
      request_id: this.call.request_id,
      account_id: this.#account_id,
      model: candidate.model.id,
      price: candidate.price,
      usage: withoutServed(usage),
      estimated,
      charge_micro: costOf(usage, candidate.price),
      outcome: this.#outcome(error),
      success,
      answer,
      free_if_withheld,
    };
  }

  /** Ends the hold without a charge. A failed write is logged; the ledger writes it later. Throws where it has not got it. */
  async release(error: ErrorCode | null): Promise<void> {
    if (this.#has_ended) return;
    const { request_id } = this.call;
    const account_id = this.#account_id;
    const outcome = this.#outcome(error);
    const voided = this.deps.ledger.void({ op: "void", request_id, account_id, outcome, operator_loss_micro: ZERO });
    this.#has_ended = true;
    try {
      await voided;
    } catch (thrown) {
      quietly(this.deps.log, () => this.deps.log.error({ request_id, err: thrown }, "a hold could not be voided"));
    } finally {
      this.#leaveTheOpen();
    }
  }

  /**
   * Ends what is still open, whatever has failed: closes the vendor's call and releases the hold. Never throws. Has no
   * effect on a request that has ended.
   */
  async end(error: ErrorCode | null): Promise<void> {
    this.closeCall();
    for (let tries = 0; !this.#has_ended && tries < MOST_TRIES; tries += 1) {
      try {
        await this.release(error);
      } catch (thrown) {
        const { request_id } = this.call;
        quietly(this.deps.log, () => this.deps.log.error({ request_id, err: thrown }, "a hold was not released"));
      }
    }
  }

  /** Closes the vendor's call, if it still runs. Never throws. */
  closeCall(): void {
    let is_closed = false;
    for (let tries = 0; !is_closed && tries < MOST_TRIES; tries += 1) {
      quietly(this.deps.log, () => {
        this.current?.abort();
        is_closed = true;
      });
    }
  }

  #leaveTheOpen(): void {
    this.call.leaveKey();
    try {
      this.deps.open_requests.ended(this);
    } catch (thrown) {
      logQuietly(this.deps.log, thrown);
    }
    const remote = this.#remote;
    if (remote === null) return;
    this.#remote = null;
    // Released only later: the error for a client whose answer could not be recorded is still to be written.
    setImmediate(() => quietly(this.deps.log, () => remote.release()));
  }

  /**
   * Extends the hold to cover more output tokens. Resolves with how many more it covers: less than what was asked for where
   * the balance and the budget have no more.
   */
  async extend(more_output_tokens: number, candidate: PricedCandidate): Promise<number> {
    const per_mtok = this.outputPrice(candidate);
    const add_micro = outputCost(more_output_tokens, per_mtok);
    if (add_micro === ZERO) return more_output_tokens;
    const result = await this.deps.ledger.extend(this.#extendOp(add_micro));
    if (result.outcome === "refused") return 0;
    this.#held_micro = add(this.#held_micro, result.added_micro);
    return result.added_micro === add_micro ? more_output_tokens : affordableOutput(result.added_micro, per_mtok);
  }

  #extendOp(add_micro: Micro): ExtendOp {
    return { op: "extend", request_id: this.call.request_id, account_id: this.#account_id, add_micro };
  }

  get #account_id(): string {
    return this.call.key.account_id;
  }

  /** The dearest price of an output token by a candidate, at which the hold grows: of any list that its vendor may serve. */
  outputPrice({ price, target }: Pick<PricedCandidate, "price" | "target">): number {
    const lists = target?.price === undefined ? [price] : possiblePrices(target.price, this.request);
    return Math.max(...[price, ...lists].map((list) => highestOutputPrice(list, rareCosts(list, this.request))));
  }

  /**
   * Lets the hold grow for a cost that it does not cover, as far as the evidence, the balance and the budget allow
   * (docs/rulings.md 145). The extension is booked in order, before the settlement, so that nobody waits for it.
   */
  #growFor({ usage, candidate, report }: Settlement, cost_micro: Micro): void {
    if (report === undefined) return;
    const { held_output_tokens } = this.plan;
    const evidence = { held_output_tokens, choices: this.request.choices, output_bytes: report.output_bytes };
    const most_micro = min(cost_micro, highestCharge(usage, candidate.price, evidence));
    if (most_micro <= this.#held_micro) return;
    const add_micro = subtract(most_micro, this.#held_micro);
    const extension = this.deps.ledger.extend(this.#extendOp(add_micro));
    // Where the extension fails, the settlement behind it fails, too, and reports it.
    extension.catch(() => {});
  }

  /** Records the answer's progress, in case this process dies. It is not awaited, so the stream is not delayed. */
  recordProgress(candidate: PricedCandidate, usage: Usage): void {
    this.deps.ledger.progress({
      op: "progress",
      request_id: this.call.request_id,
      account_id: this.#account_id,
      model: candidate.model.id,
      price: candidate.price,
      usage: withoutServed(usage),
      charge_micro: costOf(usage, candidate.price),
      ttl_ms: HOLD_TTL_MS,
    });
  }

  /** Records a finished attempt for the receipt. */
  attempted({ vendor, route }: PricedCandidate, result: AttemptResult, ended_ms: number): void {
    const { status, started_ms, first_byte_ms } = result;
    const error = result.error?.code ?? null;
    this.#attempt_started_ms = Math.max(0, Math.round(started_ms - this.call.arrived_ms));
    const told = error !== null || this.attempts.length > 0;
    this.attempts.push({
      vendor: vendor.id,
      upstream_model: route.upstream_model,
      status,
      error,
      first_byte_ms: first_byte_ms === null ? null : Math.round(first_byte_ms),
      duration_ms: Math.round(ended_ms - started_ms),
      ...(told && { started_ms: this.#attempt_started_ms }),
      ...(result.reason !== null && receiptMembers(result.reason)),
    });
    this.deps.metrics.attempts.add(1, vendor.id, error ?? "ok");
  }

  /** Records why a vendor broke off an answer that had begun: its attempt is recorded already. */
  brokeOff(reason: FailureReason): void {
    const last = this.attempts.pop();
    if (last !== undefined)
      this.attempts.push({ ...last, started_ms: this.#attempt_started_ms, ...receiptMembers(reason) });
  }

  #outcome(error: ErrorCode | null): Outcome {
    const { arrived_ms, metadata } = this.call;
    const outcome: Outcome = {
      attempts: this.attempts,
      error: error ?? (this.was_left || this.signal.aborted ? CLIENT_LEFT : null),
      queue_ms: Math.round(this.#admitted_ms - arrived_ms),
      first_byte_ms: metadata.first_byte_ms === null ? null : Math.round(metadata.first_byte_ms),
      duration_ms: Math.round(this.deps.clock.monotonic_ms() - arrived_ms),
    };
    const upstream_cost_micro = this.#upstream_cost_micro;
    return upstream_cost_micro === null ? outcome : { ...outcome, upstream_cost_micro };
  }

  /**
   * Counts in the usage that have no price: the operator pays for them and must learn of them (docs/rulings.md 144).
   */
  #noteUnpriced({ candidate, usage }: Settlement): void {
    const unpriced = unpricedOf(usage, candidate.price);
    if (unpriced.length === 0) return;
    const model = candidate.model.id;
    this.deps.metrics.unpriced.add(1, model);
    this.deps.log.warn(
      { request_id: this.call.request_id, model, unpriced },
      "a vendor's usage has counts without a price",
    );
  }

  #measure({ candidate, usage }: Settlement, { charge_micro, operator_loss_micro }: Settled): void {
    const model = candidate.model.id;
    const { tokens, charged, operator_loss } = this.deps.metrics;
    tokens.add(usage.input_tokens, model, "input");
    tokens.add(usage.output_tokens, model, "output");
    if (usage.cache_read_tokens > 0) tokens.add(usage.cache_read_tokens, model, "cache_read");
    if (usage.cache_write_tokens > 0) tokens.add(usage.cache_write_tokens, model, "cache_write");
    charged.add(Number(charge_micro), model);
    if (operator_loss_micro === ZERO) return;
    operator_loss.add(Number(operator_loss_micro), model);
    this.deps.log.warn(
      { request_id: this.call.request_id, model, usage, charge_micro, operator_loss_micro },
      "an answer cost more than what was held: the rest is the operator's loss",
    );
  }
}

function receiptMembers({ text, is_private }: FailureReason): Pick<Attempt, "said" | "said_to_operator"> {
  return is_private ? { said: text, said_to_operator: true } : { said: text };
}
