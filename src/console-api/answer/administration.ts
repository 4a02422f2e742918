import type { ConfigurationChanges } from "../../catalog/configuration/configuration-changes.ts";
import type { Configuration, Vendor } from "../../core/catalog/catalog.ts";
import type { Clock } from "../../core/clock.ts";
import type { AuditState } from "../../core/operations/upkeep.ts";
import type { Store } from "../../core/store/ports.ts";
import type { ConfigurationElements } from "../../pipeline/configuration/configuration-elements.ts";
import type { VendorTestResult } from "../../pipeline/vendors/test-vendor.ts";
import type { VendorCredentials } from "../../pipeline/vendors/vendor-credentials.ts";
import type { Breakers } from "../../routing/breaker.ts";
import type { RouteMeters } from "../../routing/route-meters.ts";
import type { VendorLimitBook } from "../../routing/vendor-limits.ts";

/** The services that administrators use beside accounts: this process, its vendors and its database. */
export interface Administration {
  readonly vendors: VendorCredentials;
  readonly elements: ConfigurationElements;
  readonly breakers: Breakers;
  readonly meters: RouteMeters;
  /** Reads the configuration file again. Rejects with an InvalidConfiguration where it cannot be used. */
  readonly reload: () => Promise<Reloaded>;
  readonly vendor_limits: VendorLimitBook;
  /** Makes one small call to a vendor, which no account is billed for. */
  readonly testVendor: (asked: VendorTestRequest) => Promise<VendorTestResult>;
  readonly store: Pick<Store, "kind" | "description" | "ping" | "conditions" | "state" | "rebuildUsage">;
  readonly ledger: { readonly pending: number };
  readonly gateway: ProcessFacts;
  readonly running: () => CurrentLoad;
  readonly eventLoopDelay: () => EventLoopDelay;
  /** The daily audit of the books. */
  readonly audit: () => AuditState;
  /** The gateway's processes; absent where it is one process, null where this one does not know of the others at the moment. */
  readonly workers?: () => Promise<readonly WorkerState[] | null>;
  readonly clock: Clock;
}

export interface Reloaded extends ConfigurationChanges {
  /** The file that was read; null where there is none. */
  readonly file: string | null;
  /** Sections of the file that differ and are in force only after a restart. */
  readonly after_restart: readonly string[];
  /** Elements of the database that are not in use with this file, each as its kind and its id. */
  readonly left_out: readonly string[];
}

/** A configuration file that cannot take effect; the message says why, for people. */
export class InvalidConfiguration extends Error {
  override readonly name = "InvalidConfiguration";
}

export interface VendorTestRequest {
  readonly vendor: Vendor;
  readonly configuration: Configuration;
  /** A model's id; null: the vendor's cheapest model. */
  readonly model: string | null;
  /** Whether the call tries out a credential that is not in force: its outcome then does not count for the routes. */
  readonly is_trial: boolean;
  /** Which of several credentials the vendor has here; absent where it has one. */
  readonly key?: string | undefined;
}

/** Facts about the process that do not change while it lives. */
interface ProcessFacts {
  readonly version: string;
  readonly node_id: string;
  readonly host: string;
  readonly pid: number;
  readonly started_ms: number;
  readonly body_timeouts: { readonly stall_ms: number; readonly total_ms: number };
}

interface CurrentLoad {
  readonly in_flight: number;
  readonly active_streams: number;
  readonly draining: boolean;
}

/** A process of a gateway that runs as several (docs/adr/0036-workers.md). */
export interface WorkerState {
  /** The worker's number, from 1; null for the process that keeps the embedded database's ledger. */
  readonly worker: number | null;
  readonly state: "starting" | "ready" | "draining" | "down";
  readonly pid: number | null;
  readonly node: string | null;
  readonly started_ms: number | null;
  /** How often a process in this place has ended without an order. */
  readonly restarts: number;
  /** Null where the process said nothing. */
  readonly vitals: {
    readonly in_flight: number;
    readonly active_streams: number;
    readonly queue_depth: number;
    readonly rss_bytes: number;
  } | null;
}

/** Milliseconds; null while nothing was measured. */
export interface EventLoopDelay {
  readonly mean: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}
