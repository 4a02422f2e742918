import { divideRoundingUp, type Micro, subtract, ZERO } from "../core/money/money.ts";
import { type ChargedClass, chargedClasses, type Price } from "../core/money/price.ts";
import { totalInput, type Usage } from "../core/money/usage.ts";

/** One class of tokens, calls or other units on a bill. */
interface ChargeLine extends Pick<ChargedClass, "class" | "unit" | "count" | "price_micro"> {
  /** Count times price, in millionths of a micro unit. */
  readonly exact: bigint;
  /** In whole micro units, so that the lines add up to what the usage costs. */
  readonly amount_micro: Micro;
}

const MILLIONTHS = 1_000_000n;

/**
 * The cost of a usage by class, without the classes that were not used. A cost is rounded once (docs/rulings.md 23),
 * so a line is the difference between the sums before and after it, each rounded up: their sum is the cost itself
 * (docs/rulings.md 106).
 */
export function chargeLines(usage: Usage, price: Price): ChargeLine[] {
  const lines: ChargeLine[] = [];
  let sum = 0n;
  let rounded = ZERO;
  for (const { class: name, unit, count, price_micro, cost_millionths: exact } of chargedClasses(usage, price)) {
    sum += exact;
    const next = divideRoundingUp(sum, MILLIONTHS);
    lines.push({ class: name, unit, count, price_micro, exact, amount_micro: subtract(next, rounded) });
    rounded = next;
  }
  return lines;
}

/** The threshold of the tier that applies to a usage; null at the usual prices (docs/rulings.md 44). */
export function tierOf(usage: Usage, price: Price): number | null {
  const input_tokens = totalInput(usage);
  return price.tiers.findLast((tier) => input_tokens > tier.above_input_tokens)?.above_input_tokens ?? null;
}

/** A line's exact amount as a decimal of micro units: "1234.5678". */
export function exactMicro({ exact }: Pick<ChargeLine, "exact">): string {
  const decimals = (exact % MILLIONTHS).toString().padStart(6, "0").replace(/0+$/, "");
  const whole = (exact / MILLIONTHS).toString();
  return decimals === "" ? whole : `${whole}.${decimals}`;
}
