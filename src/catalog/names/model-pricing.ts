import type { Price } from "../../core/money/price.ts";
import { UNIT_NAMES } from "../../core/money/price-classes.ts";

/** What one costs, by OpenRouter's names and our own of units, as decimal texts in units of the currency. */
export type ModelPricing = Readonly<Record<string, string>>;

const PER_TOKEN = 12;
const PER_CALL = 9;

/**
 * A price list in the shape of OpenRouter's `pricing` (docs/api.md 2.1, docs/rulings.md 231): texts of exact decimals for one token, search, image,
 * character or minute. `request` and `image`, which are no prices of ours, are 0; a class without a price of its own is left out, or 0
 * where clients read it without asking.
 */
export function modelPricing(price: Price): ModelPricing {
  const { parts_micro_per_mtok: parts = {}, calls_micro_per_kcall: calls = {}, units_micro: units = {} } = price;
  const pricing: Record<string, string> = {
    prompt: decimalText(price.input_micro_per_mtok, PER_TOKEN),
    completion: decimalText(price.output_micro_per_mtok, PER_TOKEN),
    request: "0",
    image: "0",
    web_search: decimalText(calls.web_search ?? 0, PER_CALL),
    internal_reasoning: decimalText(parts.output_reasoning ?? 0, PER_TOKEN),
    input_cache_read: decimalText(price.cache_read_micro_per_mtok, PER_TOKEN),
    input_cache_write: decimalText(price.cache_write_micro_per_mtok, PER_TOKEN),
  };
  for (const [name, part] of PARTS) {
    const micro = parts[part];
    if (micro !== undefined) pricing[name] = decimalText(micro, PER_TOKEN);
  }
  for (const name of UNIT_NAMES) {
    const micro = units[name];
    if (micro !== undefined) pricing[name] = decimalText(micro, UNIT_DECIMALS[name]);
  }
  return pricing;
}

/** OpenRouter's names of parts that may have a price apart. */
const PARTS = [
  ["audio", "input_audio"],
  ["audio_output", "output_audio"],
  ["image_token", "input_image"],
  ["image_output", "output_image"],
  ["input_audio_cache", "cache_read_audio"],
] as const;

/** Each price, in micro units, is then for one: of a million characters, a minute, an image, of a thousand searches. */
const UNIT_DECIMALS = { input_characters: 12, input_minutes: 6, images: 6, searches: 9 } as const;

/** A whole number with its point moved to the left: 3,000,000 by 12 is "0.000003". */
function decimalText(amount: number, decimals: number): string {
  const digits = BigInt(amount)
    .toString()
    .padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, "");
  return fraction === "" ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`;
}
