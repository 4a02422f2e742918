export type CircuitState = "closed" | "open" | "half-open";

/** A probe that fails keeps a circuit open for at most so many of its first pauses (docs/rulings.md 150). */
const MAX_PAUSES = 2;

/** One circuit: closed, open for a pause, or half open while a request probes the route. */
export class Circuit {
  readonly #pause_ms: number;
  /** How often the circuit has opened since it was last closed. */
  #openings = 0;
  #open_until_ms = 0;
  #is_probing = false;

  /** `pause_ms` is how long the circuit stays open at first. */
  constructor(pause_ms: number) {
    this.#pause_ms = pause_ms;
  }

  get isClosed(): boolean {
    return this.#openings === 0;
  }

  get isProbing(): boolean {
    return this.#is_probing;
  }

  /** Whether a request may use the route now. */
  mayPass(now_ms: number): boolean {
    return this.isClosed || (!this.#is_probing && now_ms >= this.#open_until_ms);
  }

  /** A request that may pass does: on a circuit that is not closed it is the probe. */
  pass(): void {
    this.#is_probing = !this.isClosed;
  }

  open(now_ms: number): void {
    this.#is_probing = false;
    this.#openings += 1;
    this.#open_until_ms = now_ms + this.#pause_ms * Math.min(this.#openings, MAX_PAUSES);
  }

  close(): void {
    this.#is_probing = false;
    this.#openings = 0;
  }

  /** The probe ended without a verdict: another request may probe. */
  endProbe(): void {
    this.#is_probing = false;
  }

  /** Milliseconds until the route may be probed; 0 when it is usable. */
  waitMs(now_ms: number): number {
    return this.isClosed ? 0 : Math.max(0, this.#open_until_ms - now_ms);
  }

  state(now_ms: number): CircuitState {
    if (this.isClosed) return "closed";
    return this.#is_probing || now_ms >= this.#open_until_ms ? "half-open" : "open";
  }
}
