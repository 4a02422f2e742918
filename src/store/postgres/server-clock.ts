import type { Clock } from "../../core/clock.ts";
import type { StoreCondition } from "../../core/store/store-events.ts";

/** A node's clock that differs by this much is reported. */
const REPORTED_FROM_MS = 2000;
/** An answer that took longer says too little of the server's time. */
const LONGEST_ANSWER_MS = 1000;

/**
 * The database's time on a node: its own clock, by as much as it was last found to be off. What ends or begins at a time does so by this one
 * on every node (docs/rulings.md 207).
 */
export class ServerClock {
  readonly #own: Clock;
  readonly #report: (condition: StoreCondition) => void;
  #offset_ms = 0;
  #is_reported = false;

  /** `report` hears when the clock begins to be far off. */
  constructor(own: Clock, report: (condition: StoreCondition) => void = () => {}) {
    this.#own = own;
    this.#report = report;
  }

  now_ms(): number {
    return Math.round(this.#own.now_ms() + this.#offset_ms);
  }

  /** Compares the two clocks. `read` asks the server for its time. */
  async measure(read: () => Promise<number>): Promise<void> {
    const began_ms = this.#own.now_ms();
    const began = this.#own.monotonic_ms();
    const server_ms = await read();
    const elapsed_ms = this.#own.monotonic_ms() - began;
    if (elapsed_ms <= LONGEST_ANSWER_MS) this.#offset_ms = server_ms - (began_ms + elapsed_ms / 2);
    const [condition] = this.conditions;
    if (condition !== undefined && !this.#is_reported) this.#report(condition);
    this.#is_reported = condition !== undefined;
  }

  /** A clock that is far off, for the operator: a machine with a wrong clock has other troubles, too. */
  get conditions(): readonly StoreCondition[] {
    const off_ms = Math.abs(this.#offset_ms);
    if (off_ms < REPORTED_FROM_MS) return [];
    const side = this.#offset_ms > 0 ? "behind" : "ahead of";
    const text = `This machine's clock is ${Math.round(off_ms / 1000)} s ${side} the database's, which is the one that counts: set it right (NTP).`;
    return [{ code: "clock_off", text }];
  }
}
