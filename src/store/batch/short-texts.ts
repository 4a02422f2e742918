import type { Attempt } from "../../core/ledger.ts";
import type { ClassPrices, PartPrices, Price, PriceTier } from "../../core/price.ts";
import { readJson } from "../sql/values.ts";
import { type AttemptDetails, attemptDetails, countsOf, detailMembers } from "./attempt-details.ts";

/**
 * A price and attempts as a request's row has them, as JSON. The short form has the values without their names, because the
 * names were two thirds of the text and nearly half of the row. A recovery writes a price as the object that its progress has.
 * Most rows have references in place of what many of them share (shared-texts.ts).
 */

type ShortClasses = readonly [input: number, output: number, cache_read: number, cache_write: number];
/** A tier has the last value only when parts have prices of their own. */
type ShortTier = readonly [above_input_tokens: number, ...ShortClasses, parts?: PartPrices];
/** A price has the last value only when it has more than the four classes. */
type ShortPrice = readonly [
  version: string,
  from_ms: number,
  tiers: readonly ShortTier[],
  ...ShortClasses,
  rare?: Pick<Price, "per" | "parts_micro_per_mtok" | "calls_micro_per_kcall" | "variant">,
];

/** An attempt without names. Only the decision engine's calls have the last three values, and attempts that failed or followed one. */
type ShortAttempt = readonly [
  vendor: string,
  upstream_model: string,
  status: Attempt["status"],
  error: Attempt["error"],
  first_byte_ms: Attempt["first_byte_ms"],
  duration_ms: Attempt["duration_ms"],
  calls?: number,
  failures?: number,
  details?: AttemptDetails,
];

// A catalogue has few prices, and they are immutable: each price is written as text once.
const price_texts = new WeakMap<Price, string>();

export function shortPriceText(price: Price): string {
  let text = price_texts.get(price);
  if (text === undefined) {
    const tiers = price.tiers.map(shortTier);
    const plain = [price.version, price.from_ms, tiers, ...shortClasses(price)] as const;
    const { per, parts_micro_per_mtok, calls_micro_per_kcall, variant } = price;
    const rare = {
      ...(per !== undefined && { per }),
      ...(parts_micro_per_mtok !== undefined && { parts_micro_per_mtok }),
      ...(calls_micro_per_kcall !== undefined && { calls_micro_per_kcall }),
      ...(variant !== undefined && { variant }),
    };
    const short: ShortPrice = Object.keys(rare).length === 0 ? plain : [...plain, rare];
    text = JSON.stringify(short);
    price_texts.set(price, text);
  }
  return text;
}

/** Attempts in the short form. */
export function shortAttemptsText(attempts: readonly Attempt[]): string {
  return JSON.stringify(attempts.map(shortAttempt));
}

function shortAttempt(attempt: Attempt): ShortAttempt {
  const { vendor, upstream_model, status, error, first_byte_ms, duration_ms, calls, failures } = attempt;
  const plain = [vendor, upstream_model, status, error, first_byte_ms, duration_ms] as const;
  const details = attemptDetails(attempt);
  if (details !== null) return [...plain, ...countsOf(attempt), details];
  return calls === undefined || failures === undefined ? plain : [...plain, calls, failures];
}

/** Reads a price in either form. Throws where the text is a reference: what it stands for is missing. */
export function readPrice(text: string): Price {
  requireText(text);
  const found = readJson<Price | ShortPrice>(text);
  if (!isShort(found)) return found;
  const [version, from_ms, tiers, input, output, cache_read, cache_write, rare] = found;
  return {
    version,
    from_ms,
    ...namedClasses([input, output, cache_read, cache_write]),
    ...rare,
    tiers: tiers.map(namedTier),
  };
}

/** Reads attempts. Throws as `readPrice`. */
export function readAttempts(text: string): Attempt[] {
  requireText(text);
  return readJson<ShortAttempt[]>(text).map(namedAttempt);
}

function requireText(text: string): void {
  if (text.startsWith("#")) throw new Error(`the shared text ${text} is missing`);
}

function isShort(found: Price | ShortPrice): found is ShortPrice {
  return Array.isArray(found);
}

function shortClasses(prices: ClassPrices): ShortClasses {
  const { input_micro_per_mtok, output_micro_per_mtok, cache_read_micro_per_mtok, cache_write_micro_per_mtok } = prices;
  return [input_micro_per_mtok, output_micro_per_mtok, cache_read_micro_per_mtok, cache_write_micro_per_mtok];
}

function namedClasses([input, output, cache_read, cache_write]: ShortClasses): ClassPrices {
  return {
    input_micro_per_mtok: input,
    output_micro_per_mtok: output,
    cache_read_micro_per_mtok: cache_read,
    cache_write_micro_per_mtok: cache_write,
  };
}

function shortTier(tier: PriceTier): ShortTier {
  const { above_input_tokens, parts_micro_per_mtok: parts } = tier;
  const plain = [above_input_tokens, ...shortClasses(tier)] as const;
  return parts === undefined ? plain : [...plain, parts];
}

function namedTier([above_input_tokens, input, output, cache_read, cache_write, parts]: ShortTier): PriceTier {
  return {
    above_input_tokens,
    ...namedClasses([input, output, cache_read, cache_write]),
    ...(parts !== undefined && { parts_micro_per_mtok: parts }),
  };
}

function namedAttempt(attempt: ShortAttempt): Attempt {
  const [vendor, upstream_model, status, error, first_byte_ms, duration_ms, calls, failures, details] = attempt;
  return {
    vendor,
    upstream_model,
    status,
    error,
    first_byte_ms,
    duration_ms,
    ...detailMembers(details, calls, failures),
  };
}
