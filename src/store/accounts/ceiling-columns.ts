import { type Ceilings, NO_CEILINGS } from "../../core/people/principal.ts";
import { flag, intOrNull, type RawRow, readRow } from "../sql/columns.ts";
import type { Value } from "../sql/statement.ts";
import { hasNoLimits, type LimitsRow, readLimits, wholeLimitValues } from "./limit-columns.ts";

const OWN = { ceiling_expires_ms: intOrNull, is_barred: flag } as const;
/** The limits that a key may be bounded in. */
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
