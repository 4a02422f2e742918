import type { Micro } from "../money/money.ts";
import type { Price } from "../money/price.ts";
import type { CircuitQuery, CircuitRecord } from "./circuits.ts";
import type { RefusalPage, RefusalQuery, RefusedQuery, RefusedRequest } from "./refusals.ts";

/**
 * The whole gateway's traffic: finished requests, summed up by hour and by UTC day (docs/design/reports.md). It is counted in the
 * background from the requests' rows, and can be counted anew.
 */

/** The words for how a request ended, everywhere where people read: a running request has the word `running`. */
type TrafficStatus = "answered" | "failed" | "left" | "refused";

/** The groupings of traffic. A route is a vendor and its own name for the model; an error is why a request failed. */
export type TrafficGroup = "account" | "key" | "model" | "vendor" | "route" | "status" | "error";

/** The upper ends of the latency buckets; the last bucket has no end. Each is 1.6 times the one before it. */
export const LATENCY_ENDS_MS: readonly number[] = [
  ...[25, 40, 64, 102, 164, 262, 419, 671, 1074, 1718, 2749],
  ...[4398, 7037, 11_259, 18_014, 28_823, 46_117, 73_787, 118_059],
];
export const LATENCY_BUCKETS = LATENCY_ENDS_MS.length + 1;

/** Sums over requests. Counts are whole numbers. */
export interface TrafficSums {
  readonly requests: number;
  readonly answered: number;
  readonly failed: number;
  readonly left: number;
  readonly refused: number;
  readonly charge_micro: Micro;
  /** The operator's loss: paid and not charged. */
  readonly loss_micro: Micro;
  /** The charge of the requests whose cost at the vendor is known, and that cost. */
  readonly costed_micro: Micro;
  readonly upstream_micro: Micro;
  /** All input tokens, cached ones included; `cached_tokens`: those read from a cache. */
  readonly prompt_tokens: number;
  readonly cached_tokens: number;
  readonly completion_tokens: number;
  /** Output tokens of answers, and the time in which they were made. */
  readonly timed_tokens: number;
  readonly timed_ms: number;
  /** The times of all answers together: to the first byte, and to the end. */
  readonly first_ms: number;
  readonly total_ms: number;
}

/** Counts of answers by latency bucket. They are kept for the gateway as a whole; for accounts and keys all are zero. */
export interface TrafficLatency {
  /** From the request's arrival to the first byte of the answer. */
  readonly first_byte: readonly number[];
  /** From the request's arrival to the end of the answer. */
  readonly total: readonly number[];
}

/** A period of whole hours since the epoch: from the first, up to and without the last. */
export type HourSpan = readonly [from_hour: number, to_hour: number];

export interface TrafficQuery {
  /** Null for all accounts (administration). */
  readonly account_id: string | null;
  readonly key_id?: string;
  readonly model?: string;
  readonly vendor?: string;
  /** A vendor's own name for a model: with `vendor`. */
  readonly upstream_model?: string;
  readonly status?: TrafficStatus;
  /** Consecutive periods, in order. With `by_day` their ends are UTC days. */
  readonly periods: readonly HourSpan[];
  /** The earlier period with which the totals are compared; null: without a comparison. */
  readonly before: HourSpan | null;
  /** Read from sums by UTC day, which are fewer. */
  readonly by_day: boolean;
  readonly group: TrafficGroup | null;
  /** How many groups are shown apart, with the highest charge first. */
  readonly top: number;
}

export interface TrafficGroupSums extends TrafficSums, TrafficLatency {
  /** The group's id; null for the others together. */
  readonly id: string | null;
  /** A name for people: an account's e-mail, a key's name; null where the id is the name. */
  readonly name: string | null;
  /** The sums in the time before; null where nothing is compared. */
  readonly before: (TrafficSums & TrafficLatency) | null;
}

/** A group's sums in a period. */
export interface TrafficCell extends TrafficSums {
  /** The place of the period in the query. */
  readonly period: number;
  /** Null for the others together. */
  readonly group: string | null;
}

export interface TrafficReport {
  /** All requests of each period, in order; periods without requests have zeros. */
  readonly periods: readonly (TrafficSums & TrafficLatency)[];
  readonly total: TrafficSums & TrafficLatency;
  readonly before: (TrafficSums & TrafficLatency) | null;
  /** By charge (highest first), then by requests, then by id; the others come last. */
  readonly groups: readonly TrafficGroupSums[];
  /** How many groups there are, with those that are summed up as the others. */
  readonly group_count: number;
  /** By period, then in the order of the groups; without empty ones. */
  readonly cells: readonly TrafficCell[];
  /** Requests that ended before this time are counted; null where nothing was counted yet. */
  readonly counted_ms: number | null;
  /** Whether requests that ended earlier still wait to be counted, as after an update from an earlier version. */
  readonly is_behind: boolean;
}

