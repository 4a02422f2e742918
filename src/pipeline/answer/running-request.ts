import type { ClientSignal } from "../../core/answer/answer-stream.ts";
import type { ClientRequest } from "../../core/answer/exchange.ts";
import { COST_MARK } from "../../core/answer/shown-cost.ts";
import { logQuietly, quietly } from "../../observe/quietly.ts";
import { Hold } from "../admit/hold.ts";
import type { AttemptContext } from "../ask/attempt.ts";
import { Receipt } from "../ask/receipt.ts";
import { VendorCall } from "../ask/vendor-call.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { OpenRequest } from "../call/open-requests.ts";
import type { CandidateOrder } from "../plan/order-candidates.ts";
import type { AdmissiblePlan, Plan } from "../plan/plan.ts";

/**
 * An admitted request with all that is open for it: its hold, its vendor's call, and its body in another thread. Its owner
 * (`settle/answer-admitted.ts`) ends them, on every way out (docs/rulings.md 159).
 */
export class RunningRequest<Planned extends AdmissiblePlan = Plan, Asked extends ClientRequest = ClientRequest>
  implements AttemptContext, OpenRequest
{
  readonly deps: PipelineDeps;
  readonly call: BilledCall;
  readonly request: Asked;
  readonly plan: Planned;
  readonly hold: Hold;
  readonly receipt: Receipt;
  readonly vendor_call = new VendorCall();
  /** True once the vendor's call was closed because the client had left. */
  was_left = false;
  #onVendorDrainStop: (() => void) | null = null;
  /** The body that another thread keeps for this request. */
  #remote: { release(): void } | null;

  /** Does nothing that can fail: from here on the hold has an owner. */
  constructor(deps: PipelineDeps, call: BilledCall, request: Asked, plan: Planned) {
    this.deps = deps;
    this.call = call;
    this.request = request;
    this.plan = plan;
    this.hold = new Hold(
      deps.ledger,
      { request_id: call.request_id, account_id: call.key.account_id },
      plan.hold_micro,
    );
    this.receipt = new Receipt(deps, call);
    this.#remote = request.remote ?? request.kept ?? null;
  }

  /** Called once, before anything else is done for the request. */
  begin(): void {
    this.deps.open_requests.add(this);
    const now_ms = this.deps.clock.monotonic_ms();
    this.receipt.admitted(now_ms);
    this.call.trace?.admitted(now_ms, this.plan);
  }

  /** Another thread keeps this until the request ends. Called at most once, for a request whose own body is not large. */
  keepsUntilEnd(remote: { release(): void }): void {
    this.#remote?.release();
    this.#remote = remote;
  }

  get request_id(): string {
    return this.call.request_id;
  }

  get signal(): ClientSignal {
    return this.call.signal;
  }

  get order(): CandidateOrder | undefined {
    return this.plan.order;
  }

  get bound_tokens(): number {
    return this.plan.bound_tokens;
  }

  get notes(): Receipt {
    return this.receipt;
  }

  /** The placeholder for the cost in the answer until it is known; undefined where answers show none (docs/rulings.md 169). */
  get cost_mark(): string | undefined {
    return this.deps.configuration.answers?.cost === "hide" ? undefined : COST_MARK;
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

  /** Called once, when the hold has ended. */
  holdEnded(): void {
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
}

/** A running request of either use case. */
export type OwnedRequest = RunningRequest<AdmissiblePlan, ClientRequest>;
