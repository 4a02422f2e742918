import type { ClientHeaders } from "../core/answer/exchange.ts";
import type { ErrorStyle } from "../core/endpoints.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { ALONE } from "../core/worker-group.ts";
import type { FinishedRequest } from "../observe/access-log.ts";
import { BodyRoom } from "../wire/server/body-room.ts";
import type { IncomingRequest } from "../wire/server/incoming-request.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { type RequestHandler, type ServerAddress, WireServer } from "../wire/server/wire-server.ts";
import { answerAccountRoute } from "./account-routes.ts";
import { type BilledRoute, decisionRoute, generationRoute } from "./billed-endpoints.ts";
import { answerBilled } from "./billed-route.ts";
import { isBrowserAtRoot } from "./console-pages.ts";
import { answerConsoleApi } from "./console-route.ts";
import type { EdgeDeps, EdgeRequest, RouteDeps } from "./context.ts";
import { Cors } from "./cors.ts";
import { answerCountTokens } from "./count-tokens-route.ts";
import type { EndpointContext } from "./edge-call.ts";
import { allBodyBytes, memoryBytes } from "./gate/body-bounds.ts";
import { KeyGate } from "./gate/key-gate.ts";
import type { RateHolder } from "./gate/read-gate.ts";
import { ARRAY_STREAM, wantsArrayStream } from "./gemini-address.ts";
import { isGuide } from "./guide-pages.ts";
import { answerOperations } from "./operations-routes.ts";
import { matchRoute, methodsOf, type RouteMatch, type RouteName, type RouteRow } from "./paths/routes.ts";
import { requestIdsOf } from "./request-ids.ts";
import { refusalOf } from "./respond.ts";
import { answerStoredResponse } from "./stored-response-routes.ts";

const FLUSH_MS = 250;
/**
 * How long a request that was sent before the sender heard of the end is still taken: one that a balancer has put on a kept connection in the moment
 * of the signal lies in the system's buffers, and would be lost with the connection.
 */
const ON_THEIR_WAY_MS = 100;
/** At least what the console API takes of a body. */
const MOST_CONSOLE_BYTES = 1024 * 1024;

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly hostname: string;
  /** Stops accepting, waits at most `patience_ms` for running requests, then closes the remaining connections. */
  drain(patience_ms: number): Promise<void>;
  /** Closes all connections at once. */
  cut(): void;
  /** How many requests are running, without console calls, and whether the server drains. */
  state(): { readonly in_flight: number; readonly draining: boolean };
}

/** Starts to listen. Throws when the address is not available. */
export function startServer(deps: EdgeDeps, address: ServerAddress): RunningServer {
  const edge = new Edge(deps);
  const server = new WireServer(edge, deps.client_timeouts, address);
  const { hostname, port } = server;
  return {
    url: `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`,
    port,
    hostname,
    drain: (patience_ms) => edge.drain(server, patience_ms),
    cut: () => server.cut(),
    state: () => edge.state(),
  };
}

/** The state of the edge: how many requests are in flight, and whether it is draining. */
class Edge implements RequestHandler {
  readonly #deps: RouteDeps;
  readonly bodies: BodyRoom;
  /** The billed endpoints by the names of their routes. */
  readonly #billed: Readonly<Partial<Record<string, EndpointContext>>>;
  readonly #cors: Cors | null;
  #in_flight = 0;
  #draining = false;
  #onIdle: (() => void) | null = null;

