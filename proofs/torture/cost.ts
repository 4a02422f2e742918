import type { Receipt, TrueUsage } from "./history.ts";
import { PRICE } from "./models.ts";

/** What a usage costs in micro units: exact in hundredths, rounded once, up (docs/billing.md). */
export function costOf({ input, cache_read, cache_write, output }: TrueUsage): number {
  const hundredths =
    input * PRICE.input * 100 +
    output * PRICE.output * 100 +
    Math.round(cache_read * PRICE.cache_read * 100) +
    Math.round(cache_write * PRICE.cache_write * 100);
  return Math.ceil(hundredths / 100);
}

/** A receipt's usage in the vendors' words; null where the receipt has none. */
export function usageOf({ usage }: Pick<Receipt, "usage">): TrueUsage | null {
  if (usage === null) return null;
  return {
    input: usage.input_tokens,
    cache_read: usage.cache_read_tokens,
    cache_write: usage.cache_write_tokens,
    output: usage.output_tokens,
    reasoning: usage.reasoning_tokens,
  };
}
