import type { VendorTimeouts } from "../../core/catalog.ts";
import type { Deadlines, Watched } from "../deadlines.ts";
import type { UpstreamReply } from "./reply.ts";
import { UpstreamError } from "./upstream-error.ts";

/** A started call. `abort` closes it at any time, before the head has come or in the middle of the body. */
export interface UpstreamCall {
  /** Resolves when the head of the answer has come, or rejects with an UpstreamError. */
  readonly reply: Promise<UpstreamReply>;
  abort(): void;
}

/** What carries a call. */
export interface Carrier {
  /** Closes the call's connection at once. Whoever reads the answer gets the fault. */
  cancel(fault: UpstreamError): void;
}

/** One running call: its reply, its deadlines, and how it ended. */
export class Call implements UpstreamCall, Watched {
  readonly reply: Promise<UpstreamReply>;
  readonly timeouts: VendorTimeouts;
  readonly #deadlines: Deadlines;
  readonly #first_byte_by_ms: number;
  readonly #total_by_ms: number;
  /** Moved on every chunk: connect or first-byte deadline first, idle deadline afterwards. */
  #next_ms: number;
  readonly #resolve: (reply: UpstreamReply) => void;
  readonly #reject: (fault: UpstreamError) => void;
  #phase: "preparing" | "connecting" | "sent" | "answered" | "over" = "preparing";
  #carrier: Carrier | null = null;
  #fault: UpstreamError | null = null;

  constructor(deadlines: Deadlines, timeouts: VendorTimeouts) {
    const now_ms = deadlines.now_ms;
    this.#deadlines = deadlines;
    this.timeouts = timeouts;
    this.#first_byte_by_ms = now_ms + timeouts.first_byte_ms;
    this.#total_by_ms = now_ms + timeouts.total_ms;
    this.#next_ms = this.#first_byte_by_ms;
    const { promise, resolve, reject } = Promise.withResolvers<UpstreamReply>();
    this.reply = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    deadlines.add(this);
  }

  get isOver(): boolean {
    return this.#phase === "over";
  }

  /** Tells who carries the call from here on. */
  carriedBy(carrier: Carrier): void {
    this.#carrier = carrier;
  }

  /** Tells that a connection is being made: the connect timeout counts beside the first-byte timeout. */
  connects(): void {
    this.#phase = "connecting";
    this.#next_ms = Math.min(this.#first_byte_by_ms, this.#deadlines.now_ms + this.timeouts.connect_ms);
  }

  /** Tells that the request is on its way over a connection. */
  sent(): void {
    this.#phase = "sent";
    this.#next_ms = this.#first_byte_by_ms;
  }

  /** Hands out the answer, whose head has come. */
  answered(reply: UpstreamReply): void {
    this.#phase = "answered";
    this.waits();
    this.#resolve(reply);
  }

  /** Tells that the answer's next bytes are waited for: the idle timeout counts. */
  waits(): void {
    this.#next_ms = this.#deadlines.now_ms + this.timeouts.idle_ms;
  }

  /** Tells that nobody waits for the vendor just now. A client that reads slowly is no silence of the vendor's. */
  rests(): void {
    this.#next_ms = Number.POSITIVE_INFINITY;
  }

  /** The whole answer has come: nothing is left to be aborted. */
  end(): void {
    this.#phase = "over";
    this.#deadlines.remove(this);
  }

  abort(): void {
    this.giveUp(new UpstreamError("aborted", "the gateway closed the call"));
  }

  /** The transport failed. Returns the fault that the call has ended with, which is the first one. */
  fail(fault: UpstreamError): UpstreamError {
    this.#fault ??= fault;
    this.end();
    this.#reject(this.#fault);
    return this.#fault;
  }

  /** Ends the call for a reason of ours: the carrier closes the connection. Nothing to do for one that has ended. */
  giveUp(fault: UpstreamError): void {
    if (this.isOver) return;
    this.fail(fault);
    this.#carrier?.cancel(fault);
  }

  check(now_ms: number): boolean {
    if (now_ms < this.#next_ms && now_ms < this.#total_by_ms) return false;
    this.giveUp(now_ms >= this.#total_by_ms ? this.#totalTimeout() : this.#nextTimeout());
    return true;
  }

  #totalTimeout(): UpstreamError {
    return new UpstreamError("total_timeout", `the vendor took longer than ${this.timeouts.total_ms} ms in all`);
  }

  #nextTimeout(): UpstreamError {
    const { connect_ms, first_byte_ms, idle_ms } = this.timeouts;
    if (this.#phase === "answered")
      return new UpstreamError("idle_timeout", `the vendor sent nothing for ${idle_ms} ms`);
    if (this.#phase === "connecting" && this.#next_ms < this.#first_byte_by_ms)
      return new UpstreamError("unreachable", `no connection to the vendor within ${connect_ms} ms`);
    return new UpstreamError("first_byte_timeout", `the vendor did not answer within ${first_byte_ms} ms`);
  }
}
