import type { ClientTimeouts } from "../wire/server/client-timeouts.ts";

/**
 * Times that docs/rulings.md fixes and no configuration changes. Tests that wait for them run a gateway with shorter
 * times.
 */
export interface Timings {
  /** How long a route is not used after its circuit opened. */
  readonly breaker_pause_ms: number;
  readonly client: ClientTimeouts;
  /** How long open requests may continue after SIGTERM. */
  readonly drain_patience_ms: number;
  /** How often a node looks whether the books are to be audited, or something old to be deleted. */
  readonly upkeep_every_ms: number;
  /** How often a node sums up the requests that have ended. */
  readonly traffic_every_ms: number;
  readonly alerts_every_ms: number;
  /** How often it is looked for what waits to be sent, and how long it waits after a first try that failed. */
  readonly deliveries: { readonly every_ms: number; readonly first_wait_ms: number };
}

export const TIMINGS: Timings = {
  breaker_pause_ms: 30_000,
  client: {
    head_ms: 15_000,
    stall_ms: 30_000,
    total_ms: 120_000,
    idle_ms: 75_000,
    unread_ms: 255_000,
    beat_ms: 15_000,
  },
  drain_patience_ms: 120_000,
  upkeep_every_ms: 30_000,
  traffic_every_ms: 5_000,
  alerts_every_ms: 15_000,
  deliveries: { every_ms: 5_000, first_wait_ms: 15_000 },
};
