import type { AuditState } from "../core/audit-outcome.ts";
import type { Configuration, Vendor } from "../core/catalog.ts";
import type { Clock } from "../core/clock.ts";
import type { Store } from "../core/ports.ts";
import type { VendorTestResult } from "../pipeline/vendors/test-vendor.ts";
import type { VendorCredentials } from "../pipeline/vendors/vendor-credentials.ts";
import type { Breakers } from "../routing/breaker.ts";
import type { RouteMeters } from "../routing/route-meters.ts";

/** What administrators look at and change beside accounts: this process, its vendors and its database. */
export interface Administration {
  readonly vendors: VendorCredentials;
  readonly breakers: Breakers;
  readonly meters: RouteMeters;
  /** Makes one small call to a vendor, which no account is billed for. */
  readonly testVendor: (asked: VendorTestRequest) => Promise<VendorTestResult>;
  readonly store: Pick<Store, "kind" | "description" | "ping" | "conditions" | "state" | "rebuildUsage">;
  readonly ledger: { readonly pending: number };
  readonly gateway: GatewayFacts;
  readonly running: () => CurrentLoad;
  readonly eventLoopDelay: () => EventLoopDelay;
  /** The daily audit of the books. */
  readonly audit: () => AuditState;
  readonly clock: Clock;
}

export interface VendorTestRequest {
  readonly vendor: Vendor;
  /** The configuration that has the vendor and its models. */
  readonly configuration: Configuration;
  /** A model's id; null: the vendor's cheapest model. */
  readonly model: string | null;
  /** Whether the call tries out a credential that is not in force: its outcome then does not count for the routes. */
  readonly is_trial: boolean;
}

/** Facts about the process that do not change while it lives. */
export interface GatewayFacts {
  readonly version: string;
  readonly node_id: string;
  readonly host: string;
  readonly pid: number;
  readonly started_ms: number;
  readonly body_timeouts: { readonly stall_ms: number; readonly total_ms: number };
}

export interface CurrentLoad {
  readonly in_flight: number;
  readonly active_streams: number;
  readonly draining: boolean;
}

/** Milliseconds; null while nothing was measured. */
export interface EventLoopDelay {
  readonly mean: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}
