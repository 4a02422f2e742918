import type { GatewayError } from "../core/errors.ts";
import type { LedgerOp, LedgerResult } from "../core/ledger.ts";

/** Operations that wait for the same commit: one promise for all of them. */
export class BookingGroup {
  readonly news: Promise<void>;
  readonly tell: () => void;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.news = promise;
    this.tell = resolve;
  }
}

/**
 * An operation that the ledger was asked for, and what becomes of it. A promise of its own for each would be six objects, and
 * each call has two operations:
 *
 *     while (booking.news !== null) await booking.news;
 *     const result = booking.result();
 */
export class Booking<Op extends LedgerOp = LedgerOp> {
  readonly op: Op;
  /** Monotonic. */
  readonly since_ms: number;
  #group: BookingGroup;
  #result: LedgerResult<Op> | null = null;
  #refusal: GatewayError | null = null;

  constructor(op: Op, since_ms: number, group: BookingGroup) {
    this.op = op;
    this.since_ms = since_ms;
    this.#group = group;
  }

  /** Resolves when there is something new, which may be another group to wait with. Null once it is known what came of it. */
  get news(): Promise<void> | null {
    return this.#result === null && this.#refusal === null ? this.#group.news : null;
  }

  /** What came of it, once `news` is null. Throws the error with which it was refused or given up. */
  result(): LedgerResult<Op> {
    if (this.#refusal !== null) throw this.#refusal;
    if (this.#result === null) throw new Error("an operation of the ledger is not decided yet");
    return this.#result;
  }

  /** Waits with another group from here on: the old one is told, or will be. */
  joins(group: BookingGroup): void {
    this.#group = group;
  }

  booked(result: LedgerResult<Op>): void {
    this.#result = result;
  }

  /** Whoever waits is told so, and stays told so whatever becomes of the operation. */
  refuse(error: GatewayError): void {
    this.#refusal ??= error;
  }
}

/** What comes of an operation, for those who need not count objects. Rejects as `result` throws. */
export async function bookedResult<Op extends LedgerOp>(booking: Booking<Op>): Promise<LedgerResult<Op>> {
  while (booking.news !== null) await booking.news;
  return booking.result();
}
