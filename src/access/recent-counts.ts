import type { Shared } from "../core/worker-group.ts";

/**
 * Counts by name that are forgotten some time after the last one, in bounded memory: beyond `most` names, the one that was
 * counted longest ago goes.
 */
export class RecentCounts {
  readonly #most: number;
  readonly #window_ms: number;
  readonly #monotonic_ms: () => number;
  readonly #shared: Shared | undefined;
  /** In the order of their last count. */
  readonly #known = new Map<string, { count: number; counted_ms: number }>();

  /** `shared`: counts of the gateway's other processes count here too. */
  constructor(options: {
    readonly most: number;
    readonly window_ms: number;
    readonly monotonic_ms: () => number;
    readonly shared?: Shared | undefined;
  }) {
    this.#most = options.most;
    this.#window_ms = options.window_ms;
    this.#monotonic_ms = options.monotonic_ms;
    this.#shared = options.shared;
    this.#shared?.hear((name, count) => void this.#add(name, count));
  }

  /** How many names are remembered. */
  get size(): number {
    return this.#known.size;
  }

  /** The count of a name, and how long ago it was last counted; null where nothing is remembered of it. */
  of(name: string): { readonly count: number; readonly ago_ms: number } | null {
    const known = this.#known.get(name);
    if (known === undefined) return null;
    const ago_ms = this.#monotonic_ms() - known.counted_ms;
    return ago_ms < this.#window_ms ? { count: known.count, ago_ms } : null;
  }

  /** Counts a name once more. Returns its count. */
  count(name: string): number {
    this.#shared?.tell(name);
    return this.#add(name, 1);
  }

  forget(name: string): void {
    this.#known.delete(name);
  }

  #add(name: string, more: number): number {
    const count = (this.of(name)?.count ?? 0) + more;
    this.#known.delete(name);
    this.#known.set(name, { count, counted_ms: this.#monotonic_ms() });
    if (this.#known.size > this.#most) {
      const oldest = this.#known.keys().next();
      if (!oldest.done) this.#known.delete(oldest.value);
    }
    return count;
  }
}
