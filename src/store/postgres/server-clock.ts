import type { Clock } from "../../core/clock.ts";
import type { StoreCondition } from "../../core/store/store-events.ts";

/** A node's clock that differs by so much is told of. */
const TOLD_FROM_MS = 2000;
/** An answer that took longer says too little of the server's time. */
const LONGEST_ANSWER_MS = 1000;

/**
 * The database's time on a node: its own clock, by as much as it was last found to be off. What ends or begins at a time does so by this one
 * on every node (docs/rulings.md 207).
 */
export class ServerClock {
  readonly #own: Clock;
  readonly #tell: (condition: StoreCondition) => void;
  #offset_ms = 0;
  #is_told = false;

  /** `tell` hears when the clock begins to be far off. */
  constructor(own: Clock, tell: (condition: StoreCondition) => void = () => {}) {
    this.#own = own;
    this.#tell = tell;
  }

  now_ms(): number {
    return Math.round(this.#own.now_ms() + this.#offset_ms);
  }

  /** Compares the two clocks. `read` asks the server for its time. */
  async measure(read: () => Promise<number>): Promise<void> {
    const began_ms = this.#own.now_ms();
    const began = this.#own.monotonic_ms();
    const server_ms = await read();
    const took_ms = this.#own.monotonic_ms() - began;
    if (took_ms <= LONGEST_ANSWER_MS) this.#offset_ms = server_ms - (began_ms + took_ms / 2);
    const [condition] = this.conditions;
    if (condition !== undefined && !this.#is_told) this.#tell(condition);
    this.#is_told = condition !== undefined;
  }

  /** A clock that is far off, for the operator: a machine with a wrong clock has other troubles, too. */
  get conditions(): readonly StoreCondition[] {
    const off_ms = Math.abs(this.#offset_ms);
    if (off_ms < TOLD_FROM_MS) return [];
    const side = this.#offset_ms > 0 ? "behind" : "ahead of";
    const text = `This machine's clock is ${Math.round(off_ms / 1000)} s ${side} the database's, which is the one that counts: set it right (NTP).`;
    return [{ code: "clock_off", text }];
  }
}
