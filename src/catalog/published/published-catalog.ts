import type { Capabilities, ModelKind } from "../../core/catalog/catalog.ts";
import type { CallPrices, ClassPrices, PartPrices, Price, UnitPrices } from "../../core/money/price.ts";

/** The vendors and models read from a published list, before they become a configuration. */
export interface PublishedCatalog {
  readonly vendors: readonly PublishedVendor[];
  readonly models: readonly PublishedModel[];
  /** The entries that could not be carried over, one sentence each, in the order of the source. */
  readonly left_out: readonly string[];
}

export interface PublishedVendor {
  readonly id: string;
  /** Null for vendors whose address the vendor table has. */
  readonly address: {
    readonly name: string;
    readonly protocol: "chat-completions" | "messages";
    readonly base_url: string;
  } | null;
  /** The environment variable that holds the vendor's credential. */
  readonly api_key_env: string | null;
}

/** The kinds of models that published lists have: decision models are Camino's own. */
export type PublishedKind = Exclude<ModelKind, "decision">;

export interface PublishedModel {
  /** `<vendor>/<short name>`. */
  readonly id: string;
  /** Absent: it answers conversations. */
  readonly kind?: Exclude<PublishedKind, "chat">;
  readonly display_name: string | null;
  /** `2026-09-01`. */
  readonly created: string | null;
  readonly context_length: number | null;
  readonly max_completion_tokens: number | null;
  readonly input_modalities: readonly string[];
  readonly output_modalities: readonly string[];
  readonly capabilities: Partial<Capabilities>;
  readonly price: PublishedPrice;
}

/** Prices in micro units per million tokens; a class that the source does not price is null. */
export interface PublishedClasses {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number | null;
  readonly cache_write: number | null;
  /** Prices of token parts that are priced separately. */
  readonly parts?: PartPrices;
}

export interface PublishedPrice extends PublishedClasses {
  /** Prices of calls in micro units per thousand. */
  readonly calls?: CallPrices;
  /** Prices of what is charged in place of tokens, whose classes are 0 then. */
  readonly units?: UnitPrices;
  readonly tiers: readonly (PublishedClasses & { readonly above_input_tokens: number })[];
}

export function priceOfUnits(units: UnitPrices): PublishedPrice {
  return { input: 0, output: 0, cache_read: null, cache_write: null, units, tiers: [] };
}

/** The prices as the configuration will read them: a cache class without a price costs the input price. */
export function completePrice(
  price: PublishedPrice,
): Pick<Price, keyof ClassPrices | "tiers" | "calls_micro_per_kcall" | "units_micro"> {
  return {
    ...completeClasses(price),
    ...(price.calls !== undefined && { calls_micro_per_kcall: price.calls }),
    ...(price.units !== undefined && { units_micro: price.units }),
    tiers: price.tiers.map((tier) => ({ above_input_tokens: tier.above_input_tokens, ...completeClasses(tier) })),
  };
}

function completeClasses(prices: PublishedClasses): ClassPrices {
  return {
    input_micro_per_mtok: prices.input,
    output_micro_per_mtok: prices.output,
    cache_read_micro_per_mtok: prices.cache_read ?? prices.input,
    cache_write_micro_per_mtok: prices.cache_write ?? prices.input,
    ...(prices.parts !== undefined && { parts_micro_per_mtok: prices.parts }),
  };
}
