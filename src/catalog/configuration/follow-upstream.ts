import type { Configuration, Model, Route } from "../../core/catalog/catalog.ts";
import { upstreamPrices } from "../bundled/route-cost.ts";
import { followedPrices, type RouteCosts } from "../prices/marked-up.ts";
import { report } from "../reading/place.ts";
import type { FollowingDraft } from "../reading/read-markup.ts";
import type { ModelDraft } from "../reading/read-model.ts";
import { MAX_PRICE_MICRO } from "../reading/read-scalar.ts";

/** The model with the prices that follow its vendors' prices; the model itself where none follows, or one cannot. */
export function withFollowedPrices(
  model: Model,
  draft: ModelDraft,
  configuration: Pick<Configuration, "currency">,
): Model {
  const { follows } = draft;
  const [first] = follows;
  if (first === undefined) return model;
  const costs = costsOf(model, first, configuration);
  if (costs === null) return model;
  const starts = [...model.prices, ...follows].map(({ from_ms }) => from_ms).toSorted((a, b) => a - b);
  const markups = follows.map(({ place, ...added }) => {
    const until_ms = starts.find((start_ms) => start_ms > added.from_ms) ?? null;
    return { place, markup: { ...added, until_ms } };
  });
  const followed = markups.flatMap(({ place, markup }) => {
    const prices = followedPrices({ markup, costs, kind: model.kind });
    if (prices.some(isTooHigh)) report(place, HIGHEST, "a price beyond that");
    return prices;
  });
  return {
    ...model,
    prices: [...model.prices, ...followed].toSorted((a, b) => a.from_ms - b.from_ms),
    markups: markups.map(({ markup }) => markup),
  };
}

const HIGHEST = `a markup with which no price is above ${MAX_PRICE_MICRO / 1_000_000n}`;

/** The costs of all routes; null, with the problem reported, where one is not known. */
function costsOf(
  { routes, decide_with }: Model,
  { place }: FollowingDraft,
  configuration: Pick<Configuration, "currency">,
): RouteCosts | null {
  if (decide_with !== undefined)
    return report(
      place,
      "figures, as its calls to the chat model are not one price",
      "follows on a model that decides with another",
    );
  const unknown = routes.find((route) => upstreamPrices(route, configuration).length === 0);
  if (unknown === undefined) return routes.map((route) => upstreamPrices(route, configuration));
  const allowed =
    "the cost of each route: Camino knows its bundled models' in USD; write others as cost, on the model or the route";
  return report(place, allowed, `follows: upstream, and no cost of ${nameOf(unknown)} is known`);
}

function nameOf({ vendor, upstream_model }: Route): string {
  return JSON.stringify(`${vendor}:${upstream_model}`);
}

/** Whether any number of a price is beyond what a price may be; its counts and dates never are. */
function isTooHigh(value: unknown): boolean {
  if (typeof value === "number") return value > Number(MAX_PRICE_MICRO);
  return typeof value === "object" && value !== null && Object.values(value).some(isTooHigh);
}
