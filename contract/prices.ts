import Type, { type Static } from "typebox";
import { Currency, Micro, orNull, Timestamp } from "./common.ts";
import { ModelKind, Unlisted } from "./models.ts";

/**
 * Prices of models (what accounts pay) and costs (what vendors charge). Both are per million tokens: as whole micro
 * units, and as an exact decimal in units of the currency.
 */

export const ClassPrice = Type.Object({ micro_per_mtok: Micro, decimal: Type.String() });
export type ClassPrice = Static<typeof ClassPrice>;

const classes = { input: ClassPrice, output: ClassPrice, cache_read: ClassPrice, cache_write: ClassPrice };

export const DatedPrice = Type.Object({
  /** The version that receipts name; equal prices have equal versions. */
  version: Type.String(),
  /** When the price takes effect; null: it has always been in effect. */
  from: orNull(Timestamp),
  ...classes,
  /** Prices of what is charged beside tokens, by the names of `ModelPrice`. */
  units_micro: Type.Optional(Type.Record(Type.String(), Micro)),
  /** Prices of the whole request where its input is above a number of tokens, in ascending order of that number. */
  tiers: Type.Array(Type.Object({ above_input_tokens: Type.Integer(), ...classes })),
});
export type DatedPrice = Static<typeof DatedPrice>;

/** Price less cost, and its share of the price in percent with two decimals; null where the price is 0. */
export const ClassMargin = Type.Object({
  micro_per_mtok: Micro,
  decimal: Type.String(),
  percent: orNull(Type.Number()),
});
export type ClassMargin = Static<typeof ClassMargin>;

const margins = { input: ClassMargin, output: ClassMargin, cache_read: ClassMargin, cache_write: ClassMargin };

export const PricedRoute = Type.Object({
  vendor: Type.String(),
  upstream_model: Type.String(),
  weight: Type.Number(),
  /** The vendor's price to the operator; null where nothing knows it. */
  cost: orNull(DatedPrice),
  /** The source of the cost: the bundled catalogue, or the configuration, which states it. */
  cost_from: orNull(Type.Enum(["bundled", "stated"])),
  /** Margins now: a row for every request, then a row for each tier. Null where the cost is unknown. */
  margins: orNull(Type.Array(Type.Object({ above_input_tokens: Type.Integer(), ...margins }))),
});
export type PricedRoute = Static<typeof PricedRoute>;

/** How a price is made that follows the vendors' prices (docs/configuration.md "A price that follows"). */
export const PriceMarkup = Type.Object({
  /** An exact decimal: `12.5`. */
  percent: Type.String(),
  /** The fixed part on input, and on tokens that are read from and written to caches. */
  add_input: ClassPrice,
  add_output: ClassPrice,
});
export type PriceMarkup = Static<typeof PriceMarkup>;

export const PricedModel = Type.Object({
  model: Type.String(),
  display_name: Type.String(),
  kind: ModelKind,
  /**
   * The source of the price: `bundled`; `overridden`: the file, in place of the bundled catalogue; `own`:
   * only the file has it; `simulator`.
   */
  source: Type.Enum(["bundled", "overridden", "own", "simulator"]),
  /** The price of a request that arrives now. */
  effective: DatedPrice,
  /** The markup with which the effective price follows the dearest route's cost; null where it has figures of its own. */
  markup: orNull(PriceMarkup),
  /** Prices that take effect later, by date. */
  upcoming: Type.Array(DatedPrice),
  /** The bundled catalogue's price of this id now, also where the file overrides it; null without such a price. */
  bundled: orNull(DatedPrice),
  /** The chat model whose token probabilities decide, whose calls are the cost; null for all other models. */
  decide_with: orNull(Type.String()),
  routes: Type.Array(PricedRoute),
  unlisted: Unlisted,
});
export type PricedModel = Static<typeof PricedModel>;

export const PriceList = Type.Object({
  object: Type.Literal("list"),
  currency: Currency,
  /** The bundled catalogue's currency: its costs are known only where it is the gateway's. */
  bundled_currency: Currency,
  data: Type.Array(PricedModel),
});
export type PriceList = Static<typeof PriceList>;
