import type { BilledEndpoint, ErrorStyle } from "../core/endpoints.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import type { FinishedRequest } from "../observe/access-log.ts";
import { answerAccountRoute } from "./account-routes.ts";
import { answerConsoleApi } from "./console-route.ts";
import type { EdgeDeps, EdgeRequest } from "./context.ts";
import { answerBilled } from "./billed-route.ts";
import { decisionRoute } from "./decision-route.ts";
import { answerCountTokens } from "./count-tokens-route.ts";
import type { BilledRoute, CallDesk } from "./edge-call.ts";
import { generationRoute } from "./generation-route.ts";
import { answerOperations } from "./operations-routes.ts";
import { requestIdsOf } from "./request-ids.ts";
import { errorResponse } from "./respond.ts";
import { matchRoute, type RouteMatch, type RouteRow } from "./routes.ts";
import { splitUrl } from "./split-url.ts";

/** Bun's own limit on a connection that neither sends nor takes anything; requests in flight have their own timers. */
const IDLE_SECONDS = 75;
/** Bun's largest: longer than a vendor may stay silent. */
const STREAM_IDLE_SECONDS = 255;
const FLUSH_MS = 250;

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly hostname: string;
  /** Stops accepting, waits for what is running (at most `patience_ms`), then cuts what is left. */
  drain(patience_ms: number): Promise<void>;
  /** Cuts everything at once. */
  cut(): void;
  /** What it is doing now: console calls are not counted. */
  state(): { readonly in_flight: number; readonly draining: boolean };
}

/** Starts listening. Throws when the address cannot be had. */
export function startServer(deps: EdgeDeps, address: { hostname: string; port: number }): RunningServer {
  const edge = new Edge(deps);
  const server = Bun.serve({
    hostname: address.hostname,
    port: address.port,
    idleTimeout: IDLE_SECONDS,
    // The edge has its own limit, with an answer in the client's style. What no route reads is not kept either way.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request, bun) => edge.answer(request, bun),
    error: (thrown) => edge.answerFailure(thrown),
  });
  return {
    url: `http://${server.hostname}:${server.port}`,
    port: server.port ?? address.port,
    hostname: server.hostname ?? address.hostname,
    drain: (patience_ms) => edge.drain(server, patience_ms),
    cut: () => void server.stop(true),
    state: () => edge.state(),
  };
}

type BunServer = Bun.Server<undefined>;

/** The edge's state: how many requests are in flight, and whether it is closing. */
class Edge {
  readonly #deps: EdgeDeps;
  readonly #billed: Readonly<Record<BilledEndpoint, CallDesk>>;
  #in_flight = 0;
  #draining = false;
  #onIdle: (() => void) | null = null;

  constructor(deps: EdgeDeps) {
    const { pipeline, protocols, decisions } = deps;
    this.#deps = deps;
    this.#billed = {
      "chat.completions": this.#deskOf(generationRoute(pipeline, protocols["chat.completions"])),
      responses: this.#deskOf(generationRoute(pipeline, protocols.responses)),
      messages: this.#deskOf(generationRoute(pipeline, protocols.messages)),
      decisions: this.#deskOf(decisionRoute(pipeline, decisions.decisions)),
      systemone: this.#deskOf(decisionRoute(pipeline, decisions.systemone)),
    };
    deps.metrics.gauge("camino_requests_in_flight", "API requests that are being answered.", () => this.#in_flight);
  }

