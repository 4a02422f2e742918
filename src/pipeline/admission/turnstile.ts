/** Lets so many through at once; the others wait for their turn in the order in which they came. */
export class Turnstile {
  readonly #waiting: (() => void)[] = [];
  #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  /** Resolves when it is the caller's turn. Whoever was let in says `leave` once. */
  async enter(): Promise<void> {
    if (this.#room > 0) {
      this.#room -= 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    await promise;
  }

  leave(): void {
    this.widen(1);
  }

  /** Lets everybody in from now on. */
  open(): void {
    this.#room = Number.POSITIVE_INFINITY;
    for (const next of this.#waiting.splice(0)) next();
  }

  /** Lets so many more in than before. */
  widen(more: number): void {
    for (; more > 0; more -= 1) {
      const next = this.#waiting.shift();
      if (next === undefined) this.#room += 1;
      else next();
    }
  }
}
