import type { CircuitQuery, CircuitRecord } from "./circuits.ts";
import type { RefusalPage, RefusalQuery } from "./refusals.ts";
import type { TrafficQuery, TrafficReport, VendorHistory, VendorHistoryQuery } from "./traffic.ts";

/** What the gateway has done as a whole (docs/adr/0044). A part of the account store's reports. */
export interface TrafficReports {
  /** Usage, charges, errors and latencies over time, of the whole gateway or an account. */
  reportTraffic(query: TrafficQuery): Promise<TrafficReport>;
  /** What became of the calls of each vendor, over some days. */
  vendorHistory(query: VendorHistoryQuery): Promise<VendorHistory>;
  /** When circuits opened and closed on all nodes, newest first. */
  listCircuitChanges(query: CircuitQuery): Promise<CircuitRecord[]>;
  /** Refused requests, newest first. */
  listRefusals(query: RefusalQuery): Promise<RefusalPage>;
  /** E-mail addresses of accounts. In no order; unknown ids are left out. */
  labelAccounts(account_ids: readonly string[]): Promise<{ readonly id: string; readonly email: string }[]>;
}
