import { isRecord, type JsonRecord, NumberText } from "../configuration/json-source.ts";
import type { PublishedPrice } from "../published/published-catalog.ts";
import { classesIn, microIn, type PriceNames } from "../published/published-price.ts";

/** OpenRouter's names: texts, per token. */
const PER_TOKEN: PriceNames = {
  input: "prompt",
  output: "completion",
  cache_read: ["input_cache_read"],
  cache_write: ["input_cache_write"],
  parts: { input_audio: ["audio"], output_reasoning: ["internal_reasoning"] },
  decimals_to_micro: 12,
};

/** Together AI's names: numbers, per million tokens. */
const PER_MTOK: PriceNames = {
  input: "input",
  output: "output",
  cache_read: ["cached_input"],
  cache_write: [],
  parts: {},
  decimals_to_micro: 6,
};

/** Decimals from currency units per search to micro units per thousand searches: 6 + 3. */
const PER_SEARCH_TO_KCALL = 9;

/**
 * The price in an entry of a vendor's own list, in US dollars; null where the entry has none, or one that cannot be
 * carried over, such as OpenRouter's -1 for a router whose price depends on the model that it chooses.
 */
export function readListedPrice(entry: JsonRecord): PublishedPrice | null {
  if (!isRecord(entry.pricing)) return null;
  const pricing = withNumbers(entry.pricing);
  const per_token = "prompt" in pricing;
  const classes = classesIn(pricing, per_token ? PER_TOKEN : PER_MTOK);
  if (classes === null || typeof classes === "string") return null;
  // Together AI writes 0 for models that are charged by the hour, the picture or the second.
  if (!per_token && classes.input === 0 && classes.output === 0) return null;
  const search = per_token ? microIn(pricing, "web_search", PER_SEARCH_TO_KCALL) : null;
  const is_charged = typeof search === "number" && search > 0;
  return { ...withoutFree(classes), tiers: [], ...(is_charged && { calls: { web_search: search } }) };
}

/** Leaves out the cache classes and parts at 0 of a model that is not free: a list writes 0 for a class that it does not price. */
function withoutFree<Classes extends Omit<PublishedPrice, "tiers" | "calls">>(classes: Classes): Classes {
  const priced = (price: number | null) => (price === 0 && classes.input > 0 ? null : price);
  const parts = Object.fromEntries(Object.entries(classes.parts ?? {}).filter(([, price]) => price > 0));
  const { parts: _all, ...rest } = classes;
  return {
    ...rest,
    cache_read: priced(classes.cache_read),
    cache_write: priced(classes.cache_write),
    ...(Object.keys(parts).length > 0 && { parts }),
  } as Classes;
}

/** The record with its numeric texts as numbers, digit by digit. */
function withNumbers(record: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, typeof value === "string" ? new NumberText(value) : value]),
  );
}
