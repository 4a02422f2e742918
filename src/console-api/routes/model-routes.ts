import { type ModelDetail, type ModelList, ModelsQuery } from "../../../contract/models.ts";
import type { PriceList } from "../../../contract/prices.ts";
import type { ModelRoute, RoutedModel, RouteList } from "../../../contract/routes.ts";
import { BUNDLED_CURRENCY } from "../../catalog/bundled/bundled-models.ts";
import type { Configuration, Model, Route } from "../../core/catalog/catalog.ts";
import type { Administration } from "../answer/administration.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound } from "../answer/scope.ts";
import { measuredBy, showRouteHealth } from "../show/show-health.ts";
import { showModel } from "../show/show-model.ts";
import { showPricedModel } from "../show/show-priced-model.ts";
import { protocolsOf } from "../show/show-vendor.ts";

export const modelRoutes = [
  route("GET /models", "member", { query: ModelsQuery, show: listModels }),
  route("GET /models/{vendor}/{name}", "member", { show: findModel }),
  route("GET /prices", "administrator", { show: listPrices }),
  route("GET /routes", "administrator", { show: listRoutes }),
];

function listModels({ deps, query }: ConsoleCall<unknown, ModelsQuery>): ModelList {
  const { kind = "all", unlisted = "hide" } = query;
  const { configuration } = deps;
  const now_ms = deps.clock.now_ms();
  const models = [...configuration.models.values()].filter(
    (model) => (kind === "all" || model.kind === kind) && (unlisted === "show" || model.unlisted === undefined),
  );
  return {
    object: "list",
    currency: configuration.currency,
    data: models.map((model) => showModel(model, configuration, now_ms)),
  };
}

/** The model of the path. A short name may contain slashes, which the path has in encoded form. */
function findModel({ deps, params }: ConsoleCall): ModelDetail {
  const { configuration, clock } = deps;
  const id = `${params.vendor}/${params.name}`;
  const model = configuration.models.get(id);
  if (model === undefined) throw notFound("model", id);
  const { currency, aliases } = configuration;
  return { ...showModel(model, configuration, clock.now_ms()), currency, gateway_aliases: aliasesTo(id, aliases) };
}

function aliasesTo(model: string, aliases: Configuration["aliases"]): string[] {
  const names = [...(aliases?.names ?? [])].flatMap(([name, target]) => (target === model ? [name] : []));
  const prefixes = (aliases?.prefixes ?? []).flatMap(({ prefix, model: to }) => (to === model ? [`${prefix}*`] : []));
  return [...names, ...prefixes];
}

function listPrices({ deps }: ConsoleCall): PriceList {
  const { configuration, administration, clock } = deps;
  const { loaded } = administration.vendors.sources;
  const now_ms = clock.now_ms();
  return {
    object: "list",
    currency: configuration.currency,
    bundled_currency: BUNDLED_CURRENCY,
    data: [...configuration.models.values()]
      .filter(({ unlisted }) => unlisted !== "demo")
      .map((model) => showPricedModel(model, configuration, loaded, now_ms)),
  };
}

function listRoutes({ deps: { administration, configuration } }: ConsoleCall): RouteList {
  const models = [...configuration.models.values()].filter(({ unlisted }) => unlisted !== "demo");
  return {
    object: "list",
    ...measuredBy(administration),
    data: models.map((model) => showRoutedModel(administration, configuration, model)),
  };
}

function showRoutedModel(administration: Administration, configuration: Configuration, model: Model): RoutedModel {
  return {
    model: model.id,
    display_name: model.display_name,
    kind: model.kind,
    status: statusOf(administration, configuration, model),
    routes: showRoutes(administration, configuration, model),
    pick: model.routing?.pick ?? "weight",
    sticky: model.routing?.sticky !== false,
    fallbacks: [...model.fallbacks],
    decide_with: model.decide_with?.model ?? null,
    ...(model.unlisted === undefined ? {} : { unlisted: model.unlisted }),
  };
}

function showRoutes(administration: Administration, { vendors }: Configuration, { routes }: Model): ModelRoute[] {
  const weights = routes.reduce((sum, { weight }) => sum + weight, 0);
  return routes.map((each) => {
    const vendor = vendors.get(each.vendor);
    return {
      vendor: each.vendor,
      vendor_name: vendor?.name ?? each.vendor,
      upstream_model: each.upstream_model,
      weight: each.weight,
      share: Math.round((each.weight / weights) * 10_000) / 10_000,
      protocols: protocolsOf(each, vendor?.endpoints ?? []),
      health: showRouteHealth(administration, each),
    };
  });
}

/** Whether a request for the model would find a route now. With `decide_with`, the deciding chat model counts. */
function statusOf(administration: Administration, configuration: Configuration, model: Model): RoutedModel["status"] {
  const { models } = configuration;
  const decider = model.decide_with === undefined ? model : models.get(model.decide_with.model);
  if (decider !== undefined && hasWay(administration, configuration, decider)) return "available";
  const standing_in = [...(decider?.fallbacks ?? []), ...model.fallbacks].map((id) => models.get(id));
  const has_other = standing_in.some((other) => other !== undefined && hasWay(administration, configuration, other));
  return has_other ? "fallback" : "unavailable";
}

/** Whether one of the model's routes takes requests. A half-open circuit counts, since it lets its probe through. */
function hasWay(administration: Administration, { vendors }: Configuration, { routes }: Model): boolean {
  return routes.some((each) => vendors.has(each.vendor) && isOpenToSome(administration, each));
}

function isOpenToSome(administration: Administration, route: Route): boolean {
  const { state, accounts_alone } = showRouteHealth(administration, route).circuit;
  return state !== "open" || accounts_alone !== null;
}
