import type { CircuitChange } from "../core/operations/circuits.ts";

/** How many changes wait to be written: where the database is away for long, the oldest are forgotten. */
const MOST = 1000;

export type NotedChange = Omit<CircuitChange, "no" | "age_ms">;

/** Keeps the changes of circuits until they are written. */
export class CircuitChanges {
  readonly #now_ms: () => number;
  #kept: (NotedChange & { readonly no: number; readonly at_ms: number })[] = [];
  /** Begins with the process's start, so that it grows over restarts too. */
  #last_no = Math.floor(performance.timeOrigin) * 1000;

  constructor(now_ms: () => number) {
    this.#now_ms = now_ms;
  }

  note(change: NotedChange): void {
    this.#last_no += 1;
    this.#kept.push({ ...change, no: this.#last_no, at_ms: this.#now_ms() });
    if (this.#kept.length > MOST) this.#kept.shift();
  }

  /** The changes that are not yet written, oldest first. */
  unwritten(): CircuitChange[] {
    const now_ms = this.#now_ms();
    return this.#kept.map(({ at_ms, ...change }) => ({ ...change, age_ms: Math.max(0, Math.round(now_ms - at_ms)) }));
  }

  /** All changes up to this number are written. */
  written(last_no: number): void {
    this.#kept = this.#kept.filter(({ no }) => no > last_no);
  }
}