  state(): { in_flight: number; draining: boolean } {
    return { in_flight: this.#in_flight, draining: this.#draining };
  }

  answer(request: Request, server: BunServer): Response | Promise<Response> {
    const url = splitUrl(request.url);
    const { path } = url;
    if (path === "/console/api" || path.startsWith("/console/api/")) {
      const peer = server.requestIP(request)?.address ?? null;
      return answerConsoleApi(this.#deps, { request, url, ids: requestIdsOf(request.headers), peer });
    }
    if (path === "/console" || path.startsWith("/console/")) return this.#deps.consolePages.answer(request, path);
    const match = matchRoute(path);
    if (match === null) return refuse(request, styleBelow(path, request.headers), notFound(request.method, path));
    // The runtime leaves the body of an answer to HEAD out by itself.
    const method = request.method === "HEAD" ? "GET" : request.method;
    if (method !== match.row.method)
      return refuse(request, styleOf(match.row, request.headers), methodNotAllowed(request.method, match));
    return this.#dispatch(request, match, url.query, server);
  }

  /** The last resort: whatever was thrown past the routes. */
  answerFailure(thrown: unknown): Response {
    this.#deps.log.error({ err: thrown }, "a request failed outside its route");
    const ids = { own: "req_unknown", client: null, shown: "req_unknown" };
    return errorResponse(toGatewayError(thrown), { ids, style: "a", rate: null, style_b_not_found: false });
  }

  async drain(server: BunServer, patience_ms: number): Promise<void> {
    this.#draining = true;
    const stopped = server.stop();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    if (this.#in_flight === 0) resolve();
    const timer = setTimeout(resolve, patience_ms);
    await promise;
    clearTimeout(timer);
    // Idle keep-alive connections do not count as running; what was just answered gets a moment to leave.
    await Promise.race([stopped, Bun.sleep(FLUSH_MS)]);
    await server.stop(true);
  }

  #dispatch(request: Request, match: RouteMatch, query: string, server: BunServer): Response | Promise<Response> {
    const { name } = match.row;
    switch (name) {
      case "chat.completions":
      case "responses":
      case "messages":
      case "decisions":
      case "systemone":
        server.timeout(request, STREAM_IDLE_SECONDS);
        return this.#answerBilled(request, this.#billed[name]);
      case "messages.count_tokens":
        return this.#tracked(edgeRequest(request, match, query), answerCountTokens);
      case "models.list":
      case "models.retrieve":
      case "usage":
      case "credits":
      case "requests.retrieve":
        return this.#tracked(edgeRequest(request, match, query), answerAccountRoute);
      case "healthz":
      case "readyz":
      case "metrics":
      case "openapi":
      case "docs":
        return answerOperations(this.#deps, edgeRequest(request, match, query), this.#draining);
    }
  }

  /** A billed request: in flight until its answer's last byte is on its way. */
  #answerBilled(request: Request, desk: CallDesk): Promise<Response> {
    this.#in_flight += 1;
    return answerBilled(this.#deps, desk, request);
  }

  #deskOf(route: BilledRoute): CallDesk {
    const { authenticator, metrics } = this.#deps;
    const { endpoint } = route;
    const onEnd: CallDesk["onEnd"] = ({ ids, notes, arrived_ms }, status) => {
      const duration_ms = performance.now() - arrived_ms;
      this.#finished({ request_id: ids.own, endpoint, status, model: notes.model, duration_ms });
      if (notes.first_byte_ms !== null) metrics.first_byte.add(notes.first_byte_ms / 1000, endpoint);
    };
    return { route, authenticator, onEnd };
  }

  async #tracked(edge: EdgeRequest, work: (deps: EdgeDeps, edge: EdgeRequest) => Promise<Response>): Promise<Response> {
    this.#in_flight += 1;
    const response = await work(this.#deps, edge);
    const { ids, match, arrived_ms } = edge;
    const duration_ms = performance.now() - arrived_ms;
    this.#finished({
      request_id: ids.own,
      endpoint: match.row.name,
      status: response.status,
      model: null,
      duration_ms,
    });
    return response;
  }

  #finished(request: FinishedRequest): void {
    this.#in_flight -= 1;
    if (this.#in_flight === 0) this.#onIdle?.();
    const { metrics, access_log } = this.#deps;
    const { endpoint } = request;
    metrics.requests.add(1, endpoint, String(request.status));
    metrics.request_duration.add(request.duration_ms / 1000, endpoint);
    access_log.finished(request);
  }
}

function edgeRequest(request: Request, match: RouteMatch, query: string): EdgeRequest {
  const { headers } = request;
  const arrived_ms = performance.now();
  return { request, ids: requestIdsOf(headers), match, error_style: styleOf(match.row, headers), query, arrived_ms };
}

function refuse(request: Request, style: ErrorStyle, error: GatewayError): Response {
  return errorResponse(error, { ids: requestIdsOf(request.headers), style, rate: null, style_b_not_found: false });
}

/** The style for a path that is not there. */
function styleBelow(path: string, headers: Headers): ErrorStyle {
  return path.startsWith("/v1/messages") || prefersStyleB(headers) ? "b" : "a";
}

/** The style that every error of this request is told in, chosen before anything else is looked at. */
function styleOf(row: RouteRow, headers: Headers): ErrorStyle {
  if (row.error_style !== "by-header") return row.error_style;
  return prefersStyleB(headers) ? "b" : "a";
}

/** A non-empty `x-api-key` chooses style B, also beside a bearer (docs/rulings.md 16). */
function prefersStyleB(headers: Headers): boolean {
  return (headers.get("x-api-key") ?? "") !== "";
}

function notFound(method: string, path: string): GatewayError {
  return new GatewayError(
    "not_found",
    `There is no ${method} ${path.slice(0, 200)} here. See /docs for what there is.`,
  );
}

function methodNotAllowed(method: string, { row }: RouteMatch): GatewayError {
  return new GatewayError("method_not_allowed", `${row.path} does not take ${method}; it takes ${row.method}.`, {
    headers: { allow: row.method },
  });
}
