import Type, { type Static } from "typebox";
import { Currency, Micro, Timestamp } from "./common.ts";

/** How the gateway is: this process, its database and the other processes on it. */

const nullableNumber = Type.Union([Type.Number(), Type.Null()]);

export const GatewayNode = Type.Object({
  id: Type.String(),
  /** When it last said that it lives, by the database's clock. */
  seen_at: Timestamp,
  alive: Type.Boolean(),
  /** Whether it is the one that answers. */
  this: Type.Boolean(),
});
export type GatewayNode = Static<typeof GatewayNode>;

export const SystemHealth = Type.Object({
  /** `down`: the database does not answer, and what is read from it is null. `draining`: it is being stopped. */
  status: Type.Enum(["ok", "draining", "down"]),
  version: Type.String(),
  node: Type.String(),
  host: Type.String(),
  started_at: Timestamp,
  uptime_s: Type.Integer(),
  draining: Type.Boolean(),
  /** API requests that this process is answering, console calls not counted. */
  in_flight: Type.Integer(),
  /** Those of them whose answer is on its way as a stream. */
  active_streams: Type.Integer(),
  currency: Currency,
  /** Newest first; null while the database does not answer. An embedded database has one. */
  nodes: Type.Union([Type.Array(GatewayNode), Type.Null()]),
  ledger: Type.Object({
    /** Operations of this process that wait for a commit or are in one. */
    queue_depth: Type.Integer(),
    /** On the whole database: requests that are held, and the sum of their holds. */
    open_holds: Type.Union([Type.Object({ count: Type.Integer(), sum_micro: Micro }), Type.Null()]),
    /** What all accounts have held; the same as the sum of open holds in sound books. */
    uncollected_micro: Type.Union([Micro, Type.Null()]),
    /** The oldest open hold was taken then. */
    oldest_hold_at: Type.Union([Timestamp, Type.Null()]),
  }),
  database: Type.Object({
    kind: Type.Enum(["sqlite", "postgres"]),
    /** Where it is, never with a password. */
    description: Type.String(),
    /** How long it took to answer just now; null when it did not. */
    ping_ms: nullableNumber,
    /** Why it did not; null when it did. */
    error: Type.Union([Type.String(), Type.Null()]),
  }),
  process: Type.Object({
    pid: Type.Integer(),
    rss_bytes: Type.Integer(),
    heap_used_bytes: Type.Integer(),
    /** How late timers ran during the last ten seconds or so: what requests wait for the processor. */
    event_loop_delay_ms: Type.Object({ mean: nullableNumber, p99: nullableNumber, max: nullableNumber }),
  }),
});
export type SystemHealth = Static<typeof SystemHealth>;
