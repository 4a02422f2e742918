import { UnorderedSet } from "../../core/unordered-set.ts";

/** A request whose hold has not ended. */
export interface OpenRequest {
  readonly request_id: string;
  /** Ends the reading of an answer whose client has left, so that the request can be settled now. */
  stopVendorDrain(): void;
}

/**
 * The requests whose holds are open, from admission to the end of settlement: longer than their clients' connections. A
 * gateway waits for them before it closes the database.
 */
export class OpenRequests {
  /** How many answers are being streamed to clients. */
  streams = 0;
  readonly #open = new UnorderedSet<OpenRequest>();
  #vendor_drains_stopped = false;
  #onEmpty: (() => void) | null = null;

  /** True once answers whose clients have left are no longer read. */
  get vendor_drains_stopped(): boolean {
    return this.#vendor_drains_stopped;
  }

  get count(): number {
    return this.#open.size;
  }

  add(request: OpenRequest): void {
    this.#open.add(request);
  }

  ended(request: OpenRequest): void {
    this.#open.delete(request);
    if (this.#open.size === 0) this.#onEmpty?.();
  }

  /** The ids of all open requests, for callers that look now and then. */
  *ids(): Generator<string> {
    for (const { request_id } of this.#open) yield request_id;
  }

  /** Resolves when all requests have ended or the time is over, with the number of remaining requests. */
  async allEnded(patience_ms: number): Promise<number> {
    if (this.#open.size === 0) return 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEmpty = resolve;
    const timer = setTimeout(resolve, patience_ms);
    await promise;
    clearTimeout(timer);
    return this.#open.size;
  }

  /** From now on an answer whose client has left is charged for what arrived of it, under every vendor policy. */
  stopVendorDrains(): void {
    this.#vendor_drains_stopped = true;
    for (const request of this.#open) request.stopVendorDrain();
  }
}
