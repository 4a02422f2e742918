import type { DeliveryStore } from "../../core/deliveries/delivery-store.ts";
import { type BesideKind, type Synced, whenSynced } from "../sql/beside.ts";
import { portOf, type RunMethod } from "../sql/port.ts";

export type DeliveryMethod = keyof DeliveryStore;

/**
 * Methods that only read. What is read every minute would keep a reader's thread alive in an idle gateway. What a sender does beside the books may be
 * lost in a power cut: a claim and its end are then made again, as each is sent at least once. Usage is cut by the
 * ledger's rows, of which none changes.
 */
export const DELIVERY_KINDS: Readonly<Record<DeliveryMethod, "read" | "write" | BesideKind>> = {
  ...{ addLetter: "write", addDelivery: "write", claimDelivery: "write beside", endDelivery: "write beside" },
  ...{ delayDelivery: "write beside", resendDelivery: "write", dropDeliveries: "write beside" },
  ...{ listDeliveries: "read", findDelivery: "read", findTarget: "read", listTargets: "write" },
  ...{ addTarget: "write", removeTarget: "write", endTarget: "write", reopenTarget: "write beside" },
  ...{ readAlertFacts: "write", claimAlertLook: "write beside", lookAtAlerts: "write beside at once" },
  ...{ listAlerts: "read", openAlerts: "write" },
  ...{ beginUsage: "write", findUnsentUsage: "read", cutUsage: "write after the books", readUsage: "read" },
};

/** When what a method writes beside the books is on the disk; null where what waits of the books is written first. */
export function deliveryBeside(method: DeliveryMethod): Synced | null {
  return whenSynced(DELIVERY_KINDS[method]);
}

/** Whether a method changes no row of the ledger, and reads such rows: what waits of them is written first. */
export function readsBooks(method: DeliveryMethod): boolean {
  return DELIVERY_KINDS[method] === "write after the books";
}

export function isDeliveryRead(method: DeliveryMethod): boolean {
  return DELIVERY_KINDS[method] === "read";
}

export function deliveryStore(run: RunMethod<DeliveryMethod>): DeliveryStore {
  return portOf(DELIVERY_KINDS, run);
}
