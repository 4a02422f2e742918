import type { Clock } from "../core/clock.ts";
import type { Log } from "../observe/log.ts";

const ONE_IN_MS = 1000;

/** A log of errors that come in crowds: at most one line a second, which says how many were left out before it. */
export class SparseErrors implements Pick<Log, "error"> {
  readonly #log: Pick<Log, "error">;
  readonly #clock: Pick<Clock, "monotonic_ms">;
  #last_ms = Number.NEGATIVE_INFINITY;
  #left_out = 0;

  constructor(log: Pick<Log, "error">, clock: Pick<Clock, "monotonic_ms">) {
    this.#log = log;
    this.#clock = clock;
  }

  error(fields: unknown, message?: string): void {
    const now_ms = this.#clock.monotonic_ms();
    if (now_ms - this.#last_ms < ONE_IN_MS) {
      this.#left_out += 1;
      return;
    }
    this.#last_ms = now_ms;
    const left_out = this.#left_out;
    this.#left_out = 0;
    this.#log.error(left_out === 0 ? fields : { ...Object(fields), left_out }, message);
  }
}
