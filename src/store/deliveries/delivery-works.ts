import type { DeliveryStore } from "../../core/deliveries/delivery-store.ts";
import { addDelivery } from "../accounts/add-delivery.ts";
import type { WorksOf } from "../sql/port.ts";
import { readAlertFacts } from "./alert-facts.ts";
import { claimAlertLook, listAlerts, lookAtAlerts, openAlerts } from "./alerts.ts";
import { addLetter, claimDelivery, delayDelivery, endDelivery } from "./deliveries.ts";
import { dropDeliveries, findDelivery, listDeliveries, resendDelivery } from "./delivery-history.ts";
import { readUsage } from "./read-usage.ts";
import { addTarget, endTarget, findTarget, listTargets, removeTarget, reopenTarget } from "./targets.ts";
import { beginUsage, cutUsage, findUnsentUsage } from "./usage-portions.ts";

export const DELIVERY_WORKS: WorksOf<DeliveryStore> = {
  ...{ addLetter, addDelivery, claimDelivery, endDelivery, delayDelivery },
  ...{ listDeliveries, findDelivery, resendDelivery, dropDeliveries },
  ...{ listTargets, findTarget, addTarget, removeTarget, endTarget, reopenTarget },
  ...{ readAlertFacts, claimAlertLook, lookAtAlerts, listAlerts, openAlerts },
  ...{ beginUsage, findUnsentUsage, cutUsage, readUsage },
};
