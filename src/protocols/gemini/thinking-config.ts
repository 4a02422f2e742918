import type { Model, ReasoningControls } from "../../core/catalog.ts";
import type { ReasoningSetting } from "../../core/generation.ts";
import { budgetForEffort, effortForBudget, nearestEffort } from "../shared/effort.ts";
import type { ThinkingConfig } from "./wire.ts";

/** The largest budget of most models that know one, where the catalogue does not say. */
const USUAL_LARGEST_BUDGET = 24_576;
/** What a budget is a share of on models that know levels only. */
const USUAL_LARGEST_OUTPUT = 65_536;

export interface FittedThinking {
  readonly config: ThinkingConfig | undefined;
  /** True when the request asked for what the model does not have. */
  readonly ignored: boolean;
}

const NOTHING: FittedThinking = { config: undefined, ignored: false };
const IGNORED: FittedThinking = { config: undefined, ignored: true };

/**
 * Fits a reasoning setting to a model (docs/rulings.md 12): levels on models that know levels, a budget on those that
 * know budgets, and nothing on models that do not think.
 */
export function fitThinking(setting: ReasoningSetting | undefined, model: Model): FittedThinking {
  if (setting === undefined) return NOTHING;
  const { thinking, reasoning = {} } = model.capabilities;
  const off = setting.enabled === false || setting.effort === "none";
  const asked =
    !off && (setting.enabled === true || setting.effort !== undefined || setting.budget_tokens !== undefined);
  if (!thinking) return asked ? IGNORED : NOTHING;
  if (off) return turnedOff(reasoning);
  const shown = setting.show === undefined ? asked : setting.show !== "none";
  const amount = amountOf(setting, reasoning, model.max_completion_tokens);
  if (amount === null && !shown) return asked && isUncontrolled(reasoning) ? IGNORED : NOTHING;
  return { config: { ...(shown ? { includeThoughts: true } : {}), ...amount }, ignored: false };
}

/** Off where the model can be turned off, else as little as it can. */
function turnedOff({ toggle, effort = [], budget_tokens }: ReasoningControls): FittedThinking {
  if (toggle === true) return { config: { thinkingBudget: 0 }, ignored: false };
  const lowest = nearestEffort("none", effort);
  if (lowest !== null) return { config: { thinkingLevel: lowest }, ignored: false };
  if (budget_tokens?.min !== undefined) return { config: { thinkingBudget: budget_tokens.min }, ignored: false };
  return IGNORED;
}

/** How much to think; null for as much as the model finds right. */
function amountOf(
  { effort, budget_tokens }: ReasoningSetting,
  controls: ReasoningControls,
  max_output_tokens: number | null,
): ThinkingConfig | null {
  if (effort === undefined && budget_tokens === undefined) return null;
  const { effort: levels = [], budget_tokens: range } = controls;
  if (levels.length > 0) {
    const asked = effort ?? effortForBudget(budget_tokens ?? 0, max_output_tokens ?? USUAL_LARGEST_OUTPUT);
    const level = nearestEffort(asked, levels);
    return level === null ? null : { thinkingLevel: level };
  }
  if (range === undefined) return null;
  const { min = 1, max = USUAL_LARGEST_BUDGET } = range;
  const budget = budget_tokens ?? budgetForEffort(effort ?? "high", max);
  return { thinkingBudget: Math.min(Math.max(budget, min), max) };
}

function isUncontrolled({ effort = [], budget_tokens }: ReasoningControls): boolean {
  return effort.length === 0 && budget_tokens === undefined;
}
