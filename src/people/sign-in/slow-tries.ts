import type { TryRule } from "../../core/people/users.ts";

/** How long to wait after so many tries (docs/rulings.md 116). */
export function waitAfter(count: number, { free, first_wait_ms, longest_wait_ms }: TryRule): number {
  if (count < free) return 0;
  // Bounded before the power, which would overflow.
  return Math.min(longest_wait_ms, first_wait_ms * 2 ** Math.min(count - free, 30));
}

/** A bucket as a try finds it. */
export interface TryState {
  /** How many tries were taken, with this one. */
  readonly count: number;
  /** How long the wait still runs that an earlier try began; null where none runs. */
  readonly running_ms: number | null;
}

/** `takes`: the try counts, and begins a wait of this length. Else it counts for nothing, and has to wait. */
export type TryDecision = { readonly takes: boolean; readonly wait_ms: number };

/** A try that comes while a wait runs is not taken, however often it comes: so a wait ends. */
export function decideTry({ count, running_ms }: TryState, rule: TryRule): TryDecision {
  if (running_ms !== null) return { takes: false, wait_ms: Math.min(rule.longest_wait_ms, running_ms) };
  return { takes: true, wait_ms: waitAfter(count, rule) };
}
