import type {
  AddTarget,
  AlertList,
  AlertsQuery,
  AlertTarget,
  AlertTargetList,
  DeliveriesQuery,
  Delivery,
  DeliveryList,
  TestedTarget,
} from "../../../../contract/alerts.ts";
import type { Deleted } from "../../../../contract/common.ts";

/** The endpoints of alerts. */
export interface AlertEndpoints {
  "GET /alerts": { query: AlertsQuery; answer: AlertList };
  "GET /alerts/targets": { query: AlertsQuery; answer: AlertTargetList };
  "POST /alerts/targets": { body: AddTarget; answer: AlertTarget };
  "DELETE /alerts/targets/{target}": { answer: Deleted };
  "POST /alerts/targets/{target}/test": { answer: TestedTarget };
  "GET /deliveries": { query: DeliveriesQuery; answer: DeliveryList };
  "POST /deliveries/{delivery}/resend": { answer: Delivery };
}
