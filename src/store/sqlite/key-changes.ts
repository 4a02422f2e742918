import { systemClock } from "../../core/clock.ts";
import type { KeyVersion } from "../../core/people/principal.ts";

/**
 * Tracks when keys may have changed. The file has one owner, through which all changes of keys, accounts and users go: without a change
 * since keys were read, they need not be read again.
 */
export class KeyChanges {
  readonly #now_ms: () => number;
  #running = 0;
  #last_ms = Number.NEGATIVE_INFINITY;

  constructor(now_ms: () => number = systemClock.monotonic_ms) {
    this.#now_ms = now_ms;
  }

  /** Counts a change, whether it succeeds or fails. */
  async during<Answer>(change: Promise<Answer>): Promise<Answer> {
    this.#running += 1;
    try {
      return await change;
    } finally {
      this.#running -= 1;
      this.#last_ms = this.#now_ms();
    }
  }

  /** The ids of the keys that have changed; `ask` finds them among those that may have. */
  async among(
    known: readonly KeyVersion[],
    ask: (known: readonly KeyVersion[]) => Promise<string[]>,
  ): Promise<string[]> {
    const may_have_changed = this.#running > 0 ? known : known.filter(({ as_of_ms }) => as_of_ms <= this.#last_ms);
    return may_have_changed.length === 0 ? [] : await ask(may_have_changed);
  }
}
