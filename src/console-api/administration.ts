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
  /** One small call that is not billed. */
  readonly testVendor: (asked: VendorTestRequest) => Promise<VendorTestResult>;
  readonly store: Pick<Store, "kind" | "description" | "ping" | "state">;
  readonly ledger: { readonly pending: number };
  readonly gateway: GatewayFacts;
  readonly running: () => RunningNow;
  readonly eventLoopDelay: () => EventLoopDelay;
  readonly clock: Clock;
}

export interface VendorTestRequest {
  readonly vendor: Vendor;
  /** The one with that vendor and its models. */
  readonly configuration: Configuration;
  /** Null: the vendor's cheapest. */
  readonly model: string | null;
  /** Whether a credential is tried out that is not in force: then nothing is recorded of the routes. */
  readonly is_trial: boolean;
}

/** What does not change while the process lives. */
export interface GatewayFacts {
  readonly version: string;
  readonly node_id: string;
  readonly host: string;
  readonly pid: number;
  readonly started_ms: number;
  readonly body_timeouts: { readonly stall_ms: number; readonly total_ms: number };
}

export interface RunningNow {
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
