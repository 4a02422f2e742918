import type { GatewayError } from "../core/errors.ts";
import type { ChargeOp, ChargeResult, LedgerOp, LedgerResult } from "../core/ledger/ledger.ts";

/** An operation as the ledger queues it: the books decide over the two parts of a charge one after the other. */
export type QueuedOp = LedgerOp | ChargeOp;

export type QueuedResult<Op extends QueuedOp = QueuedOp> = Op extends LedgerOp ? LedgerResult<Op> : ChargeResult;

/** Operations that wait for the same commit: one promise for all of them. */
export class BookingGroup {
  /** Resolves when the commit has ended, whether it succeeded or failed. */
  readonly commit_ended: Promise<void>;
  readonly endCommit: () => void;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.commit_ended = promise;
    this.endCommit = resolve;
  }
}

/**
 * An operation that the ledger was asked for, and its result. All operations of a commit wait for one promise: a promise for
 * each operation would be six objects more, and each call has two operations. Whoever waits looks again after each commit,
 * because an operation may be moved to the next one:
 *
 *     while (!booking.is_decided) await booking.commit_ended;
 *     const result = booking.result();
 */
export class Booking<Op extends QueuedOp = QueuedOp> {
  readonly op: Op;
  /** Monotonic. */
  readonly since_ms: number;
  /** Whether a commit of it failed that may have taken place after all. */
  is_unsure = false;
  #group: BookingGroup;
  #result: QueuedResult<Op> | null = null;
  #refusal: GatewayError | null = null;

  constructor(op: Op, since_ms: number, group: BookingGroup) {
    this.op = op;
    this.since_ms = since_ms;
    this.#group = group;
  }

  /** Whether the operation has its result, or was refused or given up. */
  get is_decided(): boolean {
    return this.#result !== null || this.#refusal !== null;
  }

  /** Resolves when the commit that the operation waits for has ended. */
  get commit_ended(): Promise<void> {
    return this.#group.commit_ended;
  }

  /** The result of a decided operation. Throws the error with which the operation was refused or given up. */
  result(): QueuedResult<Op> {
    if (this.#refusal !== null) throw this.#refusal;
    if (this.#result === null) throw new Error("an operation of the ledger is not decided yet");
    return this.#result;
  }

  /** Makes the operation wait for another group's commit. The commit of its old group has ended, or is about to end. */
  joins(group: BookingGroup): void {
    this.#group = group;
  }

  booked(result: QueuedResult<Op>): void {
    this.#result = result;
  }

  /** Refuses the operation for those who wait for it. The refusal stays, also when the operation is booked later. */
  refuse(error: GatewayError): void {
    this.#refusal ??= error;
  }
}

/** An operation's result as a promise, for callers off the hot path. Rejects as `result` throws. */
export async function bookedResult<Op extends QueuedOp>(booking: Booking<Op>): Promise<QueuedResult<Op>> {
  while (!booking.is_decided) await booking.commit_ended;
  return booking.result();
}
