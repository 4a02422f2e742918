import { RecentMap } from "../core/recent-map.ts";

/** How many conversations are kept at least; at most twice as many. */
const MOST = 50_000;
/** A conversation that nobody went on with for so long is forgotten: its vendor's cache is cold as well. */
const IDLE_MS = 3_600_000;

interface KeptRoute {
  readonly candidate: string;
  used_ms: number;
}

/**
 * Where conversations stay that are not where their hash would have them: they moved, or were begun by another pick than by weight. Those that
 * were not used for longest are dropped.
 */
export class KeptRoutes {
  readonly #kept: RecentMap<KeptRoute, number>;
  readonly #now_ms: () => number;

  /** `now_ms` is a monotonic clock. */
  constructor(now_ms: () => number, most = MOST) {
    this.#now_ms = now_ms;
    this.#kept = new RecentMap(most);
  }

  get size(): number {
    return this.#kept.size;
  }

  /** The id of the candidate that the conversation stays with; null where none is kept. */
  get(conversation: number): string | null {
    const kept = this.#kept.get(conversation);
    if (kept === undefined) return null;
    const now_ms = this.#now_ms();
    if (now_ms - kept.used_ms > IDLE_MS) {
      this.forget(conversation);
      return null;
    }
    kept.used_ms = now_ms;
    this.#kept.set(conversation, kept);
    return kept.candidate;
  }

  keep(conversation: number, candidate: string): void {
    this.#kept.set(conversation, { candidate, used_ms: this.#now_ms() });
  }

  forget(conversation: number): void {
    this.#kept.delete(conversation);
  }
}
