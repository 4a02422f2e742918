/** The calls by which a hook is judged, and how many of them have to fail. */
const JUDGED = 20;
const MOST_FAILED = 10;
/** How long a hook that has failed so often is not asked; then one request tries it. */
const PAUSE_MS = 30_000;

/** Says whether a hook is asked: one that fails again and again costs no request its deadline (docs/rulings.md 232). */
export class HookCircuit {
  readonly #monotonic_ms: () => number;
  #results: boolean[] = [];
  #open_until_ms: number | null = null;

  constructor(monotonic_ms: () => number) {
    this.#monotonic_ms = monotonic_ms;
  }

  /** Milliseconds until it is asked again; 0 where it may be asked now. Whoever gets 0 has to tell how it went. */
  waitMs(): number {
    if (this.#open_until_ms === null) return 0;
    const now_ms = this.#monotonic_ms();
    if (now_ms < this.#open_until_ms) return this.#open_until_ms - now_ms;
    // One request tries it; the others wait for what it says.
    this.#open_until_ms = now_ms + PAUSE_MS;
    return 0;
  }

  succeeded(): void {
    if (this.#open_until_ms !== null) {
      this.#open_until_ms = null;
      this.#results = [];
    }
    this.#add(true);
  }

  failed(): void {
    this.#add(false);
    const failures = this.#results.filter((is_well) => !is_well).length;
    if (this.#results.length < JUDGED || failures < MOST_FAILED) return;
    this.#open_until_ms = this.#monotonic_ms() + PAUSE_MS;
  }

  #add(is_well: boolean): void {
    this.#results.push(is_well);
    if (this.#results.length > JUDGED) this.#results.shift();
  }
}
