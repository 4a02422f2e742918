/** Gives those who ask one turn of the event loop each, in their order, so that others are served in between. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in the next free turn, which it takes. Never rejects. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.#last;
  }
}
