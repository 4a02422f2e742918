import type { ClientRequest } from "../../core/answer/exchange.ts";
import type { Price } from "../../core/money/price.ts";
import { UNIT_NAMES, UNIT_PRICES, type UnitCount } from "../../core/money/price-classes.ts";
import { NO_USAGE, type Usage } from "../../core/money/usage.ts";

/** The usage of a request that is charged by units, and whether its vendor counted more of one than the request had. */
export interface UnitUsage {
  readonly usage: Usage;
  readonly is_doubted: boolean;
}

/**
 * The usage of a request whose price is by units; null at a price by tokens. What was sent or asked for is what is charged, also for an
 * answer that is not finished, and less only where the vendor counts or sent less. Tokens that it counts beside them cost nothing
 * (docs/rulings.md 220).
 */
export function unitUsage(
  reported: Usage | null,
  { units: most }: Pick<ClientRequest, "units">,
  { units_micro: prices }: Price,
): UnitUsage | null {
  if (most === undefined || prices === undefined) return null;
  const units: Partial<Record<UnitCount, number>> = {};
  let is_doubted = false;
  for (const name of UNIT_NAMES) {
    const { counts } = UNIT_PRICES[name];
    const bound = most[counts];
    if (prices[name] === undefined || bound === undefined) continue;
    const counted = reported?.extra?.units?.[counts] ?? bound;
    is_doubted ||= counted > bound;
    units[counts] = Math.min(counted, bound);
  }
  const served = reported?.served;
  return { usage: { ...NO_USAGE, extra: { units }, ...(served !== undefined && { served }) }, is_doubted };
}
