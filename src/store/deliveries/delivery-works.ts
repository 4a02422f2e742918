import type { DeliveryStore } from "../../core/deliveries/delivery-store.ts";
import * as addDelivery from "../accounts/add-delivery.ts";
import { worksOf } from "../calls/works-of.ts";
import * as alertFacts from "./alert-facts.ts";
import * as alerts from "./alerts.ts";
import * as deliveries from "./deliveries.ts";
import { DELIVERY_KINDS } from "./delivery-calls.ts";
import * as targets from "./targets.ts";
import * as usagePortions from "./usage-portions.ts";

export const DELIVERY_WORKS = worksOf<DeliveryStore>(DELIVERY_KINDS, {
  ...{ ...addDelivery, ...deliveries, ...targets, ...alertFacts, ...alerts, ...usagePortions },
});
