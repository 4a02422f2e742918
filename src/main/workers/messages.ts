import type { ServeOptions } from "../../cli/shared/deps.ts";
import type { Environment } from "../../core/environment.ts";
import type { Subject } from "../../core/worker-group.ts";
import type { Banner } from "../greeting/banner.ts";

/** The messages between the supervisor and its processes, over the channel that Bun gives a process and its child. */

/** The part that a process of the gateway is to play. */
export interface Assignment {
  /** The worker's position, from 1; a worker that replaces another takes its position. */
  readonly number: number;
  readonly node_id: string;
  readonly processes: number;
  /** Whether it is the first worker of the gateway's start, which makes the records that exist once. */
  readonly is_first: boolean;
  /** The ports that the first one has found; null for the first one. */
  readonly ports: Ports | null;
  /** The socket of the ledger's process; null where each worker has its own connections to a server. */
  readonly ledger_socket: string | null;
  readonly given: ServeInput;
}

/** The work of the ledger's process. */
export interface LedgerAssignment {
  readonly path: string;
  readonly socket: string;
  /** The workers that live: their holds are theirs to end. */
  readonly living: readonly string[];
  readonly given: ServeInput;
}

/** The options and variables with which `camino serve` was started. */
export interface ServeInput {
  readonly options: ServeOptions;
  readonly env: Environment;
  readonly version: string;
}

export interface Ports {
  readonly port: number;
  /** The operations endpoints' own; null where they have none. */
  readonly operations_port: number | null;
}

/** A subject, a name, and how often it was sent. */
export type SubjectCount = readonly [subject: Subject, name: string, count: number];

/** The figures of a process at one moment. */
export interface Vitals {
  readonly in_flight: number;
  readonly active_streams: number;
  readonly queue_depth: number;
  readonly rss_bytes: number;
}

/** The report of a process on itself. */
export interface OwnReport {
  /** Its metrics, as text. */
  readonly metrics: string;
  readonly vitals: Vitals;
}

/** A process as the supervisor knows it. `own`: null where it does not run, or did not say anything in time. */
export interface ProcessReport {
  /** Null for the ledger's process. */
  readonly number: number | null;
  readonly state: ProcessState;
  /** Null where none runs. */
  readonly pid: number | null;
  readonly node_id: string | null;
  /** Unix time of the process's start; null where none runs. */
  readonly started_ms: number | null;
  /** How often a process in this place has ended without an order. */
  readonly restarts: number;
  readonly own: OwnReport | null;
}

export type ProcessState = "starting" | "ready" | "draining" | "down";

export type ToProcess =
  | { readonly kind: "serve"; readonly assignment: Assignment }
  | { readonly kind: "keep ledger"; readonly assignment: LedgerAssignment }
  /** End in good order; a second one: at once. */
  | { readonly kind: "stop" }
  | { readonly kind: "report"; readonly id: number }
  | { readonly kind: "reports"; readonly id: number; readonly reports: readonly ProcessReport[] }
  /** Ends the holds of workers whose processes have ended. */
  | { readonly kind: "bury"; readonly nodes: readonly string[] }
  | { readonly kind: "counts"; readonly counts: readonly SubjectCount[] };

export type FromProcess =
  | { readonly kind: "ready"; readonly started: Started }
  /** It could not start: a sentence for the operator. */
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "stopping" }
  | { readonly kind: "report"; readonly id: number; readonly report: OwnReport }
  /** Asks for the reports of all. */
  | { readonly kind: "ask"; readonly id: number }
  | { readonly kind: "buried"; readonly nodes: readonly string[] }
  | { readonly kind: "counts"; readonly counts: readonly SubjectCount[] };

/** The results of the first worker's start. */
export interface Started {
  readonly ports: Ports;
  /** For the person who started the gateway; null from the ledger's process. */
  readonly banner: Banner | null;
}
