import { INPUT_ONLY_KINDS, type ModelKind } from "../../core/catalog/catalog.ts";
import type { Markup } from "../../core/money/markup.ts";
import { divideRoundingUp } from "../../core/money/money.ts";
import { type ClassPrices, type Price, type PriceTier, type PriceVariants, pricesAt } from "../../core/money/price.ts";
import {
  CALL_NAMES,
  type CallClass,
  PART_NAMES,
  TOKEN_PARTS,
  type TokenPart,
  UNIT_NAMES,
  type UnitPrice,
} from "../../core/money/price-classes.ts";
import { priceAt } from "./price-at.ts";
import { imageList, type PriceTerms, withVersion } from "./price-version.ts";

/** The prices of each route's vendor, by date; one list for each route, none empty. */
export type RouteCosts = readonly (readonly Price[])[];

/** The parts of a price that follows the vendors': the markup, the costs, and the sides of a call that are charged. */
interface Following {
  readonly markup: Markup;
  readonly costs: RouteCosts;
  readonly kind: ModelKind;
}

/**
 * The prices that follow the vendors' prices with a markup, while the markup holds: a price for each day
 * on which a vendor changes its own. Each class has the price of the dearest route, plus the percentage, plus the
 * fixed part, rounded up once to a whole micro unit (docs/design/prices-and-receipts.md); so no route is sold below its cost and markup, and the
 * hold needs no other price than the charge. Calls, and price lists for parameters, are priced where every route prices them.
 */
export function followedPrices(following: Following): Price[] {
  const { from_ms, until_ms } = following.markup;
  const dates = following.costs.flatMap((costs) => costs.map((cost) => cost.from_ms));
  const later = [...new Set(dates)].filter((date_ms) => date_ms > from_ms && (until_ms === null || date_ms < until_ms));
  const prices: Price[] = [];
  for (const date_ms of [from_ms, ...later.toSorted((a, b) => a - b)]) {
    const price = priceFollowing(following, date_ms);
    const before = prices.at(-1);
    if (before === undefined || !isSame(before, price)) prices.push(price);
  }
  return prices;
}

/** A vendor's change that changes nothing here: the dearest route has not changed. */
function isSame(one: Price, other: Price): boolean {
  return Bun.deepEquals(withoutDates(one), withoutDates(other));
}

function withoutDates(price: Price): unknown {
  return JSON.parse(JSON.stringify(price), (name, value: unknown) => (name === "from_ms" ? 0 : value));
}

function priceFollowing({ markup, costs, kind }: Following, from_ms: number): Price {
  const each = costs.map((prices) => priceAt({ id: "a route", prices }, from_ms));
  const calls = callsOf(each, markup);
  const units = unitsOf(each, markup);
  const has_units = Object.keys(units).length > 0;
  const common = {
    from_ms,
    ...(Object.keys(calls).length > 0 && { calls_micro_per_kcall: calls }),
    ...(has_units && { units_micro: units }),
  };
  const marked = (lists: readonly Price[]) => (has_units ? NO_TOKENS : listOf(lists, markup, kind));
  const terms = { ...common, ...marked(each) };
  const variants = {
    ...variantsOf(each, (lists, variant) => withVersion({ ...common, ...marked(lists), variant })),
    ...(units.images !== undefined && imagesOf(each, markup, terms)),
  };
  const price = withVersion(terms);
  return Object.keys(variants).length === 0 ? price : { ...price, variants };
}

/** The token prices of what is charged by another unit. */
const NO_TOKENS: ClassPrices & { tiers: PriceTier[] } = {
  input_micro_per_mtok: 0,
  output_micro_per_mtok: 0,
  cache_read_micro_per_mtok: 0,
  cache_write_micro_per_mtok: 0,
  tiers: [],
};

function listOf(lists: readonly Price[], markup: Markup, kind: ModelKind): ClassPrices & { tiers: PriceTier[] } {
  const thresholds = new Set(lists.flatMap(({ tiers }) => tiers.map(({ above_input_tokens }) => above_input_tokens)));
  const ascending = [...thresholds].toSorted((a, b) => a - b);
  return {
    ...classesOf(lists, markup, kind),
    tiers: ascending.map((above_input_tokens) => {
      const above = lists.map((list) => pricesAt(list, above_input_tokens + 1));
      return { above_input_tokens, ...classesOf(above, markup, kind) };
    }),
  };
}

const CLASS_KEYS = {
  input: "input_micro_per_mtok",
  output: "output_micro_per_mtok",
  cache_read: "cache_read_micro_per_mtok",
  cache_write: "cache_write_micro_per_mtok",
} as const;

