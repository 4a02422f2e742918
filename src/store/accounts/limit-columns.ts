import type { BudgetWindow, Limits } from "../../core/people/principal.ts";
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
] as const;

export interface LimitsRow {
  readonly models: string | null;
  readonly rpm: unknown;
  readonly tpm: unknown;
  readonly concurrent: unknown;
  readonly budget_micro: unknown;
  readonly budget_window: BudgetWindow | null;
  readonly budget_once: unknown;
}

/** Null in every column are no limits. */
export function readLimits(found: LimitsRow): Limits {
  const { models, rpm, tpm, concurrent, budget_micro } = found;
  const window = budgetWindow(found);
  return {
    models: models === null ? null : readJson(models),
    rpm: toIntOrNull(rpm),
    tpm: toIntOrNull(tpm),
    concurrent: toIntOrNull(concurrent),
    budget: budget_micro === null || window === null ? null : { amount_micro: toMicro(budget_micro), window },
  };
}

/** In the order of LIMIT_COLUMNS. */
export function limitValues({ models, rpm, tpm, concurrent, budget }: Limits): Value[] {
  return [
    models === null ? null : JSON.stringify(models),
    rpm,
    tpm,
    concurrent,
    budget?.amount_micro ?? null,
    ...windowValues(budget?.window ?? null),
  ];
}

export function hasNoLimits({ models, rpm, tpm, concurrent, budget }: Limits): boolean {
  return models === null && rpm === null && tpm === null && concurrent === null && budget === null;
}
