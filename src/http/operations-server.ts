import { GatewayError, toGatewayError } from "../core/errors.ts";
import { BodyRoom } from "../wire/server/body-room.ts";
import type { IncomingRequest } from "../wire/server/incoming-request.ts";
import { type RequestHandler, type ServerAddress, WireServer } from "../wire/server/wire-server.ts";
import type { EdgeDeps, EdgeRequest } from "./context.ts";
import { answerOperations } from "./operations-routes.ts";
import { matchRoute, type RouteName } from "./paths/routes.ts";
import { requestIdsOf } from "./request-ids.ts";
import { refusalOf } from "./respond.ts";

/** A server for health, readiness and metrics alone, at a port of their own. */
export interface OperationsServer {
  readonly url: string;
  readonly port: number;
  /** Closes all connections at once. */
  cut(): void;
}

const SERVED: ReadonlySet<RouteName> = new Set<RouteName>(["healthz", "readyz", "metrics"]);

/** Starts to listen. `isDraining`: whether the gateway stops. Throws when the address is not available. */
export function startOperationsServer(
  deps: EdgeDeps,
  address: ServerAddress,
  isDraining: () => boolean,
): OperationsServer {
  // This port answers what the gateway's own port then does not.
  const here: EdgeDeps = { ...deps, operations: { ...deps.operations, apart: false } };
  const handler: RequestHandler = {
    most_body_bytes: 0,
    bodies: new BodyRoom("all", 0),
    handle: (request) => void answer(here, request, isDraining()),
    refuse: (_first_line, error) => refusalOf(error),
    failed: (thrown) => deps.log.error({ err: thrown }, "an answer could not be sent"),
  };
  const server = new WireServer(handler, deps.client_timeouts, address);
  const { hostname, port } = server;
  const url = `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
  return { url, port, cut: () => server.cut() };
}

async function answer(deps: EdgeDeps, request: IncomingRequest, draining: boolean): Promise<void> {
  const { head } = request;
  try {
    const match = matchRoute(head.path, "GET");
    if (match === null || !SERVED.has(match.row.name)) {
      const told = "Here are /healthz, /readyz and /metrics alone.";
      return request.answer(refusalOf(new GatewayError("not_found", told), head));
    }
    if (head.method !== "GET" && head.method !== "HEAD") {
      const told = `${match.row.path} takes GET, not ${head.method}.`;
      return request.answer(
        refusalOf(new GatewayError("method_not_allowed", told, { headers: { allow: "GET" } }), head),
      );
    }
    const edge: EdgeRequest = {
      ...{ request, ids: requestIdsOf(head), match, error_style: "a", query: head.query },
      ...{ arrived_ms: 0, rate_holder: { rate: null } },
    };
    request.answer(await answerOperations(deps, edge, draining));
  } catch (thrown) {
    deps.log.error({ err: thrown }, "a request failed outside its route");
    request.answer(refusalOf(toGatewayError(thrown), head));
  }
}
