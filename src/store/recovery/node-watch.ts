import type { Clock } from "../../core/clock.ts";

/** A node that has shown no new beat for so long, while this node's own came through, is dead: several were missed. */
export const DEAD_AFTER_MS = 15_000;
/** Two of a node's own beats that are further apart than this have a gap between them. */
const GAP_MS = 11_000;

/** A node with open holds, and its last beat; null where it has no mark. */
export interface SeenNode {
  readonly id: string;
  readonly beat_ms: number | null;
}

interface Watched {
  readonly beat_ms: number | null;
  readonly since_ms: number;
}

/**
 * Judges which other nodes are dead (docs/rulings.md 147). A node that cannot reach the database, or was asleep, sees the
 * beats of all others stand still: so it judges only by what it saw since its own last gap, on its own monotonic clock.
 * Clocks of other machines, the database's among them, do not matter: a beat is only compared with itself.
 */
export class NodeWatch {
  readonly #clock: Pick<Clock, "monotonic_ms">;
  #watched = new Map<string, Watched>();
  #last_ms = Number.NEGATIVE_INFINITY;
  #next_ms = DEAD_AFTER_MS;

  constructor(clock: Pick<Clock, "monotonic_ms">) {
    this.#clock = clock;
  }

  /** How long after it last saw the others the watch has to see them again, so that none that is dead by then counts as alive any longer. */
  get next_ms(): number {
    return this.#next_ms;
  }

  /** Takes note that an own beat has reached the database, and of the beats of others that were read after it. Returns the dead. */
  see(nodes: readonly SeenNode[]): SeenNode[] {
    const now_ms = this.#clock.monotonic_ms();
    const before = now_ms - this.#last_ms > GAP_MS ? new Map<string, Watched>() : this.#watched;
    this.#last_ms = now_ms;
    this.#watched = new Map();
    const dead: SeenNode[] = [];
    this.#next_ms = DEAD_AFTER_MS;
    for (const node of nodes) {
      const known = before.get(node.id);
      const watched = known?.beat_ms === node.beat_ms ? known : { beat_ms: node.beat_ms, since_ms: now_ms };
      this.#watched.set(node.id, watched);
      const rest_ms = watched.since_ms + DEAD_AFTER_MS - now_ms;
      if (rest_ms <= 0) dead.push(node);
      else this.#next_ms = Math.min(this.#next_ms, rest_ms);
    }
    return dead;
  }
}
