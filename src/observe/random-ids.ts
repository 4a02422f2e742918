const POOL_BYTES = 4096;

/** Random ids in hexadecimal digits, out of a pool: asking the system for each would cost more than the rest of a call's trace. */
export class RandomIds {
  readonly #pool = Buffer.alloc(POOL_BYTES);
  #used = POOL_BYTES;

  /** An id of so many bytes. All zeros, which no id may be, do not happen. */
  next(bytes: number): string {
    if (this.#used + bytes > POOL_BYTES) {
      crypto.getRandomValues(this.#pool);
      this.#used = 0;
    }
    const from = this.#used;
    this.#used += bytes;
    return this.#pool.toString("hex", from, this.#used);
  }
}
