import type { Clock } from "../core/clock.ts";
import { systemClock } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import type {
  AdmitOp,
  ChargeOp,
  CountRefusalOp,
  ExtendOp,
  ExtendResult,
  ProgressOp,
  SettleOp,
  VoidOp,
  VoidResult,
} from "../core/ledger/ledger.ts";
import type { LedgerStore } from "../core/store/ports.ts";
import type { Log } from "../observe/log.ts";
import { type Booking, bookedResult } from "./booking.ts";
import { GroupCommit } from "./group-commit.ts";

/** The ledger as the pipeline sees it. Operations on one request take effect in the order in which they are asked for. */
export interface Ledger {
  /** Has its result once the decision is durable. Throws `model_unavailable` (503) when the ledger is full or unreachable. */
  admit(op: AdmitOp): Booking<AdmitOp>;
  /** Like `admit`, for a request whose charge is known: where it is admitted, it is charged. Throws as `admit` does. */
  charge(op: ChargeOp): Booking<ChargeOp>;
  /** Rejects with `db_error` when the books cannot be written for a while. */
  extend(op: ExtendOp): Promise<ExtendResult>;
  /** Advice for crash recovery: not awaited, and given up when the books cannot be written. */
  progress(op: ProgressOp): void;
  /**
   * Has its result once the charge is durable. Refused with `db_error` when the books could not be written for a while; the
   * charge stays queued and is booked when they can.
   */
  settle(op: SettleOp): Booking<SettleOp>;
  /** Ends a request without a charge. Rejects like `settle` where the end is refused. */
  void(op: VoidOp): Promise<VoidResult>;
  /** Counts a request that was refused before it came to admission; admissions count their own refusals. */
  countRefusal(op: CountRefusalOp): void;
  /** Operations that wait for a commit, and those being committed. */
  readonly pending: number;
  /** The requests of all operations that are not booked yet: a copy, for callers that look now and then. */
  unbookedRequests(): Set<string>;
  /** Whether a request's admission was refused although its commit may take place after all. */
  wasRefused(request_id: string): boolean;
  /** Resolves when everything that was asked for is booked, or given up as far as that is allowed. */
  drain(): Promise<void>;
}

export interface LedgerOptions {
  readonly store: Pick<LedgerStore, "commit">;
  /** Admissions beyond this many waiting operations are refused; what ends a hold never is. */
  readonly max_queue?: number;
  /** Operations in one transaction. */
  readonly max_batch?: number;
  readonly clock?: Clock;
  readonly log?: Log;
  /** First pause after a failed commit; doubles up to `retry_max_ms`. */
  readonly retry_min_ms?: number;
  readonly retry_max_ms?: number;
  /** How long a caller waits for a failing commit before its operation is refused. */
  readonly give_up_ms?: number;
  /** Called for each end that came after a recovery had ended the hold (docs/rulings.md 146). */
  readonly onLate?: (request_id: string, end: "settled" | "voided") => void;
}

const OVERLOAD_RETRY_MS = 1000;

/** The ledger over a store: queues operations while the last commit runs and commits them together (docs/adr/0004). */
export function createLedger(options: LedgerOptions): Ledger {
  const queue = new GroupCommit({
    store: options.store,
    max_batch: options.max_batch ?? 500,
    clock: options.clock ?? systemClock,
    log: options.log ?? null,
    retry_min_ms: options.retry_min_ms ?? 50,
    retry_max_ms: options.retry_max_ms ?? 2000,
    give_up_ms: options.give_up_ms ?? 30_000,
    onLate: options.onLate ?? (() => {}),
  });
  const max_queue = options.max_queue ?? 5000;
  const enqueueIfRoom = <Op extends AdmitOp | ChargeOp>(op: Op): Booking<Op> => {
    if (queue.waiting >= max_queue) throw overloaded();
    return queue.enqueue(op);
  };
  return {
    admit: enqueueIfRoom,
    charge: enqueueIfRoom,
    extend: (op) => bookedResult(queue.enqueue(op)),
    progress: (op) => void queue.enqueue(op),
    settle: (op) => queue.enqueue(op),
    void: (op) => bookedResult(queue.enqueue(op)),
    countRefusal: (op) => {
      if (queue.waiting < max_queue) queue.enqueue(op);
    },
    get pending() {
      return queue.waiting + queue.committing;
    },
    unbookedRequests: () => queue.requestIds(),
    wasRefused: (request_id) => queue.wasRefused(request_id),
    drain: () => queue.drain(),
  };
}

function overloaded(): GatewayError {
  return new GatewayError("model_unavailable", "The gateway is overloaded. Try again in a moment.", {
    retry_after_ms: OVERLOAD_RETRY_MS,
  });
}
