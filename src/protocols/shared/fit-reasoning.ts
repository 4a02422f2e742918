import type { ReasoningSetting } from "../../core/answer/generation.ts";
import type { Capabilities, ReasoningControls } from "../../core/catalog/catalog.ts";
import { budgetForEffort, effortForBudget, nearestEffort } from "./effort.ts";

/** The reasoning settings to send to a target; an absent member is not sent. */
export interface FittedReasoning {
  /** False: reasoning off. True: reasoning on, only where neither an effort nor a budget implies it. */
  readonly enabled?: boolean;
  /** A level that the model has. */
  readonly effort?: string;
  /** Within the model's range, and less than the room for the whole output. */
  readonly budget_tokens?: number;
  /** Whether the client asked for a setting that the target has no control for; the client is informed of it. */
  readonly ignored: boolean;
}

/** The smallest budget that any vendor accepts, for models whose own limit the catalogue does not know. */
const SMALLEST_BUDGET_TOKENS = 1024;

const SILENT: FittedReasoning = { ignored: false };
const IGNORED: FittedReasoning = { ignored: true };

/**
 * One client's reasoning setting for one model (docs/rulings.md 12). An effort that the model lacks becomes its nearest
 * lower level; where the model has a budget instead, an effort is a share of the largest one, and a budget a level where
 * it has levels. `room_tokens` is the cap on the whole output that the vendor will be sent, reasoning included, or null.
 */
export function fitReasoning(
  setting: ReasoningSetting | undefined,
  { thinking, reasoning = {} }: Capabilities,
  room_tokens: number | null,
): FittedReasoning {
  if (setting === undefined) return SILENT;
  const off = setting.enabled === false || setting.effort === "none";
  if (!thinking) return off || !asksForSomething(setting) ? SILENT : IGNORED;
  if (off) return turnOff(reasoning, room_tokens);
  if (!asksForSomething(setting)) return SILENT;
  return fitControls(setting, reasoning, room_tokens);
}

function asksForSomething({ enabled, effort, budget_tokens }: ReasoningSetting): boolean {
  return enabled !== undefined || effort !== undefined || budget_tokens !== undefined;
}

/** Reasoning off; a model that cannot switch it off gets the lowest setting that it has. */
function turnOff(controls: ReasoningControls, room_tokens: number | null): FittedReasoning {
  if (controls.toggle) return { enabled: false, ignored: false };
  const lowest = nearestEffort("none", controls.effort ?? []);
  if (lowest !== null) return { effort: lowest, ignored: false };
  return controls.budget_tokens === undefined ? IGNORED : withBudget(0, controls.budget_tokens, room_tokens);
}

function fitControls(
  setting: ReasoningSetting,
  controls: ReasoningControls,
  room_tokens: number | null,
): FittedReasoning {
  const { effort, budget_tokens } = setting;
  const levels = controls.effort ?? [];
  const range = controls.budget_tokens;
  if (budget_tokens !== undefined && range !== undefined) return withBudget(budget_tokens, range, room_tokens);
  const largest = range?.max ?? room_tokens ?? undefined;
  const wanted = effort ?? (budget_tokens === undefined ? undefined : effortForBudget(budget_tokens, largest));
  if (wanted !== undefined) {
    const level = nearestEffort(wanted, levels);
    if (level !== null) return { effort: level, ignored: false };
    if (range === undefined) return onWithout(controls);
    return withBudget(budgetForEffort(wanted, largest ?? SMALLEST_BUDGET_TOKENS * 8), range, room_tokens);
  }
  return { enabled: true, ignored: false };
}

/** Turns reasoning on for a model that has a switch, and no control of the amount. */
function onWithout({ toggle }: ReasoningControls): FittedReasoning {
  return toggle ? { enabled: true, ignored: true } : IGNORED;
}

/** A budget must leave room for the answer itself; where not even the smallest budget does, reasoning is off. */
function withBudget(
  wanted: number,
  { min = SMALLEST_BUDGET_TOKENS, max = Number.POSITIVE_INFINITY }: { readonly min?: number; readonly max?: number },
  room_tokens: number | null,
): FittedReasoning {
  const most = Math.min(max, room_tokens === null ? max : room_tokens - 1);
  if (most < min) return IGNORED;
  return { budget_tokens: Math.min(Math.max(wanted, min), most), ignored: false };
}
