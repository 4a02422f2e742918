import Type, { type Static } from "typebox";
import { Currency, closed, Micro, oneOf, orNull, Timestamp } from "./common.ts";

/** The health of the gateway: this process, its database and the other processes on that database. */

const nullableNumber = orNull(Type.Number());

export const GatewayNode = Type.Object({
  id: Type.String(),
  /** The time of the node's last sign of life, by the database's clock. */
  seen_at: Timestamp,
  alive: Type.Boolean(),
  /** Whether this node sends the answer. */
  this: Type.Boolean(),
});
export type GatewayNode = Static<typeof GatewayNode>;

/** A process of a gateway that runs as several. */
export const WorkerHealth = Type.Object({
  /** The worker's number, from 1; null for the process that keeps the embedded database's ledger. */
  worker: orNull(Type.Integer()),
  /** `draining`: it finishes its running requests, and another process has its place or will have it. `down`: no process is in this place. */
  state: Type.Enum(["starting", "ready", "draining", "down"]),
  /** Whether this process sends the answer. */
  this: Type.Boolean(),
  pid: orNull(Type.Integer()),
  node: orNull(Type.String()),
  started_at: orNull(Timestamp),
  uptime_s: orNull(Type.Integer()),
  /** How often a process in this place has ended without having been told to, since the gateway was started. */
  restarts: Type.Integer(),
  /** Null where the process did not answer. */
  in_flight: orNull(Type.Integer()),
  active_streams: orNull(Type.Integer()),
  queue_depth: orNull(Type.Integer()),
  rss_bytes: orNull(Type.Integer()),
});
export type WorkerHealth = Static<typeof WorkerHealth>;

/** The audit of the books that the gateway makes once a day. */
export const DailyAudit = Type.Object({
  /** The hour, UTC; null where it is switched off. */
  hour: orNull(Type.Integer()),
  /** Whether this node is at it. */
  running: Type.Boolean(),
  /** Null before the first audit. */
  last: orNull(
    Type.Object({
      at: Timestamp,
      duration_ms: Type.Integer(),
      accounts: Type.Integer(),
      requests: Type.Integer(),
      problems: Type.Integer(),
      /** The first problems, as sentences. */
      first: Type.Array(Type.String()),
    }),
  ),
});
export type DailyAudit = Static<typeof DailyAudit>;

export const SystemHealth = Type.Object({
  /** `down`: the database does not answer, and all that is read from it is null. `draining`: it is being stopped. */
  status: Type.Enum(["ok", "draining", "down"]),
  version: Type.String(),
  node: Type.String(),
  host: Type.String(),
  started_at: Timestamp,
  uptime_s: Type.Integer(),
  draining: Type.Boolean(),
  /** API requests that the gateway is answering, in all of its processes, without console calls. */
  in_flight: Type.Integer(),
  /** The requests of `in_flight` whose answer is being streamed. */
  active_streams: Type.Integer(),
  currency: Currency,
  /** The nodes, newest first; null while the database does not answer. An embedded database has one node. */
  nodes: orNull(Type.Array(GatewayNode)),
  /** The gateway's processes; null where it is one, or where this one cannot ask the others. */
  workers: orNull(Type.Array(WorkerHealth)),
  ledger: Type.Object({
    /** Ledger operations of all processes of this gateway that wait for a commit or are in a running commit. */
    queue_depth: Type.Integer(),
    /** Of all nodes together: requests with an open hold, and the sum of their holds. */
    open_holds: orNull(Type.Object({ count: Type.Integer(), sum_micro: Micro })),
    /** The sum of all accounts' held amounts. In sound books it equals the sum of open holds. */
    uncollected_micro: orNull(Micro),
    /** The time at which the oldest open hold was taken. */
    oldest_hold_at: orNull(Timestamp),
    /** Incidents with the books that nobody has closed; the audit lists them. */
    open_incidents: orNull(Type.Integer()),
  }),
  audit: DailyAudit,
  /** Elements of the configuration that are stored and not in force, as they do not fit: how many, and the first names. */
  left_out: Type.Object({ count: Type.Integer(), first: Type.Array(Type.String()) }),
  database: Type.Object({
    kind: Type.Enum(["sqlite", "postgres"]),
    /** The database's address, never with a password. */
    description: Type.String(),
    /** How long the database took to answer just now; null when it did not answer. */
    ping_ms: nullableNumber,
    /** Why the database could not be used; null when it could. */
    error: orNull(Type.String()),
    /** The trouble of a database that cannot be used, where it is known: the database may answer, and take no changes. */
    trouble: orNull(Type.Enum(["unreachable", "silent", "busy", "read_only", "disk_full", "other_database"])),
    /** Settings of the database that put acknowledged commits at risk, as sentences; empty where all is well. */
    warnings: Type.Array(Type.String()),
  }),
  process: Type.Object({
    pid: Type.Integer(),
    rss_bytes: Type.Integer(),
    heap_used_bytes: Type.Integer(),
    /** How late timers ran during about the last ten seconds: the time that requests wait for the processor. */
    event_loop_delay_ms: Type.Object({ mean: nullableNumber, p99: nullableNumber, max: nullableNumber }),
  }),
});
export type SystemHealth = Static<typeof SystemHealth>;

