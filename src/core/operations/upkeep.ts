import type { CircuitChange } from "./circuits.ts";
import type { WrongRow } from "./incidents.ts";
import type { RefusalSum, RefusedRequest } from "./refusals.ts";
import type { TrafficSlice, TrafficSliceQuery } from "./traffic.ts";
import type { SharedSpending, VendorSpending } from "./vendor-spending.ts";

/** Settings of the gateway's chores: the daily audit, and the deletion of old rows (docs/design/audit.md). */
export interface UpkeepSettings {
  /** The hour, UTC, in which the books are audited once a day; null: never by itself. */
  readonly audit_hour: number | null;
  /** How many days requests are kept after their end; null: for ever. */
  readonly request_days: number | null;
  /** How many bytes all answers that are kept for their `Idempotency-Key` may have together. */
  readonly answer_bytes: number;
}

/** Thirteen months: a year can be compared with the year before. */
export const DEFAULT_UPKEEP: UpkeepSettings = { audit_hour: 3, request_days: 396, answer_bytes: 2 ** 30 };

/**
 * How many days counts beside the requests are kept. Daily traffic is never deleted. The console shows a week of vendors' calls and
 * circuits.
 */
export const KEPT_DAYS = {
  traffic_hours: 100,
  refusals: 30,
  vendor_slots: 10,
  circuit_changes: 10,
  deliveries: 30,
  usage_deliveries: 7,
} as const;

/** How many days back hourly reports reach: a few less than are kept, because the oldest hours are deleted one by one. */
export const HOURS_ANSWERED_DAYS = KEPT_DAYS.traffic_hours - 5;

/**
 * How many values of a limit by tag are kept. Where there are more, those that were used longest ago are deleted, and count anew when they come again
 * (docs/rulings.md 176).
 */
export const MOST_TAG_VALUES = 1_000_000;

/** Values of one limit by tag that are no longer needed: none of them was used after a moment. */
export interface UnneededValues {
  readonly account_id: string;
  readonly rule: string;
  readonly values: readonly string[];
  readonly used_until_ms: number;
}

export type ChoreName = "audit" | "retention" | "sums";

/** Days that are summed up together: their number and the first day, of the usage or of the traffic (docs/design/reports.md). */
export interface SummedSpan {
  readonly kind: "usage" | "traffic";
  readonly size: number;
  readonly first_day: number;
}

export interface ChoreState {
  readonly node_id: string;
  readonly started_ms: number;
  /** Null while it is being done. */
  readonly ended_ms: number | null;
  /** The result of its last finished run, as JSON; null before that. */
  readonly result: string | null;
}

/** The progress of noting a month's requests before the month is dropped (docs/adr/0057). */
export interface MonthNotes {
  /** The name of the month's partition. */
  readonly month: string;
  /** How many requests the step has noted; 0: none is left, and the month can be dropped. */
  readonly requests: number;
  /** The id of the last one, from which the next step goes on. */
  readonly last_id: string;
}

