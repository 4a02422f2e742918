/** Lets a limited number of tasks run at once; the others wait in the order in which they came. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  /** Resolves when it is the caller's turn. The caller must call `release` once. */
  async acquire(): Promise<void> {
    if (this.#room > 0) {
      this.#room -= 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    await promise;
  }

  release(): void {
    this.widen(1);
  }

  /** Does a task when it is its turn. */
  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    await this.acquire();
    try {
      return await task();
    } finally {
      this.release();
    }
  }

  /** Admits all waiting and all later callers. */
  open(): void {
    this.#room = Number.POSITIVE_INFINITY;
    for (const next of this.#waiting.splice(0)) next();
  }

  /** Raises the limit by this number. */
  widen(more: number): void {
    for (; more > 0; more -= 1) {
      const next = this.#waiting.shift();
      if (next === undefined) this.#room += 1;
      else next();
    }
  }
}
