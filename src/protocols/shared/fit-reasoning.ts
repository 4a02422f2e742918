import type { Capabilities, ReasoningControls } from "../../core/catalog.ts";
import type { ReasoningSetting } from "../../core/generation.ts";
import { budgetForEffort, effortForBudget, nearestEffort } from "./effort.ts";

/** What to tell a target about reasoning; nothing about a member that is absent. */
export interface FittedReasoning {
  /** False: off. True: on, where neither an effort nor a budget says so already. */
  readonly enabled?: boolean;
  /** A level that the model has. */
  readonly effort?: string;
  /** Within the model's range, and less than the room for the whole output. */
  readonly budget_tokens?: number;
  /** Whether something was asked for that the target has no control for: it is named to the client. */
  readonly ignored: boolean;
}

/** The least budget that any vendor takes, where the catalogue does not know the model's own. */
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

/** A model that cannot be told to stop reasoning does as little of it as it can. */
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
  const wanted = effort ?? levelOf(budget_tokens, largest);
  if (wanted !== undefined) {
    const level = nearestEffort(wanted, levels);
    if (level !== null) return { effort: level, ignored: false };
    if (range === undefined) return onWithout(controls);
    return withBudget(budgetForEffort(wanted, largest ?? SMALLEST_BUDGET_TOKENS * 8), range, room_tokens);
  }
  return { enabled: true, ignored: false };
}

/** Without knowing the largest budget a level can only be guessed: 32,768 is what current models allow at most. */
function levelOf(budget_tokens: number | undefined, largest = 32_768): string | undefined {
  return budget_tokens === undefined ? undefined : effortForBudget(budget_tokens, largest);
}

/** Reasoning can be switched on, but how much of it cannot be said. */
function onWithout({ toggle }: ReasoningControls): FittedReasoning {
  return toggle ? { enabled: true, ignored: true } : IGNORED;
}

/** A budget must leave room for the answer itself; where not even the least one does, there is no reasoning. */
function withBudget(
  wanted: number,
  { min = SMALLEST_BUDGET_TOKENS, max = Number.POSITIVE_INFINITY }: { readonly min?: number; readonly max?: number },
  room_tokens: number | null,
): FittedReasoning {
  const most = Math.min(max, room_tokens === null ? max : room_tokens - 1);
  if (most < min) return IGNORED;
  return { budget_tokens: Math.min(Math.max(wanted, min), most), ignored: false };
}
