import type { Configuration } from "../../core/catalog/catalog.ts";
import type { ClassPrices, Price } from "../../core/money/price.ts";
import { CALL_NAMES, PART_NAMES, TOKEN_PARTS, UNIT_NAMES, type UnitPrice } from "../../core/money/price-classes.ts";
import { vendorOf } from "../names/model-id.ts";
import { priceAt } from "../prices/price-at.ts";
import { readPublishedCatalog } from "./import-catalog.ts";
import { completePrice } from "./published-catalog.ts";
import { formatPrice } from "./write-configuration.ts";

type Prices = Pick<Price, keyof ClassPrices | "tiers" | "calls_micro_per_kcall" | "units_micro">;

/** How a published list differs from a configuration, for the vendors that both have. */
export interface CatalogDiff {
  /** Models in the list and not in the configuration. */
  readonly added: readonly string[];
  /** Models in the configuration and not in the list. */
  readonly removed: readonly string[];
  readonly repriced: readonly { readonly model: string; readonly before: string; readonly after: string }[];
  /** Vendors of the list that the configuration does not have. */
  readonly other_vendors: readonly string[];
  readonly left_out: readonly string[];
}

/**
 * Compares a published list of models and prices (in US dollars) with a configuration as of a time. Throws a
 * PublishedCatalogError when the text is not a published list.
 */
export function diffCatalog(configuration: Configuration, text: string, now_ms: number): CatalogDiff {
  const published = readPublishedCatalog(text);
  const configured = new Set([...configuration.vendors.keys()]);
  const listed = new Set(published.vendors.map(({ id }) => id));
  const models = new Map(published.models.map((model) => [model.id, model]));
  const repriced: { model: string; before: string; after: string }[] = [];
  for (const [id, model] of configuration.models) {
    const other = models.get(id);
    if (other === undefined) continue;
    const listed_price = completePrice(other.price);
    const before = describePrices(priceAt(model, now_ms), listed_price);
    const after = describePrices(listed_price, listed_price);
    if (before !== after) repriced.push({ model: id, before, after });
  }
  return {
    added: [...models.keys()].filter((id) => configured.has(vendorOf(id)) && !configuration.models.has(id)),
    removed: [...configuration.models.keys()].filter((id) => listed.has(vendorOf(id)) && !models.has(id)),
    repriced,
    other_vendors: [...listed].filter((id) => !configured.has(id)),
    left_out: published.left_out,
  };
}

/**
 * Describes prices; of parts and calls only those that the published list prices, because no list prices all of them.
 */
function describePrices(prices: Prices, listed: Prices): string {
  const tiers = prices.tiers.map((tier) => `above ${tier.above_input_tokens}: ${describeClasses(tier, listed)}`);
  const calls = CALL_NAMES.filter((name) => listed.calls_micro_per_kcall?.[name] !== undefined).map(
    (name) => `${words(name)} ${formatPrice(prices.calls_micro_per_kcall?.[name] ?? 0)} a thousand`,
  );
  const units = UNIT_NAMES.filter((name) => listed.units_micro?.[name] !== undefined);
  if (units.length > 0) return units.map((name) => `${words(name)} ${unitPrice(prices, name)}`).join(", ");
  return [[describeClasses(prices, listed), ...calls].join(", "), ...tiers].join("; ");
}

const EACH: Readonly<Record<UnitPrice, string>> = {
  ...{ input_characters: "a million", input_minutes: "a minute", images: "each", searches: "a thousand" },
};

function unitPrice({ units_micro }: Prices, name: UnitPrice): string {
  const micro = units_micro?.[name];
  return micro === undefined ? "by tokens" : `${formatPrice(micro)} ${EACH[name]}`;
}

function words(name: string): string {
  return name.replaceAll("_", " ");
}

function describeClasses(prices: ClassPrices, listed: Prices): string {
  const of_main = {
    input: prices.input_micro_per_mtok,
    output: prices.output_micro_per_mtok,
    cache_read: prices.cache_read_micro_per_mtok,
    cache_write: prices.cache_write_micro_per_mtok,
  };
  const parts = PART_NAMES.filter((name) => listed.parts_micro_per_mtok?.[name] !== undefined).map(
    (name) => `${words(name)} ${formatPrice(prices.parts_micro_per_mtok?.[name] ?? of_main[TOKEN_PARTS[name]])}`,
  );
  return [
    `input ${formatPrice(prices.input_micro_per_mtok)}`,
    `output ${formatPrice(prices.output_micro_per_mtok)}`,
    `cache read ${formatPrice(prices.cache_read_micro_per_mtok)}`,
    `cache write ${formatPrice(prices.cache_write_micro_per_mtok)}`,
    ...parts,
  ].join(", ");
}

/** Formats a difference for people: a line for each model, `+` added, `-` removed, `~` another price. */
export function formatDiff(diff: CatalogDiff): string {
  const lines = [
    ...diff.added.map((id) => `+ ${id}`),
    ...diff.removed.map((id) => `- ${id}`),
    ...diff.repriced.map(({ model, before, after }) => `~ ${model}\n    now        ${before}\n    published  ${after}`),
  ];
  if (lines.length === 0) lines.push("No differences.");
  if (diff.other_vendors.length > 0) {
    lines.push("", `Not compared, as they are not configured: ${diff.other_vendors.join(", ")}`);
  }
  return `${lines.join("\n")}\n`;
}
