import type { JsonRecord } from "../../core/json.ts";
import { PART_NAMES, TOKEN_PARTS, type TokenPart } from "../../core/money/price-classes.ts";
import { roundedDecimal } from "../reading/decimal.ts";
import { NumberText } from "../reading/json-source.ts";
import { MAX_PRICE_MICRO } from "../reading/read-scalar.ts";
import type { PublishedClasses, PublishedPrice } from "./published-catalog.ts";

/**
 * A source's names of the four classes, and its unit: its price × 10^decimals_to_micro is in micro units per million.
 */
export interface PriceNames {
  readonly input: string;
  readonly output: string;
  readonly cache_read: readonly string[];
  readonly cache_write: readonly string[];
  /** The source's names of parts of the four classes. */
  readonly parts: Readonly<Partial<Record<TokenPart, readonly string[]>>>;
  /** 6 where prices are per million tokens, 12 where they are per token. */
  readonly decimals_to_micro: number;
}

/** All of a source's names. */
export function namesIn({ input, output, cache_read, cache_write, parts }: PriceNames): string[] {
  return [input, output, ...cache_read, ...cache_write, ...Object.values(parts).flat()];
}

/** More characters than any price has, however it is written. */
const LONGEST = 60;

/**
 * A price in micro units per million tokens; null when the record has no price; a sentence when the price cannot be
 * carried over, such as one that no configuration could state.
 */
export function microIn(record: JsonRecord, key: string, decimals: number): number | string | null {
  const value = record[key];
  if (!(value instanceof NumberText)) return null;
  const { text } = value;
  const price = text.length > LONGEST ? null : roundedDecimal(text, decimals);
  const is_price = price !== null && price >= 0n && price <= MAX_PRICE_MICRO;
  return is_price ? Number(price) : `${key} ${text.slice(0, LONGEST)} is not a price`;
}

/**
 * The prices of a record's four classes; null when it has no price; a sentence when its price cannot be carried over.
 */
export function classesIn(record: JsonRecord, names: PriceNames): PublishedClasses | string | null {
  const read = (keys: readonly string[]) => {
    for (const key of keys) {
      const micro = microIn(record, key, names.decimals_to_micro);
      if (micro !== null) return micro;
    }
    return null;
  };
  const input = read([names.input]);
  const output = read([names.output]);
  const cache_read = read(names.cache_read);
  const cache_write = read(names.cache_write);
  for (const price of [input, output, cache_read, cache_write]) if (typeof price === "string") return price;
  if (typeof input !== "number" || typeof output !== "number") return null;
  const main = { input, output, cache_read: asNumber(cache_read), cache_write: asNumber(cache_write) };
  const parts: Partial<Record<TokenPart, number>> = {};
  for (const name of PART_NAMES) {
    const price = read(names.parts[name] ?? []);
    if (typeof price === "string") return price;
    // A part at the price of its class needs no price of its own.
    if (price !== null && price !== (main[TOKEN_PARTS[name]] ?? input)) parts[name] = price;
  }
  return Object.keys(parts).length === 0 ? main : { ...main, parts };
}

/** The price of what is charged for its input alone. */
export function inputPriceIn(record: JsonRecord, names: PriceNames): PublishedPrice | string | null {
  const input = microIn(record, names.input, names.decimals_to_micro);
  return typeof input === "number" ? { input, output: 0, cache_read: null, cache_write: null, tiers: [] } : input;
}

function asNumber(price: number | string | null): number | null {
  return typeof price === "number" ? price : null;
}
