import type {
  ClassMargin,
  ClassPrice,
  DatedPrice,
  PricedModel,
  PricedRoute,
  PriceMarkup,
} from "../../../contract/prices.ts";
import { upstreamPrices } from "../../catalog/bundled/route-cost.ts";
import type { LoadedConfiguration } from "../../catalog/configuration/load-configuration.ts";
import { bundledPrices, priceSourceOf } from "../../catalog/configuration/upstream-cost.ts";
import { priceAt } from "../../catalog/prices/price-at.ts";
import type { Configuration, Model, Route } from "../../core/catalog/catalog.ts";
import { markupOf, percentOf } from "../../core/money/markup.ts";
import { formatAmount, micro } from "../../core/money/money.ts";
import { type ClassPrices, type Price, pricesAt } from "../../core/money/price.ts";
import { showTime } from "./show.ts";

/** A model's price, and its cost by each route where the cost is known (docs/rulings.md 121). */
export function showPricedModel(
  model: Model,
  configuration: Configuration,
  loaded: LoadedConfiguration,
  now_ms: number,
): PricedModel {
  const effective = priceAt(model, now_ms);
  const bundled = bundledPrices(model.id, configuration);
  return {
    model: model.id,
    display_name: model.display_name,
    kind: model.kind,
    source: priceSourceOf(model, loaded),
    effective: showDatedPrice(effective),
    markup: showMarkup(model, effective),
    upcoming: model.prices.filter(({ from_ms }) => from_ms > Math.max(now_ms, effective.from_ms)).map(showDatedPrice),
    bundled: bundled.length === 0 ? null : showDatedPrice(priceAt({ id: model.id, prices: bundled }, now_ms)),
    decide_with: model.decide_with?.model ?? null,
    routes: costingRoutes(model, configuration).map((route) => showRoute(route, effective, configuration, now_ms)),
    ...(model.unlisted === undefined ? {} : { unlisted: model.unlisted }),
  };
}

/** The routes that determine a model's cost: of a model with `decide_with`, the routes of the deciding chat model. */
function costingRoutes({ routes, decide_with }: Model, { models }: Configuration): readonly Route[] {
  return decide_with === undefined ? routes : (models.get(decide_with.model)?.routes ?? []);
}

function showRoute(route: Route, price: Price, configuration: Configuration, now_ms: number): PricedRoute {
  const { vendor, upstream_model, weight } = route;
  const prices = upstreamPrices(route, configuration);
  const cost = prices.length === 0 ? null : priceAt({ id: upstream_model, prices }, now_ms);
  return {
    ...{ vendor, upstream_model, weight },
    cost: cost && showDatedPrice(cost),
    cost_from: cost && (route.cost === undefined ? "bundled" : "stated"),
    margins: cost && showMargins(price, cost),
  };
}

function showMarkup({ markups = [] }: Model, effective: Price): PriceMarkup | null {
  const markup = markupOf(effective, markups);
  if (markup === null) return null;
  const { add_input_micro_per_mtok, add_output_micro_per_mtok } = markup;
  return {
    percent: percentOf(markup),
    add_input: showClass(add_input_micro_per_mtok),
    add_output: showClass(add_output_micro_per_mtok),
  };
}

/** One row for each tier's threshold of the price or of the cost. */
function showMargins(price: Price, cost: Price): NonNullable<PricedRoute["margins"]> {
  const tiers = [...price.tiers, ...cost.tiers].map(({ above_input_tokens }) => above_input_tokens);
  const thresholds = [...new Set([0, ...tiers])].sort((a, b) => a - b);
  return thresholds.map((above_input_tokens) => {
    const sold = pricesAt(price, above_input_tokens + 1);
    const bought = pricesAt(cost, above_input_tokens + 1);
    return { above_input_tokens, ...eachClass((key) => showMargin(sold[key], bought[key])) };
  });
}

function showMargin(price: number, cost: number): ClassMargin {
  const margin = price - cost;
  const percent = price === 0 ? null : Math.round((margin / price) * 10_000) / 100;
  return { ...showClass(margin), percent };
}

function showDatedPrice(price: Price): DatedPrice {
  return {
    version: price.version,
    from: price.from_ms === 0 ? null : showTime(price.from_ms),
    ...eachClass((key) => showClass(price[key])),
    ...(price.units_micro === undefined ? {} : { units_micro: { ...price.units_micro } }),
    tiers: price.tiers.map((tier) => ({
      above_input_tokens: tier.above_input_tokens,
      ...eachClass((key) => showClass(tier[key])),
    })),
  };
}

function showClass(micro_per_mtok: number): ClassPrice {
  return { micro_per_mtok, decimal: formatAmount(micro(micro_per_mtok)) };
}

type MainPrice = Exclude<keyof ClassPrices, "parts_micro_per_mtok">;

function eachClass<Shown>(show: (key: MainPrice) => Shown) {
  return {
    input: show("input_micro_per_mtok"),
    output: show("output_micro_per_mtok"),
    cache_read: show("cache_read_micro_per_mtok"),
    cache_write: show("cache_write_micro_per_mtok"),
  };
}
