import type { VendorTimeouts } from "../../core/catalog/catalog.ts";
import type { Deadlines, WithDeadline } from "../deadlines.ts";
import type { UpstreamReply } from "./reply.ts";
import { UpstreamError } from "./upstream-error.ts";

/** A started call. `abort` closes it at any time, before its head has arrived or in the middle of the body. */
export interface UpstreamCall {
  /** Resolves when the head of the answer has arrived, or rejects with an UpstreamError. */
  readonly reply: Promise<UpstreamReply>;
  abort(): void;
}

/** The connection or fetch that carries a call. */
export interface CallTransport {
  /** Closes the call's connection at once. The reader of the answer gets the fault. */
  cancel(fault: UpstreamError): void;
  /**
   * Closes the connection of a call that has ended, named by the call's number, so that it carries no other call. Does nothing where the answer
   * to a later call has begun on it: that answer is the later call's own.
   */
  retire(ended: number): void;
}

/** How many calls were made so far. */
let made = 0;

/** One running call: its reply, its deadlines, and how it ended. */
export class Call implements UpstreamCall, WithDeadline {
  readonly reply: Promise<UpstreamReply>;
  /** Tells the calls of a process apart. */
  readonly number = ++made;
  readonly timeouts: VendorTimeouts;
  readonly #deadlines: Deadlines;
  readonly #first_byte_by_ms: number;
  readonly #total_by_ms: number;
  /** The current phase's deadline: first connect or first byte, then idle, which moves with every chunk. */
  #next_ms: number;
  readonly #resolve: (reply: UpstreamReply) => void;
  readonly #reject: (fault: UpstreamError) => void;
  #phase: "preparing" | "connecting" | "sent" | "answered" | "over" = "preparing";
  #transport: CallTransport | null = null;
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

  /** Sets the transport of the call, which `giveUp` cancels. */
  carriedBy(transport: CallTransport): void {
    this.#transport = transport;
  }

  /** Called when a connection is being made: from now on the connect timeout counts beside the first-byte timeout. */
  connects(): void {
    this.#phase = "connecting";
    this.#next_ms = Math.min(this.#first_byte_by_ms, this.#deadlines.now_ms + this.timeouts.connect_ms);
  }

  /** Called when the request has been written to a connection. */
  sent(): void {
    this.#phase = "sent";
    this.#next_ms = this.#first_byte_by_ms;
  }

  /** Called when the head of the answer has arrived. */
  answered(reply: UpstreamReply): void {
    this.#phase = "answered";
    this.waits();
    this.#resolve(reply);
  }

  /** Called when somebody waits for the answer's next bytes: the idle timeout counts from now on. */
  waits(): void {
    this.#next_ms = this.#deadlines.now_ms + this.timeouts.idle_ms;
  }

  /** Called when nobody waits for the vendor: a client that reads slowly must not count as silence of the vendor. */
  rests(): void {
    this.#next_ms = Number.POSITIVE_INFINITY;
  }

  /** Called when the whole answer has arrived: there is nothing left to abort. */
  end(): void {
    this.#phase = "over";
    this.#deadlines.remove(this);
  }

  /** Ends the call, and has its connection closed even where the answer has ended. */
  distrust(): void {
    this.abort();
    this.#transport?.retire(this.number);
  }

  abort(): void {
    this.giveUp(new UpstreamError("aborted", "the gateway closed the call"));
  }

  /** Called when the transport failed. Returns the fault with which the call has ended, which is the first fault. */
  fail(fault: UpstreamError): UpstreamError {
    this.#fault ??= fault;
    this.end();
    this.#reject(this.#fault);
    return this.#fault;
  }

  /**
   * Ends the call at the gateway's decision: the transport closes the connection. Has no effect on a call that has ended.
   */
  giveUp(fault: UpstreamError): void {
    if (this.isOver) return;
    this.fail(fault);
    this.#transport?.cancel(fault);
  }

  check(now_ms: number): number | null {
    if (now_ms < this.#next_ms && now_ms < this.#total_by_ms) return Math.min(this.#next_ms, this.#total_by_ms);
    this.giveUp(now_ms >= this.#total_by_ms ? this.#totalTimeout() : this.#nextTimeout());
    return null;
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
