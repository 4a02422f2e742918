import type { Clock } from "../../core/clock.ts";
import { systemClock } from "../../core/clock.ts";

/**
 * How old a node's own beat may be when the transaction of an admission begins. Even with the transaction's longest duration the beat is
 * then younger than the silence after which other nodes declare a node dead (node-watch.ts), so they never see the new hold beside a beat of
 * that age.
 */
export const OLD_BEAT_MS = 8000;

interface Moment {
  readonly monotonic_ms: number;
  readonly now_ms: number;
}

/**
 * When a node's own beat was last written. A node that was paused does not know how long the other nodes have seen no beat: until one is
 * written again, each transaction that admits a request writes one (docs/rulings.md 147).
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

  /** Whether other nodes may soon declare this one dead. The wall clock counts too: a machine's sleep stops some monotonic clocks. */
  isOld(): boolean {
    const { monotonic_ms, now_ms } = this.moment();
    return monotonic_ms - this.#last.monotonic_ms > OLD_BEAT_MS || now_ms - this.#last.now_ms > OLD_BEAT_MS;
  }

  /** Notes that a beat which was begun at `began` is written. */
  noteWritten(began: Moment): void {
    if (began.monotonic_ms >= this.#last.monotonic_ms) this.#last = began;
  }
}
