import { type Model as ShownModel, type ModelList, ModelsQuery } from "../../contract/models.ts";
import { priceAt } from "../catalog/price-at.ts";
import type { Model } from "../core/catalog.ts";
import type { Price } from "../core/price.ts";
import { type Call, route } from "./route.ts";
import { showPrice } from "./show-price.ts";

export const modelRoutes = [
  route({
    method: "GET",
    path: "/models",
    role: "member",
    query: ModelsQuery,
    handle: async (call) => ({ status: 200, body: listModels(call) }),
  }),
];

function listModels({ deps, query }: Call<unknown, ModelsQuery>): ModelList {
  const { kind = "all" } = query;
  const now_ms = deps.clock.now_ms();
  const models = [...deps.configuration.models.values()].filter((model) => kind === "all" || model.kind === kind);
  return {
    object: "list",
    currency: deps.configuration.currency,
    data: models.map((model) => showModel(model, priceAt(model, now_ms))),
  };
}

function showModel(model: Model, price: Price): ShownModel {
  const { streaming, tools, json, vision, thinking } = model.capabilities;
  return {
    id: model.id,
    object: "model",
    display_name: model.display_name,
    kind: model.kind,
    owned_by: model.owned_by,
    created: model.created,
    context_length: model.context_length,
    max_completion_tokens: model.max_completion_tokens,
    input_modalities: [...model.input_modalities],
    output_modalities: [...model.output_modalities],
    capabilities: { streaming, tools, json, vision, thinking },
    price: showPrice(price),
    vendors: model.routes.map((route) => route.vendor),
    fallbacks: [...model.fallbacks],
  };
}
