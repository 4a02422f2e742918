import { divideRoundingUp, type Micro, micro } from "./money.ts";
import { totalInput, type Usage } from "./usage.ts";

/** Prices of the token classes, in whole micro units per million tokens. */
export interface ClassPrices {
  readonly input_micro_per_mtok: number;
  readonly output_micro_per_mtok: number;
  readonly cache_read_micro_per_mtok: number;
  readonly cache_write_micro_per_mtok: number;
}

/** Prices that hold for the whole request when its input is strictly above the threshold (docs/rulings.md 44). */
export interface PriceTier extends ClassPrices {
  readonly above_input_tokens: number;
}

/** One version of a model's price. It is frozen into a request at admission and never changes under it. */
export interface Price extends ClassPrices {
  /** Names this version on receipts: stable for equal prices, different for different ones. */
  readonly version: string;
  /** When the price takes effect, milliseconds since the epoch; 0 for always. */
  readonly from_ms: number;
  /** Ascending by threshold. */
  readonly tiers: readonly PriceTier[];
}

const TOKENS_PER_MTOK = 1_000_000n;

/** The class prices that apply to a request with this many input tokens. */
export function pricesAt(price: Price, input_tokens: number): ClassPrices {
  let applicable: ClassPrices = price;
  for (const tier of price.tiers) if (input_tokens > tier.above_input_tokens) applicable = tier;
  return applicable;
}

/** What a usage costs: exact integer arithmetic, one rounding per request, up (docs/rulings.md 23). */
export function costOf(usage: Usage, price: Price): Micro {
  const prices = pricesAt(price, totalInput(usage));
  const sum =
    usage.input_tokens * prices.input_micro_per_mtok +
    usage.cache_read_tokens * prices.cache_read_micro_per_mtok +
    usage.cache_write_tokens * prices.cache_write_micro_per_mtok +
    usage.output_tokens * prices.output_micro_per_mtok;
  return roundUpExact(sum) ?? divideRoundingUp(costInMillionths(usage, price), TOKENS_PER_MTOK);
}

/**
 * A sum of products of whole numbers in millionths, rounded up to whole ones; null where it may have lost a digit. None
 * of its parts is negative, so a sum that is exact as a double has only exact parts: nearly every request's is, and needs
 * one bigint in place of a dozen.
 */
function roundUpExact(sum: number): Micro | null {
  if (!Number.isSafeInteger(sum)) return null;
  const rest = sum % 1_000_000;
  return micro((sum - rest) / 1_000_000 + (rest > 0 ? 1 : 0));
}

/** What a usage costs in millionths of a micro unit, unrounded: for sums over many calls. */
export function costInMillionths(usage: Usage, price: Price): bigint {
  const prices = pricesAt(price, totalInput(usage));
  return (
    BigInt(usage.input_tokens) * BigInt(prices.input_micro_per_mtok) +
    BigInt(usage.cache_read_tokens) * BigInt(prices.cache_read_micro_per_mtok) +
    BigInt(usage.cache_write_tokens) * BigInt(prices.cache_write_micro_per_mtok) +
    BigInt(usage.output_tokens) * BigInt(prices.output_micro_per_mtok)
  );
}

/**
 * An upper bound of the cost of any usage with at most so many input and output tokens: each class counted at the
 * dearest price that any tier up to the bound could apply (docs/rulings.md 22).
 */
export function costBound(input_tokens: number, output_tokens: number, price: Price): Micro {
  let input = dearestInput(price);
  let output = price.output_micro_per_mtok;
  for (const tier of price.tiers) {
    if (tier.above_input_tokens >= input_tokens) break;
    input = Math.max(input, dearestInput(tier));
    output = Math.max(output, tier.output_micro_per_mtok);
  }
  const exact = roundUpExact(input_tokens * input + output_tokens * output);
  if (exact !== null) return exact;
  return divideRoundingUp(
    BigInt(input_tokens) * BigInt(input) + BigInt(output_tokens) * BigInt(output),
    TOKENS_PER_MTOK,
  );
}

function dearestInput(prices: ClassPrices): number {
  return Math.max(prices.input_micro_per_mtok, prices.cache_read_micro_per_mtok, prices.cache_write_micro_per_mtok);
}
