import {
  type BudgetWindow,
  type Ceilings,
  type Limits,
  type LimitsByTag,
  type ModelLimit,
  NO_CEILINGS,
  type TagLimit,
} from "../../core/people/principal.ts";
import { budgetWindow, windowValues } from "../sql/budget-window.ts";
import { amountOrNull, flag, intOrNull, jsonOrNull, type RawRow, readRow, textOrNull, word } from "../sql/columns.ts";
import { limitsText, readLimitsText } from "../sql/limits-text.ts";
import type { Value } from "../sql/statement.ts";

/** The columns of limits by tag, which keys do not have. */
const BY_TAG = { tag_limits: textOrNull, end_user_tag: textOrNull } as const;
type TagLimitsRow = RawRow<typeof BY_TAG>;

const LIMITS = {
  models: jsonOrNull<readonly string[]>(),
  rpm: intOrNull,
  tpm: intOrNull,
  concurrent: intOrNull,
  budget_micro: amountOrNull,
  budget_window: word<BudgetWindow | null>(),
  budget_once: intOrNull,
  model_limits: textOrNull,
  ...BY_TAG,
} as const;
export const LIMIT_COLUMNS = Object.keys(LIMITS) as readonly (keyof typeof LIMITS)[];
export type LimitsRow = RawRow<typeof LIMITS>;

/** The limits of a row; null in every column means none. */
export function readLimits(found: LimitsRow): Limits {
  const { models, rpm, tpm, concurrent, budget_micro } = readRow(LIMITS, found);
  const model_limits = readModelLimits(found.model_limits);
  const window = budgetWindow(found);
  return {
    ...{ models, rpm, tpm, concurrent },
    budget: budget_micro === null || window === null ? null : { amount_micro: budget_micro, window },
    ...(model_limits !== null && { model_limits }),
    ...readLimitsByTag(found),
  };
}

export function readLimitsByTag({ tag_limits, end_user_tag }: TagLimitsRow): LimitsByTag {
  return {
    ...(tag_limits !== null && { tag_limits: readLimitsText<readonly TagLimit[]>(tag_limits) }),
    ...(end_user_tag !== null && { end_user_tag }),
  };
}

/** In the order of LIMIT_COLUMNS. */
export function limitValues(limits: Limits): Value[] {
  const { model_limits, tag_limits, end_user_tag } = limits;
  return [...wholeLimitValues(limits), listText(model_limits), listText(tag_limits), end_user_tag ?? null];
}

/** The values of those columns whose limits are over all models and tags. */
export function wholeLimitValues({ models, rpm, tpm, concurrent, budget }: Limits): Value[] {
  return [
    models === null ? null : JSON.stringify(models),
    rpm,
    tpm,
    concurrent,
    budget?.amount_micro ?? null,
    ...windowValues(budget?.window ?? null),
  ];
}

export function hasNoLimits(limits: Limits): boolean {
  return limitValues(limits).every((value) => value === null || value === 0);
}

/** Limits by model as JSON; null where there are none. */
export function modelLimitsText(limits: readonly ModelLimit[] | null | undefined): string | null {
  return listText(limits);
}

function listText(limits: readonly object[] | null | undefined): string | null {
  if (limits == null || limits.length === 0) return null;
  return limitsText(limits);
}

export function readModelLimits(text: string | null): readonly ModelLimit[] | null {
  return text === null ? null : readLimitsText<readonly ModelLimit[]>(text);
}

const OWN = { ceiling_expires_ms: intOrNull, is_barred: flag } as const;
const BOUNDED = ["models", "rpm", "tpm", "concurrent", "budget_micro", "budget_window", "budget_once"] as const;
/** The columns of keys with the ceilings that an administrator has set. */
export const CEILING_COLUMNS = [...BOUNDED.map((name) => `ceiling_${name}` as const), ...Object.keys(OWN)];

type Bounded = (typeof BOUNDED)[number];
export type CeilingsRow = { readonly [Name in Bounded as `ceiling_${Name}`]: LimitsRow[Name] } & RawRow<typeof OWN>;

/** Null where no administrator has limited the key. */
export function readCeilings(found: CeilingsRow): Ceilings | null {
  const bounds = Object.fromEntries(BOUNDED.map((name) => [name, found[`ceiling_${name}`]])) as Pick<
    LimitsRow,
    Bounded
  >;
  const limits = readLimits({ ...bounds, model_limits: null, tag_limits: null, end_user_tag: null });
  const { ceiling_expires_ms: expires_ms, is_barred: barred } = readRow(OWN, found);
  return hasNoLimits(limits) && expires_ms === null && !barred ? null : { ...limits, expires_ms, barred };
}

/** In the order of CEILING_COLUMNS. */
export function ceilingValues(ceilings: Ceilings = NO_CEILINGS): Value[] {
  // Limits by model have no columns here: each says itself whether an administrator has set it.
  return [...wholeLimitValues(ceilings), ceilings.expires_ms, ceilings.barred ? 1 : 0];
}
