import type { DeliveryStore } from "../../core/deliveries/delivery-store.ts";
import { portOf, type RunMethod } from "../sql/port.ts";

export type DeliveryMethod = keyof DeliveryStore;

/** Methods that only read. What is read every minute would keep a reader's thread alive in an idle gateway. */
const KINDS: Readonly<Record<DeliveryMethod, "read" | "write">> = {
  ...{ addLetter: "write", addDelivery: "write", claimDelivery: "write", endDelivery: "write" },
  ...{ delayDelivery: "write", resendDelivery: "write", dropDeliveries: "write" },
  ...{ listDeliveries: "read", findDelivery: "read", findTarget: "read", listTargets: "write" },
  ...{ addTarget: "write", removeTarget: "write", endTarget: "write", reopenTarget: "write" },
  ...{ readAlertFacts: "write", claimAlertLook: "write", lookAtAlerts: "write", listAlerts: "read" },
  ...{ openAlerts: "write" },
  ...{ beginUsage: "write", findUnsentUsage: "read", cutUsage: "write", readUsage: "read" },
};

export function isDeliveryRead(method: DeliveryMethod): boolean {
  return KINDS[method] === "read";
}

export function deliveryStore(run: RunMethod<DeliveryMethod>): DeliveryStore {
  return portOf(KINDS, run);
}
