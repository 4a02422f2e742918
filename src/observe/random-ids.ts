const POOL_BYTES = 4096;

/** Random ids out of a pool: asking the system for each would cost more than the rest of a call's trace. All zeros, which no id may be, do not happen. */
export class RandomIds {
  readonly #pool = Buffer.alloc(POOL_BYTES);
  #used = POOL_BYTES;

  /** An id of so many bytes, in hexadecimal digits. */
  next(bytes: number): string {
    const from = this.#take(bytes);
    return this.#pool.toString("hex", from, from + bytes);
  }

  /** Writes an id of so many bytes. */
  write(target: Uint8Array, at: number, bytes: number): void {
    const from = this.#take(bytes);
    // Calling the runtime costs more than copying so few.
    for (let done = 0; done < bytes; done += 1) target[at + done] = this.#pool[from + done] as number;
  }

  #take(bytes: number): number {
    if (this.#used + bytes > POOL_BYTES) {
      crypto.getRandomValues(this.#pool);
      this.#used = 0;
    }
    const from = this.#used;
    this.#used += bytes;
    return from;
  }
}