/** What vendors charge for each route of each model, as far as it is known, by `routeName`: two models on one model of a vendor may state other costs. */
export type UpstreamPrices = Readonly<Record<string, readonly Price[]>>;

export function routeName(
  model: string,
  { vendor, upstream_model }: { vendor: string; upstream_model: string },
): string {
  return `${model} ${vendor} ${upstream_model}`;
}

/** The query for a slice of finished requests. */
export interface TrafficSliceQuery {
  /** The most requests of one slice. */
  readonly limit: number;
  /** UpstreamPrices as JSON: the database's thread takes the same text again and again, and reads it once. */
  readonly prices_json: string;
  /** Leaves out decisions that the embedded database has not yet written to its tables, so that the slice causes no write. */
  readonly written_only?: boolean;
}

/** A part of the finished requests, summed up, that is not yet written. */
export interface TrafficSlice {
  /** The revision of the count when the slice was read: the slice is written only while it is unchanged. */
  readonly revision: number;
  readonly to_seq: number;
  /** The time, by the database's clock, up to which everything is counted with this slice. */
  readonly counted_ms: number;
  readonly cells: readonly TrafficSliceCell[];
  readonly vendors: readonly VendorSlot[];
  /** Requests to count again later: running ones, and those that a recovery ended, with the values that were counted for them. */
  readonly wait: readonly { readonly request_id: string; readonly counted: string | null }[];
  readonly settled: readonly string[];
  /** Whether more requests are ready to be counted. */
  readonly has_more: boolean;
}

/** Sums of one slice. `outcome`: `answered`, `left`, the code of the error, or `!` and the code of a refusal. */
export interface TrafficSliceCell {
  readonly hour: number;
  readonly account_id: string;
  readonly key_id: string;
  readonly model: string;
  readonly vendor: string;
  readonly upstream_model: string;
  readonly outcome: string;
  /** In the order of the table's columns (store/schema/traffic-columns.ts). */
  readonly counts: readonly number[];
}

/** Calls of a route within five minutes with the same outcome, on all nodes. `error`: "" for calls that did not fail. */
export interface VendorSlot {
  /** Five minutes since the epoch. */
  readonly slot: number;
  readonly vendor: string;
  readonly upstream_model: string;
  readonly error: string;
  readonly calls: number;
  /** The sum of the times to the first byte over `first_count` calls, and of the times to the end over all calls. */
  readonly first_ms: number;
  readonly first_count: number;
  readonly total_ms: number;
}

export interface VendorHistoryQuery {
  readonly from_slot: number;
  readonly to_slot: number;
  /** How many slots are one step of the strip. */
  readonly step_slots: number;
}

export interface VendorHistory {
  /** By vendor, then by step, which is counted from the first. */
  readonly steps: readonly (Omit<VendorSlot, "slot" | "upstream_model"> & { readonly step: number })[];
  readonly routes: readonly Omit<VendorSlot, "slot">[];
  /** See `TrafficReport`. */
  readonly counted_ms: number | null;
}

export interface AccountLabel {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/** Reports on the traffic of the whole gateway (docs/design/reports.md). A part of the account store's reports. */
export interface TrafficReports {
  /** Usage, charges, errors and latencies over time, of the whole gateway or an account. */
  reportTraffic(query: TrafficQuery): Promise<TrafficReport>;
  /** The outcomes of each vendor's calls over some days. */
  vendorHistory(query: VendorHistoryQuery): Promise<VendorHistory>;
  /** When circuits opened and closed on all nodes, newest first. */
  listCircuitChanges(query: CircuitQuery): Promise<CircuitRecord[]>;
  /** A refused request by our id, else the newest with that client's id; null where there is none, or it is no longer kept. Null account: any. */
  findRefused(account_id: string | null, id: string): Promise<RefusedRequest | null>;
  /** Refused requests one by one, newest first, as far as they are kept. */
  listRefusedRequests(query: RefusedQuery): Promise<RefusedRequest[]>;
  /** Refused requests in sums, newest first. */
  listRefusals(query: RefusalQuery): Promise<RefusalPage>;
  /** In no order; unknown ids are left out. */
  labelAccounts(account_ids: readonly string[]): Promise<AccountLabel[]>;
}
