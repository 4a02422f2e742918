import { StoreUnavailable } from "../../core/store-errors.ts";
import { Deadline } from "./deadline.ts";
import { losesConnection, PoolExhausted } from "./store-trouble.ts";

/** After a lost connection: the first pause before it is lent again, and the longest. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1000;

interface Lendable<Item> {
  readonly item: Item;
  /** How often in a row the item's connection was lost. */
  losses: number;
}

/**
 * Items that are lent to one borrower each, in the order in which they were asked for. While others' come back well, a borrower waits
 * for its turn; when none does until the deadline, it is told that the database is busy and that nothing happened. An item whose connection was
 * lost rests a little, so that a database that is away is not asked by all who wait, one after the other.
 */
export class Lent<Item> {
  readonly #deadline_ms: number;
  readonly #free: Lendable<Item>[];
  readonly #waiting = new Set<(lendable: Lendable<Item>) => void>();
  /** When an item last came back well, by the monotonic clock. */
  #came_back_ms = Number.NEGATIVE_INFINITY;

  constructor(items: readonly Item[], deadline_ms: number) {
    this.#free = items.map((item) => ({ item, losses: 0 }));
    this.#deadline_ms = deadline_ms;
  }

  /** Does something with an item. Throws what that throws, or a StoreUnavailable. */
  async use<Result>(work: (item: Item) => Promise<Result>): Promise<Result> {
    const lendable = this.#free.shift() ?? (await this.#turn());
    let rest_ms = 0;
    try {
      const result = await work(lendable.item);
      lendable.losses = 0;
      this.#came_back_ms = performance.now();
      return result;
    } catch (thrown) {
      if (thrown instanceof StoreUnavailable && losesConnection(thrown.trouble)) {
        rest_ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** lendable.losses);
        lendable.losses += 1;
      } else this.#came_back_ms = performance.now();
      throw thrown;
    } finally {
      if (rest_ms === 0) this.#lend(lendable);
      else setTimeout(() => this.#lend(lendable), rest_ms);
    }
  }

  async #turn(): Promise<Lendable<Item>> {
    const { promise, resolve } = Promise.withResolvers<Lendable<Item>>();
    const deadline = new Deadline();
    const more = (): number => this.#deadline_ms - (performance.now() - this.#came_back_ms);
    const exhausted = new PoolExhausted(this.#deadline_ms);
    deadline.set(this.#deadline_ms, () => exhausted, more);
    this.#waiting.add(resolve);
    try {
      return await Promise.race([promise, deadline.passed]);
    } catch {
      // The item came at the last moment.
      if (!this.#waiting.delete(resolve)) return await promise;
    } finally {
      deadline.clear();
    }
    throw new StoreUnavailable("busy", exhausted.message, { nothing_happened: true, cause: exhausted });
  }

  #lend(lendable: Lendable<Item>): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next(lendable);
      return;
    }
    this.#free.push(lendable);
  }
}
