import type { PriceList } from "../../../contract/prices.ts";
import { BUNDLED_CURRENCY } from "../../catalog/bundled/bundled-models.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { showPricedModel } from "../show/show-priced-model.ts";

export const priceRoutes = [route("GET /prices", "administrator", { show: listPrices })];

function listPrices({ deps }: ConsoleCall<unknown, unknown>): PriceList {
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
