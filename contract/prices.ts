import Type, { type Static } from "typebox";
import { Currency, Micro, Timestamp } from "./common.ts";

/**
 * What models are sold at and what they cost. A price is per million tokens: as whole micro units, and as an exact
 * decimal in units of the currency.
 */

export const ClassPrice = Type.Object({ micro_per_mtok: Micro, decimal: Type.String() });
export type ClassPrice = Static<typeof ClassPrice>;

const classes = { input: ClassPrice, output: ClassPrice, cache_read: ClassPrice, cache_write: ClassPrice };

export const DatedPrice = Type.Object({
  /** As receipts name it: equal prices have equal versions. */
  version: Type.String(),
  /** When it takes effect; null for always. */
  from: Type.Union([Timestamp, Type.Null()]),
  ...classes,
  /** Prices of the whole request where its input is above so many tokens, ascending. */
  tiers: Type.Array(Type.Object({ above_input_tokens: Type.Integer(), ...classes })),
});
export type DatedPrice = Static<typeof DatedPrice>;

/** Price less cost, and its share of the price in percent with two decimals; null where the price is 0. */
export const ClassMargin = Type.Object({
  micro_per_mtok: Micro,
  decimal: Type.String(),
  percent: Type.Union([Type.Number(), Type.Null()]),
});
export type ClassMargin = Static<typeof ClassMargin>;

const margins = { input: ClassMargin, output: ClassMargin, cache_read: ClassMargin, cache_write: ClassMargin };

export const PricedRoute = Type.Object({
  vendor: Type.String(),
  upstream_model: Type.String(),
  weight: Type.Number(),
  /** What the vendor charges the operator, as the bundled catalogue knows it; null where it does not. */
  cost: Type.Union([DatedPrice, Type.Null()]),
  /** Now, for requests with more than so many input tokens (the first: any). Null where the cost is not known. */
  margins: Type.Union([Type.Array(Type.Object({ above_input_tokens: Type.Integer(), ...margins })), Type.Null()]),
});
export type PricedRoute = Static<typeof PricedRoute>;

export const PricedModel = Type.Object({
  model: Type.String(),
  display_name: Type.String(),
  kind: Type.Enum(["chat", "decision"]),
  /**
   * Where the price comes from: `bundled`; `overridden`: the file gives another one than the bundled catalogue; `own`:
   * only the file has it; `simulator`.
   */
  source: Type.Enum(["bundled", "overridden", "own", "simulator"]),
  /** What a request that arrives now is charged at. */
  effective: DatedPrice,
  /** What will be charged later, by date. */
  upcoming: Type.Array(DatedPrice),
  /** The bundled catalogue's price of this id now, also where the file overrides it; null where it has none. */
  bundled: Type.Union([DatedPrice, Type.Null()]),
  /** The chat model whose token probabilities decide, which is what costs; null for all others. */
  decide_with: Type.Union([Type.String(), Type.Null()]),
  routes: Type.Array(PricedRoute),
});
export type PricedModel = Static<typeof PricedModel>;

export const PriceList = Type.Object({
  object: Type.Literal("list"),
  currency: Currency,
  /** The bundled catalogue's currency: costs are known only where it is the gateway's. */
  bundled_currency: Currency,
  data: Type.Array(PricedModel),
});
export type PriceList = Static<typeof PriceList>;