export const VendorHistoryQuery = closed({
  /** The last 24 hours in steps of 15 minutes (default), or the last seven days in steps of two hours. */
  range: Type.Optional(oneOf(["day", "week"])),
  /** `csv` answers `text/csv` as a download: a row for each vendor, step and error. */
  format: Type.Optional(oneOf(["json", "csv"])),
});
export type VendorHistoryQuery = Static<typeof VendorHistoryQuery>;

const calls = {
  calls: Type.Integer(),
  /** Calls that failed by the vendor's fault: with 429, or with 500 and above. */
  failed: Type.Integer(),
  /** How many calls ended with each error, bad requests included. */
  errors: Type.Record(Type.String(), Type.Integer()),
  /** Means over calls that did not fail. */
  first_byte_ms: nullableNumber,
  total_ms: nullableNumber,
};

/** `GET /health/vendors`: what became of vendors' calls, on all nodes, also before this process was started. */
export const VendorHistory = Type.Object({
  object: Type.Literal("vendor_history"),
  since: Timestamp,
  step_s: Type.Integer(),
  /** How many steps there are up to now, the current one included. */
  step_count: Type.Integer(),
  /** Calls of requests that ended before are counted; null before the first count. */
  counted_until: orNull(Timestamp),
  vendors: Type.Array(
    Type.Object({
      vendor: Type.String(),
      ...calls,
      /** In order, without steps in which nothing was called. `step` counts from 0. */
      steps: Type.Array(Type.Object({ step: Type.Integer(), ...calls })),
      routes: Type.Array(Type.Object({ upstream_model: Type.String(), ...calls })),
    }),
  ),
});
export type VendorHistory = Static<typeof VendorHistory>;

export const CircuitHistoryQuery = closed({
  /** The last 24 hours (default), or the last seven days. */
  range: Type.Optional(oneOf(["day", "week"])),
  vendor: Type.Optional(Type.String({ maxLength: 200, description: "a vendor's id" })),
  /** `csv` answers `text/csv` as a download: the newest 5000 changes. */
  format: Type.Optional(oneOf(["json", "csv"])),
});
export type CircuitHistoryQuery = Static<typeof CircuitHistoryQuery>;

/** `GET /health/circuits`: when circuits opened and closed on all nodes, also on those that have ended; the newest 200. */
export const CircuitHistory = Type.Object({
  object: Type.Literal("list"),
  since: Timestamp,
  data: Type.Array(
    Type.Object({
      at: Timestamp,
      /** The node of the circuit: each node has its own. */
      node: Type.String(),
      vendor: Type.String(),
      upstream_model: Type.String(),
      /** The account that alone was kept from the route; null: everybody. */
      account: orNull(Type.String()),
      account_email: orNull(Type.String()),
      state: Type.Enum(["opened", "closed"]),
      /**
       * Opened: no connection was made several times in a row (`unreachable`), or half of the attempts failed (`failures`).
       * Closed: a call was answered, a test was, the credential has changed, or it opened `for_everybody` instead.
       */
      reason: Type.Enum(["unreachable", "failures", "answered", "tested", "credential", "for_everybody"]),
      /** The number of attempts that opened the circuit; 0 where it closed. */
      attempts: Type.Integer(),
      failures: Type.Integer(),
    }),
  ),
  has_more: Type.Boolean(),
});
export type CircuitHistory = Static<typeof CircuitHistory>;