function classesOf(lists: readonly ClassPrices[], markup: Markup, kind: ModelKind): ClassPrices {
  const { add_input_micro_per_mtok: add_input, add_output_micro_per_mtok: add_output } = markup;
  const marked = (name: keyof typeof CLASS_KEYS) => {
    const dearest = Math.max(...lists.map((list) => list[CLASS_KEYS[name]]));
    return markedUp(dearest, markup) + (name === "output" ? add_output : add_input);
  };
  const input = marked("input");
  const [cache_read_micro_per_mtok, cache_write_micro_per_mtok] = [marked("cache_read"), marked("cache_write")];
  const beside = { cache_read_micro_per_mtok, cache_write_micro_per_mtok };
  // Nothing is added to an output that costs nothing.
  if (INPUT_ONLY_KINDS.has(kind)) return { input_micro_per_mtok: input, output_micro_per_mtok: 0, ...beside };
  const parts = partsOf(lists, markup);
  return {
    input_micro_per_mtok: input,
    output_micro_per_mtok: marked("output"),
    ...beside,
    ...(Object.keys(parts).length > 0 && { parts_micro_per_mtok: parts }),
  };
}

/** The parts that any route prices apart; a route that does not charges the part as its class. */
function partsOf(lists: readonly ClassPrices[], markup: Markup): Partial<Record<TokenPart, number>> {
  const parts: Partial<Record<TokenPart, number>> = {};
  for (const name of PART_NAMES) {
    if (lists.every((list) => list.parts_micro_per_mtok?.[name] === undefined)) continue;
    const of_class = TOKEN_PARTS[name];
    const dearest = Math.max(...lists.map((list) => list.parts_micro_per_mtok?.[name] ?? list[CLASS_KEYS[of_class]]));
    const add = of_class === "output" ? markup.add_output_micro_per_mtok : markup.add_input_micro_per_mtok;
    parts[name] = markedUp(dearest, markup) + add;
  }
  return parts;
}

function callsOf(each: readonly Price[], markup: Markup): Partial<Record<CallClass, number>> {
  const calls: Partial<Record<CallClass, number>> = {};
  for (const name of CALL_NAMES) {
    const prices = each.map((price) => price.calls_micro_per_kcall?.[name]);
    const priced = prices.filter((price) => price !== undefined);
    if (priced.length === prices.length) calls[name] = markedUp(Math.max(...priced), markup);
  }
  return calls;
}

/** What every route prices in place of tokens: a price is by tokens or by another unit (docs/rulings.md 220). */
function unitsOf(each: readonly Price[], markup: Markup): Partial<Record<UnitPrice, number>> {
  const units: Partial<Record<UnitPrice, number>> = {};
  for (const name of UNIT_NAMES) {
    const priced = each.flatMap((price) => price.units_micro?.[name] ?? []);
    if (priced.length === each.length) units[name] = markedUp(Math.max(...priced), markup);
  }
  return units;
}

/** Each size and quality that any route prices apart, by the dearest route: one that does not charges its usual price. */
function imagesOf(each: readonly Price[], markup: Markup, terms: PriceTerms): Pick<PriceVariants, "images"> {
  const names = new Set(each.flatMap(({ variants }) => Object.keys(variants?.images ?? {})));
  const lists = [...names].map((name) => {
    const prices = each.map((price) => (price.variants?.images?.[name] ?? price).units_micro?.images ?? 0);
    return [name, imageList(terms, name, markedUp(Math.max(...prices), markup))] as const;
  });
  return lists.length === 0 ? {} : { images: Object.fromEntries(lists) };
}

function variantsOf(each: readonly Price[], make: (lists: readonly Price[], variant: string) => Price): PriceVariants {
  const service_tiers = sharedBy(each.map(({ variants }) => variants?.service_tiers));
  const speeds = sharedBy(each.map(({ variants }) => variants?.speeds));
  const residency = sharedBy(each.map(({ variants }) => variants?.residency_millionths));
  const lists = (shared: ReadonlyMap<string, readonly Price[]>, asked: string) =>
    Object.fromEntries([...shared].map(([name, prices]) => [name, make(prices, `${asked}=${name}`)]));
  return {
    ...(service_tiers.size > 0 && { service_tiers: lists(service_tiers, "service_tier") }),
    ...(speeds.size > 0 && { speeds: lists(speeds, "speed") }),
    ...(residency.size > 0 && {
      residency_millionths: Object.fromEntries([...residency].map(([name, factors]) => [name, Math.max(...factors)])),
    }),
  };
}

function sharedBy<Value>(records: readonly (Readonly<Record<string, Value>> | undefined)[]): Map<string, Value[]> {
  const shared = new Map<string, Value[]>();
  for (const name of Object.keys(records[0] ?? {})) {
    const values = records.flatMap((record) =>
      record !== undefined && Object.hasOwn(record, name) ? [record[name]] : [],
    );
    if (values.length === records.length) shared.set(name, values as Value[]);
  }
  return shared;
}

/** A price with its percentage, exact, rounded up to a whole micro unit. */
function markedUp(price_micro: number, { factor_millionths }: Markup): number {
  return Number(divideRoundingUp(BigInt(price_micro) * BigInt(factor_millionths), 1_000_000n));
}
