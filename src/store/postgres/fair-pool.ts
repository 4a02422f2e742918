import { StoreUnavailable } from "../../core/store-errors.ts";
import { Deadline } from "./deadline.ts";
import { losesConnection, PoolExhausted } from "./store-trouble.ts";

/** The first and the longest pause before an item whose connection was lost is used again. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1000;

interface Lendable<Item> {
  readonly item: Item;
  /** How often in a row the item's connection was lost. */
  losses: number;
}

/**
 * A pool whose items are given to waiting callers first come, first served. A caller waits as long as other callers return their items
 * without an error; when no item comes back before the deadline, the caller gets "busy", with nothing done. An item whose connection was
 * lost pauses before its next use, so that waiting callers do not all try an unreachable database one after the other.
 */
export class FairPool<Item> {
  readonly #deadline_ms: number;
  readonly #free: Lendable<Item>[];
  readonly #waiting = new Set<(lendable: Lendable<Item>) => void>();
  /** When an item was last returned with its connection intact, by the monotonic clock. */
  #came_back_ms = Number.NEGATIVE_INFINITY;

  constructor(items: readonly Item[], deadline_ms: number) {
    this.#free = items.map((item) => ({ item, losses: 0 }));
    this.#deadline_ms = deadline_ms;
  }

  /** Runs `work` with an item. Throws the error of `work`, or a StoreUnavailable. */
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
      // An item was handed over just as the deadline passed.
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
