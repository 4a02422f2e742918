import type { Configuration } from "../core/catalog.ts";
import type { ClassPrices, PriceTier } from "../core/price.ts";
import { readPublishedCatalog } from "./import-catalog.ts";
import { vendorOf } from "./model-id.ts";
import { priceAt } from "./price-at.ts";
import { completePrice } from "./published-catalog.ts";
import { formatPrice } from "./write-configuration.ts";

type Prices = ClassPrices & { readonly tiers: readonly PriceTier[] };

/** How a published list differs from a configuration, for the vendors that both have. */
export interface CatalogDiff {
  /** In the list and not in the configuration. */
  readonly added: readonly string[];
  /** In the configuration and not in the list. */
  readonly removed: readonly string[];
  readonly repriced: readonly { readonly model: string; readonly before: string; readonly after: string }[];
  /** Vendors of the list that the configuration does not have. */
  readonly other_vendors: readonly string[];
  readonly left_out: readonly string[];
}

/**
 * Compares a published list of models and prices (in US dollars) with a configuration as of a time. Throws a
 * PublishedCatalogError when the text is no such list.
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
    const before = describePrices(priceAt(model, now_ms));
    const after = describePrices(completePrice(other.price));
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

function describePrices(prices: Prices): string {
  const tiers = prices.tiers.map((tier) => `above ${tier.above_input_tokens}: ${describeClasses(tier)}`);
  return [describeClasses(prices), ...tiers].join("; ");
}

function describeClasses(prices: ClassPrices): string {
  return [
    `input ${formatPrice(prices.input_micro_per_mtok)}`,
    `output ${formatPrice(prices.output_micro_per_mtok)}`,
    `cache read ${formatPrice(prices.cache_read_micro_per_mtok)}`,
    `cache write ${formatPrice(prices.cache_write_micro_per_mtok)}`,
  ].join(", ");
}

/** A difference as people read it: a line for each model, `+` added, `-` removed, `~` another price. */
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
