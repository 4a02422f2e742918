import type { Model } from "../../core/catalog/catalog.ts";
import type { JsonRecord } from "../../core/json.ts";
import { budgetForEffort, effortForBudget, nearestEffort } from "../shared/effort.ts";

/** The reasoning settings of a request: its `thinking` and `output_config`, undefined where the request has none. */
export interface ThinkingFields {
  readonly thinking: JsonRecord | undefined;
  readonly output_config: JsonRecord | undefined;
}

/**
 * The settings as the model supports them (the same objects where nothing changed), and the names of those that were
 * left out.
 */
export interface FittedThinking extends ThinkingFields {
  readonly ignored: readonly string[];
}

interface BudgetRange {
  readonly min?: number;
  readonly max?: number;
}

/** The smallest budget that vendors accept. */
const SMALLEST_BUDGET_TOKENS = 1024;
/** The level of adaptive thinking without a level. */
const USUAL_EFFORT = "high";

/**
 * Fits a request's reasoning to a model (docs/rulings.md 12). Changes only what the catalogue says the model lacks: a
 * level becomes the next lower one, a budget becomes a level on models that know levels only, adaptive thinking becomes
 * a budget on models that know budgets only, and models that do not think get no setting.
 */
export function fitThinking(fields: ThinkingFields, model: Model, max_tokens: number): FittedThinking {
  const { thinking: thinks, reasoning = {} } = model.capabilities;
  if (!thinks) return withoutThinking(fields);
  const { effort: levels = [], budget_tokens: budget } = reasoning;
  if (levels.length > 0) {
    const fitted = withLevel(fields, levels);
    return budget === undefined ? budgetAsLevel(fitted, levels, max_tokens) : withinBudget(fitted, budget);
  }
  if (budget === undefined) return { ...fields, ignored: [] };
  if (fields.thinking?.type === "adaptive") return adaptiveAsBudget(fields, budget, max_tokens);
  return withinBudget(withoutEffort(fields), budget);
}

function withoutThinking(fields: ThinkingFields): FittedThinking {
  const { output_config, ignored } = withoutEffort(fields);
  const asked = fields.thinking !== undefined && fields.thinking.type !== "disabled";
  return { thinking: undefined, output_config, ignored: asked ? ["thinking", ...ignored] : ignored };
}

function withoutEffort(fields: ThinkingFields): FittedThinking {
  const ignored = effortOf(fields) === null ? [] : ["output_config.effort"];
  return { ...fields, output_config: withEffort(fields, null), ignored };
}

/** The requested level, as one of the model's levels. */
function withLevel(fields: ThinkingFields, levels: readonly string[]): FittedThinking {
  const asked = effortOf(fields);
  const level = asked === null ? null : nearestEffort(asked, levels);
  if (asked !== null && level === null) return withoutEffort(fields);
  return { ...fields, output_config: withEffort(fields, level), ignored: [] };
}

/** A budget as a level, unless the request has a level beside it. */
function budgetAsLevel(fields: FittedThinking, levels: readonly string[], max_tokens: number): FittedThinking {
  const { thinking } = fields;
  if (thinking?.type !== "enabled" || typeof thinking.budget_tokens !== "number") return fields;
  const { budget_tokens, ...rest } = thinking;
  const level = effortOf(fields) ?? nearestEffort(effortForBudget(thinking.budget_tokens, max_tokens), levels);
  return { ...fields, thinking: { ...rest, type: "adaptive" }, output_config: withEffort(fields, level) };
}

/** Adaptive thinking as a budget, which leaves room for the answer itself. */
function adaptiveAsBudget(fields: ThinkingFields, budget: BudgetRange, max_tokens: number): FittedThinking {
  const least = budget.min ?? SMALLEST_BUDGET_TOKENS;
  const most = Math.min(budget.max ?? max_tokens, max_tokens - 1);
  const output_config = withEffort(fields, null);
  if (most < least) return { thinking: undefined, output_config, ignored: ["thinking"] };
  const share = budgetForEffort(effortOf(fields) ?? USUAL_EFFORT, budget.max ?? max_tokens);
  const budget_tokens = Math.min(Math.max(share, least), most);
  return { thinking: { ...fields.thinking, type: "enabled", budget_tokens }, output_config, ignored: [] };
}

/** The budget within the model's range, as far as the catalogue knows it. */
function withinBudget(fields: FittedThinking, budget: BudgetRange): FittedThinking {
  const { thinking } = fields;
  if (thinking?.type !== "enabled" || typeof thinking.budget_tokens !== "number") return fields;
  const { min = 1, max = Number.POSITIVE_INFINITY } = budget;
  const budget_tokens = Math.min(Math.max(thinking.budget_tokens, min), max);
  return budget_tokens === thinking.budget_tokens ? fields : { ...fields, thinking: { ...thinking, budget_tokens } };
}

function effortOf({ output_config }: ThinkingFields): string | null {
  return typeof output_config?.effort === "string" ? output_config.effort : null;
}

/** The configuration with another level or without one; undefined when it would be empty. */
function withEffort(fields: ThinkingFields, level: string | null): JsonRecord | undefined {
  if (level === effortOf(fields)) return fields.output_config;
  const { effort, ...rest } = fields.output_config ?? {};
  if (level !== null) return { ...rest, effort: level };
  return Object.keys(rest).length === 0 ? undefined : rest;
}
