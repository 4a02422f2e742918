import { type ModelDetail, type ModelList, ModelsQuery } from "../../../contract/models.ts";
import type { PriceList } from "../../../contract/prices.ts";
import { BUNDLED_CURRENCY } from "../../catalog/bundled/bundled-models.ts";
import type { Configuration } from "../../core/catalog/catalog.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound } from "../answer/scope.ts";
import { showModel } from "../show/show-model.ts";
import { showPricedModel } from "../show/show-priced-model.ts";

export const modelRoutes = [
  route("GET /models", "member", { query: ModelsQuery, show: listModels }),
  route("GET /models/{vendor}/{name}", "member", { show: findModel }),
  route("GET /prices", "administrator", { show: listPrices }),
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
