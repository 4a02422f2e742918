import { type BudgetWindow, type Ceilings, NO_CEILINGS } from "../../core/people/principal.ts";
import type { Value } from "../sql/statement.ts";
import { toInt, toIntOrNull } from "../sql/values.ts";
import { hasNoLimits, readLimits, wholeLimitValues } from "./limit-columns.ts";

/** The columns of keys with the ceilings that an administrator has set. */
export const CEILING_COLUMNS = [
  "ceiling_models",
  "ceiling_rpm",
  "ceiling_tpm",
  "ceiling_concurrent",
  "ceiling_budget_micro",
  "ceiling_budget_window",
  "ceiling_budget_once",
  "ceiling_expires_ms",
  "is_barred",
] as const;

export interface CeilingsRow {
  readonly ceiling_models: string | null;
  readonly ceiling_rpm: unknown;
  readonly ceiling_tpm: unknown;
  readonly ceiling_concurrent: unknown;
  readonly ceiling_budget_micro: unknown;
  readonly ceiling_budget_window: BudgetWindow | null;
  readonly ceiling_budget_once: unknown;
  readonly ceiling_expires_ms: unknown;
  readonly is_barred: unknown;
}

/** Null where no administrator has limited the key. */
export function readCeilings(found: CeilingsRow): Ceilings | null {
  const limits = readLimits({
    models: found.ceiling_models,
    rpm: found.ceiling_rpm,
    tpm: found.ceiling_tpm,
    concurrent: found.ceiling_concurrent,
    budget_micro: found.ceiling_budget_micro,
    budget_window: found.ceiling_budget_window,
    budget_once: found.ceiling_budget_once,
    model_limits: null,
    tag_limits: null,
    end_user_tag: null,
  });
  const expires_ms = toIntOrNull(found.ceiling_expires_ms);
  const barred = toInt(found.is_barred) === 1;
  return hasNoLimits(limits) && expires_ms === null && !barred ? null : { ...limits, expires_ms, barred };
}

/** In the order of CEILING_COLUMNS. */
export function ceilingValues(ceilings: Ceilings = NO_CEILINGS): Value[] {
  // Of limits by model each says itself whether an administrator has set it.
  return [...wholeLimitValues(ceilings), ceilings.expires_ms, ceilings.barred ? 1 : 0];
}
