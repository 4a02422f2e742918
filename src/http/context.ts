import type { Authenticator } from "../access/authenticator.ts";
import type { ConsoleAnswer, RawConsoleRequest } from "../core/answer/console-exchange.ts";
import type { DecisionClientProtocol } from "../core/answer/decision.ts";
import type { EndpointProtocol } from "../core/answer/exchange.ts";
import type { ErrorStyle } from "../core/endpoints.ts";
import type { Store } from "../core/store/ports.ts";
import type { WorkerGroup } from "../core/worker-group.ts";
import type { AccessLog } from "../observe/access-log.ts";
import type { Tracing } from "../observe/call-trace.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { RefusalBook } from "../observe/refusal-book.ts";
import type { PipelineDeps } from "../pipeline/call/deps.ts";
import type { ClientTimeouts } from "../wire/server/client-timeouts.ts";
import type { IncomingRequest } from "../wire/server/incoming-request.ts";
import type { ConsolePages } from "./console-pages.ts";
import type { KeyGate } from "./gate/key-gate.ts";
import type { RateHolder } from "./gate/read-gate.ts";
import type { OperationsAccess } from "./operations-access.ts";
import type { RouteMatch } from "./paths/routes.ts";
import type { RequestIds } from "./request-ids.ts";

/** The dependencies of the edge, made once by the composition root. */
export interface EdgeDeps {
  readonly pipeline: PipelineDeps;
  readonly authenticator: Authenticator;
  readonly store: Store;
  /** The billed endpoints whose requests are relayed to vendors or translated for them, by their names: a row is an endpoint (docs/adr/0079). */
  readonly protocols: Readonly<Record<string, EndpointProtocol>>;
  readonly decisions: Readonly<Record<string, DecisionClientProtocol>>;
  /** Answers requests under `/console/api/`; does not depend on HTTP types. */
  readonly consoleApi: (request: RawConsoleRequest) => Promise<ConsoleAnswer>;
  /** The web console's own files, under `/console/`, and the documents' pages under `/docs/guide/`. */
  readonly consolePages: ConsolePages;
  readonly log: Log;
  readonly access_log: AccessLog;
  readonly metrics: Metrics;
  /** Absent where no traces are made. */
  readonly tracing?: Tracing;
  readonly version: string;
  readonly client_timeouts: ClientTimeouts;
  readonly operations: OperationsAccess;
  /** Takes the refusals of known keys; absent where refusals are not counted. */
  readonly refusals?: RefusalBook;
  /** The gateway's other processes; absent where there are none. */
  readonly workers?: WorkerGroup;
  /** The metrics of all of the gateway's processes, as text; absent: of this one. */
  readonly allMetrics?: () => Promise<string>;
}

/** The dependencies of the routes: those of the edge, and the parts that the edge makes for itself. */
export interface RouteDeps extends EdgeDeps {
  readonly gate: KeyGate;
}

/** A request with what the edge has found out about it. */
export interface EdgeRequest {
  readonly request: IncomingRequest;
  readonly ids: RequestIds;
  readonly match: RouteMatch;
  readonly error_style: ErrorStyle;
  readonly query: string;
  /** Monotonic time of arrival. */
  readonly arrived_ms: number;
  /** Filled in while the request runs, for the headers of its answer. */
  readonly rate_holder: RateHolder;
}
