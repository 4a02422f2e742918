import { Crowd } from "../../core/crowd.ts";

/** A request whose hold is open. */
export interface OpenRequest {
  /** Stops reading what nobody waits for, so that the request can be settled now. */
  hurry(): void;
}

/**
 * The requests whose holds are open, from their admission to the end of their settlement: longer than their clients'
 * connections, and what a gateway has to wait for before it closes its books.
 */
export class OpenRequests {
  /** Answers that are on their way to a client as a stream. */
  streams = 0;
  readonly #open = new Crowd<OpenRequest>();
  #hurried = false;
  #onEmpty: (() => void) | null = null;

  /** True once nothing is to be read for nobody any more. */
  get hurried(): boolean {
    return this.#hurried;
  }

  add(request: OpenRequest): void {
    this.#open.add(request);
  }

  ended(request: OpenRequest): void {
    this.#open.delete(request);
    if (this.#open.size === 0) this.#onEmpty?.();
  }

  /** Resolves when all have ended, or after that time; with how many are left. */
  async allEnded(patience_ms: number): Promise<number> {
    if (this.#open.size === 0) return 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEmpty = resolve;
    const timer = setTimeout(resolve, patience_ms);
    await promise;
    clearTimeout(timer);
    return this.#open.size;
  }

  /** From now on an answer whose client has left is charged for what came of it, whatever its vendor's policy. */
  hurry(): void {
    this.#hurried = true;
    for (const request of this.#open) request.hurry();
  }
}