/** Work that one node does at a time, in steps that keep no call waiting. */
export interface UpkeepStore {
  /** Null before any node has opened it. */
  readChore(name: ChoreName): Promise<ChoreState | null>;
  /** Notes that a chore exists, as if it had just been done: a new database has nothing to do. */
  openChore(name: ChoreName, node_id: string): Promise<void>;
  /** Takes a chore that was last begun before a moment, or whose node has died over it. False: another node has it. */
  claimChore(name: ChoreName, node_id: string, due_ms: number): Promise<boolean>;
  /** Marks the chore as still in progress on the node; false when another node has taken over. */
  beatChore(name: ChoreName, node_id: string): Promise<boolean>;
  endChore(name: ChoreName, node_id: string, result: string): Promise<void>;
  /**
   * Makes the missing partitions for the requests of the coming months; every node may. With `since_ms` also those from that time on, in a
   * database without requests. False where a lock prevented it: the caller tries again.
   */
  makeMonths(since_ms?: number): Promise<boolean>;
  /**
   * Before the oldest month is dropped whose requests all ended before a moment: notes some of its requests, those after the given id. Null:
   * there is no such month.
   */
  noteMonth(kept_since_ms: number, after_id: string): Promise<MonthNotes | null>;
  /** Drops a noted month with all its receipts. False where a lock prevented it: the caller begins again with the first step. */
  dropMonth(noted: Pick<MonthNotes, "month" | "last_id">, kept_since_ms: number): Promise<boolean>;
  /** Some values of limits by tag whose windows are over, or that are more than are kept; null where there are none. */
  unneededTagValues(most: number): Promise<UnneededValues | null>;
  /** Deletes them, but for those that were used meanwhile. Gives how many it deleted. */
  dropTagValues(unneeded: UnneededValues): Promise<number>;
  /** Deletes a few of the oldest requests that ended before a moment and are in no month that can be dropped, with their receipts. Returns their number; 0: none is left. */
  dropRequests(kept_since_ms: number): Promise<number>;
  /** Forgets a few of the oldest kept answers where all together are larger than allowed. Returns how many. */
  dropAnswers(limit_bytes: number): Promise<number>;
  /** Sums up the next finished requests, at most `limit`, and changes nothing (docs/design/reports.md). */
  readTrafficSlice(asked: TrafficSliceQuery): Promise<TrafficSlice>;
  /** Adds a slice to the traffic. False where another node has counted on since it was read. */
  writeTrafficSlice(slice: TrafficSlice): Promise<boolean>;
  /** Forgets all traffic, so that it is counted anew from the requests that are kept. */
  recountTraffic(): Promise<void>;
  /** Adds refusals to those of their minutes, and to the traffic. */
  writeRefusals(sums: readonly RefusalSum[]): Promise<void>;
  /** Keeps refused requests one by one, each account's newest (`REFUSED_KEPT`). */
  writeRefusedRequests(requests: readonly RefusedRequest[]): Promise<void>;
  /** Deletes some of the oldest refused requests before a time. Returns how many went. */
  dropRefusedRequests(kept_since_ms: number): Promise<number>;
  /** Adds what this node has spent at vendors, and reads what all have on the days around now. */
  shareVendorSpending(added: readonly VendorSpending[]): Promise<SharedSpending>;
  /** Records an incident for a row that is wrong, where there was none for it in the last day. */
  noteWrongRow(row: WrongRow, why: string): Promise<void>;
  /** Every row that was ever found wrong. */
  wrongRows(): Promise<WrongRow[]>;
  /** Adds changes of a node's circuits; a change that is stored already is kept. */
  writeCircuitChanges(node_id: string, changes: readonly CircuitChange[]): Promise<void>;
  /** Deletes some of the oldest changes of circuits before a time. Returns how many went. */
  dropCircuitChanges(kept_since_ms: number): Promise<number>;
  /** Deletes the refusals of the oldest hour before a time. Returns how many hours went. */
  dropRefusals(kept_since_ms: number): Promise<number>;
  /** Deletes the counts of vendors' calls of the oldest hour before a time. Returns the number of deleted hours. */
  dropVendorSlots(kept_since_ms: number): Promise<number>;
  /** Deletes the hours' sums of the oldest hour before a time; days' sums stay. Returns how many hours went. */
  dropTraffic(kept_since_ms: number): Promise<number>;
  /** Closes past days and lists the spans without up-to-date sums, in the order in which they can be made. */
  closeDays(): Promise<readonly SummedSpan[]>;
  /**
   * Sums up a span for a number of its accounts. Returns whether the next step can be done now: false at the end, and where the rest must
   * wait.
   */
  makeSums(span: SummedSpan, accounts?: number): Promise<boolean>;
}

/** The outcome of the last daily audit, as all nodes show it. */
export interface AuditOutcome {
  readonly at_ms: number;
  readonly duration_ms: number;
  readonly accounts: number;
  readonly requests: number;
  readonly problems: number;
  /** The first problems, as sentences. */
  readonly first: readonly string[];
}

export interface AuditState {
  /** The hour, UTC; null where it is switched off. */
  readonly hour: number | null;
  readonly running: boolean;
  /** Null before the first audit. */
  readonly last: AuditOutcome | null;
}
