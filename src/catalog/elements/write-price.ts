import { type ChargedSides, chargesOutput } from "../../core/catalog/catalog.ts";
import { type Markup, markupOf, percentOf } from "../../core/money/markup.ts";
import { formatAmount, micro } from "../../core/money/money.ts";
import type { ClassPrices, Price, PriceTier } from "../../core/money/price.ts";

/** Prices as configuration files have them, with every class that a list has by itself: reading them gives the same prices. */

/**
 * The prices of a model, oldest first: one, or a list. `sides`: decisions have no price of output. Prices that a markup made are
 * written as the markup that they follow.
 */
export function writePrices(prices: readonly Price[], sides: ChargedSides, markups: readonly Markup[] = []): unknown {
  const figures = prices.filter((price) => markupOf(price, markups) === null);
  const written = [
    ...figures.map((price) => ({ from_ms: price.from_ms, price: writePrice(price, sides) })),
    ...markups.map((markup) => ({ from_ms: markup.from_ms, price: writeMarkup(markup) })),
  ].toSorted((a, b) => a.from_ms - b.from_ms);
  const [first, ...rest] = written.map(({ price }) => price);
  return rest.length === 0 ? (first ?? {}) : [first, ...rest];
}

function writeMarkup(markup: Markup): Record<string, unknown> {
  const { from_ms, add_input_micro_per_mtok: input, add_output_micro_per_mtok: output } = markup;
  const added = input === output ? decimal(input) : { input: decimal(input), output: decimal(output) };
  return {
    ...(from_ms === 0 ? {} : { from: writeTime(from_ms) }),
    follows: "upstream",
    markup: { percent: percentOf(markup), ...((input > 0 || output > 0) && { add: added }) },
  };
}

function writePrice(price: Price, sides: ChargedSides): Record<string, unknown> {
  const { service_tiers, speeds, residency_millionths, images } = price.variants ?? {};
  const lists = (named: Readonly<Record<string, Price>>) => mapped(named, (list) => writeListed(list, sides));
  return {
    ...(price.from_ms === 0 ? {} : { from: writeTime(price.from_ms) }),
    ...writeListed(price, sides),
    ...(price.per !== undefined && { per: price.per }),
    ...(price.calls_micro_per_kcall !== undefined && { calls: mapped(price.calls_micro_per_kcall, decimal) }),
    ...mapped(price.units_micro ?? {}, decimal),
    ...(images !== undefined && { images: imageTable(price, images) }),
    ...(service_tiers !== undefined && { service_tiers: lists(service_tiers) }),
    ...(speeds !== undefined && { speeds: lists(speeds) }),
    ...(residency_millionths !== undefined && { residency: mapped(residency_millionths, decimal) }),
  };
}

function imageTable({ units_micro }: Price, images: Readonly<Record<string, Price>>): Record<string, string> {
  const priceOf = (units: Price["units_micro"]) => decimal(units?.images ?? 0);
  return { default: priceOf(units_micro), ...mapped(images, (list) => priceOf(list.units_micro)) };
}

function writeListed(price: Price, sides: ChargedSides): Record<string, unknown> {
  if (price.tiers.length === 0) return writeClasses(price, sides);
  const tiers = price.tiers.map((tier: PriceTier) => ({
    above_input_tokens: tier.above_input_tokens,
    ...writeClasses(tier, sides),
  }));
  return { ...writeClasses(price, sides), tiers };
}

function writeClasses(prices: ClassPrices, sides: ChargedSides): Record<string, string> {
  return {
    input: decimal(prices.input_micro_per_mtok),
    ...(chargesOutput(sides) && { output: decimal(prices.output_micro_per_mtok) }),
    cache_read: decimal(prices.cache_read_micro_per_mtok),
    cache_write: decimal(prices.cache_write_micro_per_mtok),
    ...mapped(prices.parts_micro_per_mtok ?? {}, decimal),
  };
}

/** A number of millionths as a decimal: `3.00`, `0.0375`. */
function decimal(millionths: number): string {
  return formatAmount(micro(millionths));
}

/** A day where it begins, else a time. */
export function writeTime(ms: number): string {
  const text = new Date(ms).toISOString();
  return text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text;
}

function mapped<Item, Written>(items: Readonly<Record<string, Item>>, write: (item: Item) => Written) {
  return Object.fromEntries(Object.entries(items).map(([name, item]) => [name, write(item)])) as Record<
    string,
    Written
  >;
}
