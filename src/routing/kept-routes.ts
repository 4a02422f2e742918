/** How many conversations are kept at least; at most twice as many. */
const MOST = 50_000;
/** A conversation that nobody went on with for so long is forgotten: its vendor's cache is cold as well. */
const IDLE_MS = 3_600_000;

interface Kept {
  readonly candidate: string;
  used_ms: number;
}

/**
 * Where conversations stay that are not where their hash would have them: they moved, or were begun by another pick than by weight. Bounded:
 * the half that was used least lately is dropped at once.
 */
export class KeptRoutes {
  #young = new Map<number, Kept>();
  #old = new Map<number, Kept>();
  readonly #now_ms: () => number;
  readonly #most: number;

  /** `now_ms` is a monotonic clock. */
  constructor(now_ms: () => number, most = MOST) {
    this.#now_ms = now_ms;
    this.#most = most;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** The id of the candidate that the conversation stays with; null where none is kept. */
  get(conversation: number): string | null {
    const young = this.#young.get(conversation);
    const kept = young ?? this.#old.get(conversation);
    if (kept === undefined) return null;
    const now_ms = this.#now_ms();
    if (now_ms - kept.used_ms > IDLE_MS) {
      this.forget(conversation);
      return null;
    }
    kept.used_ms = now_ms;
    if (young === undefined) this.#put(conversation, kept);
    return kept.candidate;
  }

  keep(conversation: number, candidate: string): void {
    this.#put(conversation, { candidate, used_ms: this.#now_ms() });
  }

  forget(conversation: number): void {
    this.#young.delete(conversation);
    this.#old.delete(conversation);
  }

  #put(conversation: number, kept: Kept): void {
    this.#old.delete(conversation);
    if (this.#young.size >= this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(conversation, kept);
  }
}
