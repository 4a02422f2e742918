import type { DeliveryStore } from "../../core/deliveries/delivery-store.ts";
import { portOf, type RunMethod, type WorksOf } from "../sql/port.ts";
import { readAlertFacts } from "./alert-facts.ts";
import { claimAlertLook, listAlerts, lookAtAlerts } from "./alerts.ts";
import { addDelivery, addLetter, claimDelivery, delayDelivery, endDelivery } from "./deliveries.ts";
import { dropDeliveries, findDelivery, listDeliveries, resendDelivery } from "./delivery-history.ts";
import { addTarget, endTarget, findTarget, listTargets, removeTarget, reopenTarget } from "./targets.ts";

export type DeliveryMethod = keyof DeliveryStore;

export const DELIVERY_WORKS: WorksOf<DeliveryStore> = {
  ...{ addLetter, addDelivery, claimDelivery, endDelivery, delayDelivery },
  ...{ listDeliveries, findDelivery, resendDelivery, dropDeliveries },
  ...{ listTargets, findTarget, addTarget, removeTarget, endTarget, reopenTarget },
  ...{ readAlertFacts, claimAlertLook, lookAtAlerts, listAlerts },
};

const READS: ReadonlySet<DeliveryMethod> = new Set<DeliveryMethod>([
  "listDeliveries",
  "findDelivery",
  "findTarget",
  "listAlerts",
]);

/** Methods that only read. The list of targets is read every minute, and would keep a reader's thread alive in an idle gateway. */
export function isDeliveryRead(method: DeliveryMethod): boolean {
  return READS.has(method);
}

export function deliveryStore(run: RunMethod<DeliveryMethod>): DeliveryStore {
  return portOf(DELIVERY_WORKS, run);
}
