import { micro } from "../../core/money/money.ts";
import type { BudgetWindow, Limits, ModelLimit } from "../../core/people/principal.ts";
import { budgetWindow, windowValues } from "../sql/budget-window.ts";
import type { Value } from "../sql/statement.ts";
import { readJson, toIntOrNull, toMicro } from "../sql/values.ts";

export const LIMIT_COLUMNS = [
  "models",
  "rpm",
  "tpm",
  "concurrent",
  "budget_micro",
  "budget_window",
  "budget_once",
  "model_limits",
] as const;

export interface LimitsRow {
  readonly models: string | null;
  readonly rpm: unknown;
  readonly tpm: unknown;
  readonly concurrent: unknown;
  readonly budget_micro: unknown;
  readonly budget_window: BudgetWindow | null;
  readonly budget_once: unknown;
  readonly model_limits: string | null;
}

/** Null in every column are no limits. */
export function readLimits(found: LimitsRow): Limits {
  const { models, rpm, tpm, concurrent, budget_micro } = found;
  const model_limits = readModelLimits(found.model_limits);
  const window = budgetWindow(found);
  return {
    models: models === null ? null : readJson(models),
    rpm: toIntOrNull(rpm),
    tpm: toIntOrNull(tpm),
    concurrent: toIntOrNull(concurrent),
    budget: budget_micro === null || window === null ? null : { amount_micro: toMicro(budget_micro), window },
    ...(model_limits !== null && { model_limits }),
  };
}

/** In the order of LIMIT_COLUMNS. */
export function limitValues({ models, rpm, tpm, concurrent, budget, model_limits }: Limits): Value[] {
  return [
    models === null ? null : JSON.stringify(models),
    rpm,
    tpm,
    concurrent,
    budget?.amount_micro ?? null,
    ...windowValues(budget?.window ?? null),
    modelLimitsText(model_limits),
  ];
}

export function hasNoLimits({ models, rpm, tpm, concurrent, budget, model_limits = null }: Limits): boolean {
  const has_no_rates = rpm === null && tpm === null && concurrent === null;
  return models === null && has_no_rates && budget === null && model_limits === null;
}

/** Limits by model as JSON, with amounts as their digits; null where there are none. */
export function modelLimitsText(limits: readonly ModelLimit[] | null | undefined): string | null {
  if (limits == null || limits.length === 0) return null;
  return JSON.stringify(limits, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
}

export function readModelLimits(text: string | null): readonly ModelLimit[] | null {
  if (text === null) return null;
  return JSON.parse(text, (name, value: unknown) =>
    name === "amount_micro" && typeof value === "string" ? micro(BigInt(value)) : value,
  ) as readonly ModelLimit[];
}