  constructor(deps: EdgeDeps) {
    const { pipeline, protocols, decisions, workers = ALONE } = deps;
    const { body_bytes } = pipeline.configuration.limits;
    this.bodies = new BodyRoom("all", allBodyBytes(body_bytes, memoryBytes(), workers.processes));
    const gate = new KeyGate({ pipeline, accounts: deps.store.accounts, metrics: deps.metrics, workers });
    this.#deps = { ...deps, gate };
    this.#cors = Cors.of(pipeline.configuration);
    const billed = [
      ...Object.entries(protocols).map(([name, protocol]) => [name, generationRoute(pipeline, protocol)] as const),
      ...Object.values(decisions).map((protocol) => [protocol.endpoint, decisionRoute(pipeline, protocol)] as const),
    ];
    this.#billed = Object.fromEntries(billed.map(([name, route]) => [name, this.#contextOf(route)]));
    deps.metrics.gauge("camino_requests_in_flight", "API requests that are being answered.", () => this.#in_flight);
    deps.metrics.gauge(
      "camino_unfinished_body_bytes",
      "Bytes of request bodies that have not arrived completely.",
      () => this.bodies.used_bytes,
    );
  }

  state(): { in_flight: number; draining: boolean } {
    return { in_flight: this.#in_flight, draining: this.#draining };
  }

  /** The operator sets the limit of the billed routes, which may be below the console's. */
  get most_body_bytes(): number {
    return Math.max(this.#deps.pipeline.configuration.limits.body_bytes, MOST_CONSOLE_BYTES);
  }

  handle(request: IncomingRequest): void {
    const { path, method } = request.head;
    if (this.#cors !== null) {
      request.more_lines = this.#cors.linesFor(request.head);
      const allowed = this.#cors.preflight(request.head);
      if (allowed !== null) return request.answer(allowed);
    }
    // The connection leaves out the body of an answer to HEAD.
    const match = matchRoute(path, method === "HEAD" ? "GET" : method);
    const endpoint_context = match === null ? undefined : this.#billed[billedName(match.row.name, request.head.query)];
    if (endpoint_context === undefined || match?.row.method !== request.head.method) {
      void this.#answerOther(request, match);
    } else {
      this.#in_flight += 1;
      void answerBilled(this.#deps, endpoint_context, request);
    }
  }

  refuse(first_line: string, error: GatewayError): ServerAnswer {
    const [, path = ""] = first_line.split(" ");
    const answer = refusalOf(error, NO_HEADERS, styleBelow(path, NO_HEADERS));
    const lines = this.#cors?.unreadLines ?? "";
    return lines === "" ? answer : { ...answer, headers: answer.headers + lines };
  }

  failed(thrown: unknown): void {
    this.#deps.log.error({ err: thrown }, "an answer could not be sent");
  }

  async #answerOther(request: IncomingRequest, match: RouteMatch | null): Promise<void> {
    let answer: ServerAnswer;
    try {
      answer = await this.#route(request, match);
    } catch (thrown) {
      this.#deps.log.error({ err: thrown }, "a request failed outside its route");
      answer = refusalOf(toGatewayError(thrown), request.head);
    }
    request.answer(answer);
  }

  #route(request: IncomingRequest, match: RouteMatch | null): ServerAnswer | Promise<ServerAnswer> {
    const { head } = request;
    const { path } = head;
    if (head.wants_websocket) return refusalOf(noWebSocket(), head, styleBelow(path, head));
    if (path === "/console/api" || path.startsWith("/console/api/"))
      return answerConsoleApi(this.#deps, request, requestIdsOf(head));
    if (path === "/console" || path.startsWith("/console/") || isGuide(path) || isBrowserAtRoot(head))
      return this.#deps.consolePages.answer(head);
    if (match === null) return refusalOf(notFound(head.method, path), head, styleBelow(path, head));
    const method = head.method === "HEAD" ? "GET" : head.method;
    if (method !== match.row.method)
      return refusalOf(methodNotAllowed(head.method, match), head, styleOf(match.row, head));
    const edge = edgeRequest(request, match);
    switch (match.row.name) {
      case "messages.count_tokens":
      case "responses.input_tokens":
      case "countTokens":
        return this.#tracked(edge, answerCountTokens);
      case "responses.retrieve":
      case "responses.delete":
      case "responses.input_items":
        return this.#tracked(edge, answerStoredResponse);
      case "models.list":
      case "models.retrieve":
      case "gemini.models.list":
      case "gemini.models.retrieve":
      case "usage":
      case "credits":
      case "key":
      case "generation":
      case "requests.retrieve":
        return this.#tracked(edge, answerAccountRoute);
      default:
        return answerOperations(this.#deps, edge, this.#draining);
    }
  }

  /** New connections are refused almost at once: a balancer that is not told gets its pause before the signal (docs/rulings.md 222). */
  async drain(server: WireServer, patience_ms: number): Promise<void> {
    this.#draining = true;
    server.announceEnd();
    if (server.hasConnections) await Bun.sleep(ON_THEIR_WAY_MS);
    const drained = server.drain();
    const idle = Promise.withResolvers<void>();
    this.#onIdle = idle.resolve;
    if (this.#in_flight === 0) idle.resolve();
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, patience_ms);
    await Promise.race([idle.promise, patience.promise]);
    // The last answers get a moment to be sent, and slow clients the rest of the patience.
    await Promise.race([drained, patience.promise, Bun.sleep(FLUSH_MS)]);
    server.cutSilent();
    await Promise.race([drained, patience.promise]);
    clearTimeout(timer);
    server.cut();
  }

  #contextOf(route: BilledRoute): EndpointContext {
    const { authenticator, gate, pipeline, tracing } = this.#deps;
    const { endpoint } = route;
    const onEnd: EndpointContext["onEnd"] = (call, status) => {
      const { ids, model, arrived_ms } = call;
      call.leaveKey();
      const duration_ms = performance.now() - arrived_ms;
      const finished = { request_id: ids.own, endpoint, status, model, duration_ms };
      if (call.trace !== null) tracing?.finished(call.trace, finished, call.known_key);
      this.#finished(finished);
    };
    return { route, authenticator, gate, pipeline, onEnd, ...(tracing !== undefined && { tracing }) };
  }

  async #tracked(
    edge: EdgeRequest,
    work: (deps: RouteDeps, edge: EdgeRequest) => Promise<ServerAnswer>,
  ): Promise<ServerAnswer> {
    this.#in_flight += 1;
    const answer = await work(this.#deps, edge);
    const { ids, match, arrived_ms } = edge;
    const duration_ms = performance.now() - arrived_ms;
    this.#finished({
      request_id: ids.own,
      endpoint: match.row.name,
      status: answer.status,
      model: null,
      duration_ms,
    });
    return answer;
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

function edgeRequest(request: IncomingRequest, match: RouteMatch): EdgeRequest {
  const { head } = request;
  const arrived_ms = performance.now();
  const error_style = styleOf(match.row, head);
  const rate_holder: RateHolder = { rate: null };
  return { request, ids: requestIdsOf(head), match, error_style, query: head.query, arrived_ms, rate_holder };
}

const NO_HEADERS: ClientHeaders = { get: () => null };

function styleBelow(path: string, headers: ClientHeaders): ErrorStyle {
  if (path.startsWith("/v1beta/")) return "c";
  return path.startsWith("/v1/messages") ? "b" : styleByHeader(headers);
}

/** The style of all errors of this request, chosen before the request is read any further. */
function styleOf(row: RouteRow, headers: ClientHeaders): ErrorStyle {
  if (row.error_style !== "by-header") return row.error_style;
  return styleByHeader(headers);
}

/** A non-empty `x-api-key` chooses style B, and a non-empty `x-goog-api-key` style C, even beside a bearer token (docs/rulings.md 16). */
function styleByHeader(headers: ClientHeaders): ErrorStyle {
  if ((headers.get("x-api-key") ?? "") !== "") return "b";
  return (headers.get("x-goog-api-key") ?? "") === "" ? "a" : "c";
}

/** A stream of Gemini's style has two forms, which the query tells apart. */
function billedName(name: RouteName, query: string): string {
  return name === "streamGenerateContent" && wantsArrayStream(query) ? ARRAY_STREAM : name;
}

function notFound(method: string, path: string): GatewayError {
  return new GatewayError(
    "not_found",
    `There is no ${method} ${path.slice(0, 200)} here. See /docs for what there is.`,
  );
}

/**
 * At this status, clients that try WebSocket first fall back to HTTP without a message to users (docs/rulings.md 167).
 */
function noWebSocket(): GatewayError {
  return new GatewayError("upgrade_required", "There is no WebSocket here; send the request over HTTP/1.1.", {
    headers: { upgrade: "HTTP/1.1", connection: "upgrade" },
  });
}

function methodNotAllowed(method: string, { row }: RouteMatch): GatewayError {
  const allow = methodsOf(row);
  return new GatewayError("method_not_allowed", `${row.path} does not take ${method}; it takes ${allow}.`, {
    headers: { allow },
  });
}
