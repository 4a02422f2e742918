import type { CircuitQuery, CircuitRecord } from "./circuits.ts";
import type { RefusalPage, RefusalQuery } from "./refusals.ts";
import type { TrafficQuery, TrafficReport, VendorHistory, VendorHistoryQuery } from "./traffic.ts";

/** Reports on the traffic of the whole gateway (docs/design/reports.md). A part of the account store's reports. */
export interface TrafficReports {
  /** Usage, charges, errors and latencies over time, of the whole gateway or an account. */
  reportTraffic(query: TrafficQuery): Promise<TrafficReport>;
  /** The outcomes of each vendor's calls over some days. */
  vendorHistory(query: VendorHistoryQuery): Promise<VendorHistory>;
  /** When circuits opened and closed on all nodes, newest first. */
  listCircuitChanges(query: CircuitQuery): Promise<CircuitRecord[]>;
  /** Refused requests, newest first. */
  listRefusals(query: RefusalQuery): Promise<RefusalPage>;
  /** E-mail addresses of accounts. In no order; unknown ids are left out. */
  labelAccounts(account_ids: readonly string[]): Promise<{ readonly id: string; readonly email: string }[]>;
}
