import { divideRoundingUp, type Micro, subtract, ZERO } from "../core/money.ts";
import { type Price, pricesAt } from "../core/price.ts";
import { totalInput, type Usage } from "../core/usage.ts";

/** One class of tokens on a bill. */
export interface ChargeLine {
  readonly class: "input" | "cache_read" | "cache_write" | "output";
  readonly tokens: number;
  readonly price_micro_per_mtok: number;
  /** Tokens times price, in millionths of a micro unit. */
  readonly exact: bigint;
  /** In whole micro units, so that the lines add up to what the usage costs. */
  readonly amount_micro: Micro;
}

const TOKENS_PER_MTOK = 1_000_000n;

/**
 * What a usage costs class by class, without the classes that were not used. A cost is rounded once (docs/rulings.md 23),
 * so a line is the difference between the sums before and after it, each rounded up: their sum is the cost itself.
 */
export function chargeLines(usage: Usage, price: Price): ChargeLine[] {
  const prices = pricesAt(price, totalInput(usage));
  const classes = [
    ["input", usage.input_tokens, prices.input_micro_per_mtok],
    ["cache_read", usage.cache_read_tokens, prices.cache_read_micro_per_mtok],
    ["cache_write", usage.cache_write_tokens, prices.cache_write_micro_per_mtok],
    ["output", usage.output_tokens, prices.output_micro_per_mtok],
  ] as const;
  const lines: ChargeLine[] = [];
  let sum = 0n;
  let rounded = ZERO;
  for (const [name, tokens, price_micro_per_mtok] of classes) {
    if (tokens === 0) continue;
    const exact = BigInt(tokens) * BigInt(price_micro_per_mtok);
    sum += exact;
    const next = divideRoundingUp(sum, TOKENS_PER_MTOK);
    lines.push({ class: name, tokens, price_micro_per_mtok, exact, amount_micro: subtract(next, rounded) });
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
  const decimals = (exact % TOKENS_PER_MTOK).toString().padStart(6, "0").replace(/0+$/, "");
  const whole = (exact / TOKENS_PER_MTOK).toString();
  return decimals === "" ? whole : `${whole}.${decimals}`;
}
