/** Gives each caller a turn of the event loop of its own, in the order of the calls, so that other requests are served in between. */
export class EventLoopTurns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in the next free turn. Never rejects. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.#last;
  }
}
