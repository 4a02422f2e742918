import type { Clock } from "../../core/clock.ts";
import { systemClock } from "../../core/clock.ts";

/**
 * How old a node's own beat may be when the transaction of an admission begins. With the time that the transaction may take it stays
 * below the silence after which others judge (node-watch.ts), so no hold is seen beside a beat that its node is judged by.
 */
export const OLD_BEAT_MS = 8000;

interface Moment {
  readonly monotonic_ms: number;
  readonly now_ms: number;
}

/**
 * A node's own beat, as the node knows it. A node that was paused does not know for how long the others have seen its beat stand
 * still: until a beat has come through again, each transaction that admits a request carries one (docs/rulings.md 147).
 */
export class OwnBeat {
  readonly #clock: Pick<Clock, "monotonic_ms">;
  #last: Moment;

  /** A node marks itself alive before it is open. */
  constructor(clock: Pick<Clock, "monotonic_ms">) {
    this.#clock = clock;
    this.#last = this.moment();
  }

  moment(): Moment {
    return { monotonic_ms: this.#clock.monotonic_ms(), now_ms: systemClock.now_ms() };
  }

  /** Whether others may be about to judge. The wall clock is asked too: a machine's sleep stops some monotonic clocks. */
  isOld(): boolean {
    const { monotonic_ms, now_ms } = this.moment();
    return monotonic_ms - this.#last.monotonic_ms > OLD_BEAT_MS || now_ms - this.#last.now_ms > OLD_BEAT_MS;
  }

  /** Takes note that a beat which began then has come through. */
  cameThrough(began: Moment): void {
    if (began.monotonic_ms >= this.#last.monotonic_ms) this.#last = began;
  }
}
