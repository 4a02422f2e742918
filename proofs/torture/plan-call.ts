import type { Draw } from "./draw.ts";
import { LASTING_MODEL, MODELS, type TortureModel } from "./models.ts";

/** What one call asks and how its client behaves, by draws alone. */
export interface CallPlan {
  readonly model: TortureModel;
  /** The position of the style among the generation styles; decisions have a path of their own. */
  readonly style: number;
  readonly stream: boolean;
  /** The cap on output tokens, at least what responses demands; null for none (messages demands one: its largest). */
  readonly cap: number | null;
  /** The position of the round's key. */
  readonly key: number;
  readonly node: number;
  /** How many words the prompt has beside the call's id. */
  readonly words: number;
  readonly leaves: "never" | "at some time" | "after content";
  /** When the client leaves, if it leaves at some time. */
  readonly leaves_after_ms: number;
  /** How often the call is repeated with the same `Idempotency-Key`; null: it has no such key. */
  readonly repeats: number | null;
  /** Whether the first repeat is sent while the call still runs. */
  readonly repeats_at_once: boolean;
  /** How long the worker waits before its next call. */
  readonly pause_ms: number;
}

export const STYLE_COUNT = 3;
const LASTING_SHARE = 0.4;
/** The round's keys by their position, and how often each is used: see `makeRoundKeys`. */
const KEYS = [
  { key: 0, weight: 6 },
  { key: 1, weight: 2 },
  { key: 2, weight: 1 },
  { key: 3, weight: 2 },
];

/** A call of a round with so many nodes. In a long round, some calls outlast its long harm. */
export function planCall(draw: Draw, nodes: number, long: boolean): CallPlan {
  const model = long && draw.chance(LASTING_SHARE) ? LASTING_MODEL : draw.weighted(MODELS);
  return {
    model,
    style: draw.whole(0, STYLE_COUNT - 1),
    stream: !model.decides && draw.chance(0.55),
    cap: draw.chance(0.6) ? draw.whole(16, 300) : null,
    key: draw.weighted(KEYS).key,
    node: draw.whole(0, nodes - 1),
    words: draw.chance(0.05) ? draw.whole(500, 4000) : draw.whole(2, 30),
    leaves: draw.weighted([
      { leaves: "never" as const, weight: 8 },
      { leaves: "at some time" as const, weight: 1 },
      { leaves: "after content" as const, weight: 1 },
    ]).leaves,
    leaves_after_ms: draw.whole(1, 400),
    repeats: draw.chance(0.15) ? draw.whole(1, 2) : null,
    repeats_at_once: draw.chance(0.3),
    pause_ms: draw.whole(0, 60),
  };
}
