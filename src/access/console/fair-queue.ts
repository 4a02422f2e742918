/**
 * Runs a few tasks at a time and lets the others wait, in bounded memory. A name with many waiting tasks gets no more turns than a name
 * with one: the next turn goes to the name that has waited longest for one, and then to the next name.
 */
export class FairQueue {
  readonly #at_once: number;
  readonly #waiting: number;
  readonly #waiting_each: number;
  #running = 0;
  #queued = 0;
  /** The works that wait, by name; a name goes to the end when it gets a turn. */
  readonly #queues = new Map<string, (() => void)[]>();

  /** How many run at once, how many may wait in all, and how many of one name. */
  constructor(most: { readonly at_once: number; readonly waiting: number; readonly waiting_each: number }) {
    this.#at_once = most.at_once;
    this.#waiting = most.waiting;
    this.#waiting_each = most.waiting_each;
  }

  /** Runs a work when its turn comes; null where too many wait already. */
  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result | null> {
    if (this.#running >= this.#at_once) {
      const queue = this.#queues.get(name) ?? [];
      if (this.#queued >= this.#waiting || queue.length >= this.#waiting_each) return null;
      const turn = Promise.withResolvers<void>();
      queue.push(turn.resolve);
      this.#queues.set(name, queue);
      this.#queued += 1;
      // A task that ends hands over its place, so the number of running tasks stays unchanged.
      await turn.promise;
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #next(): void {
    const first = this.#queues.entries().next();
    if (first.done) {
      this.#running -= 1;
      return;
    }
    const [name, queue] = first.value;
    const begin = queue.shift();
    this.#queued -= 1;
    this.#queues.delete(name);
    if (queue.length > 0) this.#queues.set(name, queue);
    begin?.();
  }
}
