import type { BilledEndpoint, ErrorStyle } from "../core/endpoints.ts";
import { type ErrorCode, GatewayError, toGatewayError } from "../core/errors.ts";
import type { WholeBody } from "../core/exchange.ts";
import type { KeyRecord } from "../core/principal.ts";
import type { Authenticator } from "../access/authenticator.ts";
import { readCredential } from "../access/read-credential.ts";
import type { Answer, BilledCall, CallNotes } from "../pipeline/call.ts";
import type { EdgeDeps, EdgeRequest } from "./context.ts";
import { writeRateHeaders } from "./rate-headers.ts";
import { readBody } from "./read-body.ts";
import { errorResponse, idHeaders } from "./respond.ts";

const MAX_IDEMPOTENCY_KEY = 255;
/** What metrics and logs call a request whose client left before there was a status, after nginx. Nobody is sent it. */
const CLIENT_LEFT = 499;

/** A billed endpoint: what the edge has to know of it, and the use case behind it. */
export interface BilledRoute {
  readonly endpoint: BilledEndpoint;
  readonly error_style: ErrorStyle;
  readonly general_error: ErrorCode;
  /** Answers a call. Where the answer is a stream, `onSent` is called once when its last byte was taken. */
  answer(call: BilledCall, onSent: () => void): Promise<Answer>;
}

/** Told once what a request became, when the last byte of its answer is on its way. */
export type OnEnd = (status: number, notes: CallNotes) => void;

/** Answers a billed endpoint: reads the call, has it answered, and dresses what came of it. */
export async function answerBilled(
  deps: EdgeDeps,
  edge: EdgeRequest,
  route: BilledRoute,
  onEnd: OnEnd,
): Promise<Response> {
  const notes: CallNotes = { rate: null, ignored: [], decided: false, first_byte_ms: null, model: null };
  try {
    const call = await readCall(deps, edge, route, notes);
    const answer = await route.answer(call, () => onEnd(200, notes));
    if (isWhole(answer.body)) onEnd(answer.status, notes);
    return answerResponse(answer, edge, notes);
  } catch (thrown) {
    const error = toGatewayError(thrown);
    const left = edge.request.signal.aborted;
    if (!left && !(thrown instanceof GatewayError))
      deps.log.error({ request_id: edge.ids.own, err: thrown }, "a request failed");
    onEnd(left ? CLIENT_LEFT : error.row.status, notes);
    return errorResponse(error, { ids: edge.ids, style: edge.error_style, rate: notes.rate, style_b_not_found: false });
  }
}

/** Reads the credential and the body. Both wait for nothing that is not there yet: a known key needs no database. */
async function readCall(deps: EdgeDeps, edge: EdgeRequest, route: BilledRoute, notes: CallNotes): Promise<BilledCall> {
  const { request } = edge;
  const { headers } = request;
  const credential = readCredential(headers, route.error_style === "b" ? "either" : "bearer");
  const found = deps.authenticator.lookup(credential);
  const key = found instanceof Promise ? await found : found;
  const idempotency_key = readIdempotencyKey(headers, route);
  const text = await readBody(request, deps.configuration.limits.body_bytes, deps.body_timeouts);
  return new EdgeCall(edge, route, {
    authenticator: deps.authenticator,
    credential,
    key,
    idempotency_key,
    text,
    notes,
  });
}

interface CallParts extends Pick<BilledCall, "key" | "idempotency_key" | "text" | "notes"> {
  readonly authenticator: Authenticator;
  readonly credential: string;
}

class EdgeCall implements BilledCall {
  readonly endpoint: BilledEndpoint;
  readonly general_error: ErrorCode;
  readonly key: KeyRecord;
  readonly text: string;
  readonly headers: Headers;
  readonly request_id: string;
  readonly client_request_id: string | null;
  readonly idempotency_key: string | null;
  readonly arrived_ms: number;
  readonly signal: AbortSignal;
  readonly notes: CallNotes;
  readonly #authenticator: Authenticator;
  readonly #credential: string;

  constructor({ request, ids, arrived_ms }: EdgeRequest, route: BilledRoute, parts: CallParts) {
    this.endpoint = route.endpoint;
    this.general_error = route.general_error;
    this.key = parts.key;
    this.text = parts.text;
    this.headers = request.headers;
    this.request_id = ids.own;
    this.client_request_id = ids.client;
    this.idempotency_key = parts.idempotency_key;
    this.arrived_ms = arrived_ms;
    this.signal = request.signal;
    this.notes = parts.notes;
    this.#authenticator = parts.authenticator;
    this.#credential = parts.credential;
  }

  reloadKey(): Promise<KeyRecord> {
    this.#authenticator.forget(this.key.id);
    return this.#authenticator.authenticate(this.#credential);
  }
}

function readIdempotencyKey(headers: Headers, { general_error }: BilledRoute): string | null {
  const key = headers.get("idempotency-key");
  if (key === null) return null;
  if (key.length >= 1 && key.length <= MAX_IDEMPOTENCY_KEY) return key;
  throw new GatewayError(
    general_error,
    `The Idempotency-Key header has ${key.length} characters; allowed are 1 to ${MAX_IDEMPOTENCY_KEY}.`,
  );
}

function isWhole(body: Answer["body"]): body is WholeBody {
  return typeof body === "string" || body instanceof Uint8Array;
}

function answerResponse(answer: Answer, edge: EdgeRequest, notes: CallNotes): Response {
  const headers = idHeaders(edge.ids);
  headers["content-type"] = answer.content_type;
  writeRateHeaders(headers, notes.rate, edge.error_style);
  Object.assign(headers, answer.headers);
  if (notes.ignored.length > 0) headers["x-camino-ignored"] = notes.ignored.join(", ");
  if (isWhole(answer.body)) return new Response(answer.body, { status: answer.status, headers });
  headers["cache-control"] = "no-cache";
  // Proxies in front of the gateway must not gather events.
  headers["x-accel-buffering"] = "no";
  return new Response(answer.body, { status: answer.status, headers });
}
