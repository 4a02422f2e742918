import { Draw } from "./draw.ts";
import { type Facts, type PlannedHarm, possibleHarms } from "./harms.ts";

/** What a round does, by its seed alone: equal seeds and facts give equal plans. */
export interface RoundPlan {
  readonly seed: number;
  /** How long new calls are made. Calls that run then may end. */
  readonly load_ms: number;
  readonly workers: number;
  /** Whether a harm lasts longer than nodes are patient with each other. */
  readonly long: boolean;
  /** In the order of their times. */
  readonly harms: readonly PlannedHarm[];
}

const MOST_HARMS = 4;
/** New calls are made for a while after the last harm: a recovery that breaks healthy calls must be seen. */
const AFTERWARDS_MS = 300;
/** A harm of this length is one for a round of its own. */
const LONG_MS = 10_000;

export function planRound(seed: number, facts: Facts): RoundPlan {
  const draw = new Draw(seed);
  const base_ms = draw.whole(600, 2000);
  const harms: PlannedHarm[] = [];
  const moved = new Set<string>();
  for (let left = draw.whole(1, MOST_HARMS); left > 0; left -= 1) {
    const possible = possibleHarms(facts).filter(({ moves }) => !moved.has(moves));
    if (possible.length === 0) break;
    const { kind, moves, shortest_ms, longest_ms } = draw.weighted(possible);
    const harm = {
      kind,
      node: draw.whole(0, facts.nodes - 1),
      at_ms: draw.whole(60, base_ms),
      for_ms: draw.whole(shortest_ms, longest_ms),
      choice: draw.fraction(),
    };
    // One long wait is enough for a round, and only a process can be killed again.
    if (harm.for_ms >= LONG_MS && harms.some(({ for_ms }) => for_ms >= LONG_MS)) continue;
    if (kind !== "kill") moved.add(moves);
    harms.push(harm);
    // What a damaged log loses must not be lost to anything else.
    if (kind === "damaged log") return planOf(seed, draw, { base_ms, harms: [harm] });
  }
  harms.sort((one, other) => one.at_ms - other.at_ms);
  return planOf(seed, draw, { base_ms, harms });
}

interface Outline {
  readonly base_ms: number;
  readonly harms: readonly PlannedHarm[];
}

function planOf(seed: number, draw: Draw, { base_ms, harms }: Outline): RoundPlan {
  const last_ms = Math.max(...harms.map(({ at_ms, for_ms }) => at_ms + for_ms));
  const long = last_ms > LONG_MS;
  const workers = draw.whole(8, 20);
  return { seed, load_ms: Math.max(base_ms, last_ms) + AFTERWARDS_MS, workers, long, harms };
}
