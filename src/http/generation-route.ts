import type { ClientProtocol } from "../core/exchange.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { readCredential } from "../access/read-credential.ts";
import type { Answer, CallNotes, GenerationCall } from "../pipeline/call.ts";
import { generate } from "../pipeline/generate.ts";
import type { EdgeDeps, EdgeRequest } from "./context.ts";
import { rateHeaders } from "./rate-headers.ts";
import { readBody } from "./read-body.ts";
import { errorResponse, idHeaders } from "./respond.ts";

const MAX_IDEMPOTENCY_KEY = 255;
/** What metrics and logs call a request whose client left before there was a status, after nginx. Nobody is sent it. */
const CLIENT_LEFT = 499;

/** Answers a generation endpoint; `onEnd` is told once what it became, when the last byte is on its way. */
export async function answerGeneration(
  deps: EdgeDeps,
  edge: EdgeRequest,
  protocol: ClientProtocol,
  onEnd: (status: number, notes: CallNotes) => void,
): Promise<Response> {
  const notes: CallNotes = { rate: null, ignored: [], decided: false, first_byte_ms: null, model: null };
  try {
    const call = await readCall(deps, edge, protocol, notes);
    const answer = await generate(deps.pipeline, call, () => onEnd(200, notes));
    if (answer.body instanceof Uint8Array) onEnd(answer.status, notes);
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
async function readCall(
  deps: EdgeDeps,
  { request, ids, arrived_ms }: EdgeRequest,
  protocol: ClientProtocol,
  notes: CallNotes,
): Promise<GenerationCall> {
  const { headers, signal } = request;
  const credential = readCredential(headers, protocol.error_style === "b" ? "either" : "bearer");
  const found = deps.authenticator.lookup(credential);
  const key = found instanceof Promise ? await found : found;
  const idempotency_key = readIdempotencyKey(headers, protocol);
  const text = await readBody(request, deps.configuration.limits.body_bytes, deps.body_timeouts);
  return {
    protocol,
    key,
    reloadKey: () => {
      deps.authenticator.forget(key.id);
      return deps.authenticator.authenticate(credential);
    },
    text,
    headers,
    request_id: ids.own,
    client_request_id: ids.client,
    idempotency_key,
    arrived_ms,
    signal,
    notes,
  };
}

function readIdempotencyKey(headers: Headers, protocol: ClientProtocol): string | null {
  const key = headers.get("idempotency-key");
  if (key === null) return null;
  if (key.length >= 1 && key.length <= MAX_IDEMPOTENCY_KEY) return key;
  throw new GatewayError(
    protocol.general_error,
    `The Idempotency-Key header has ${key.length} characters; allowed are 1 to ${MAX_IDEMPOTENCY_KEY}.`,
  );
}

function answerResponse(answer: Answer, edge: EdgeRequest, notes: CallNotes): Response {
  const headers: Record<string, string> = {
    ...idHeaders(edge.ids),
    "content-type": answer.content_type,
    ...rateHeaders(notes.rate, edge.error_style),
    ...answer.headers,
  };
  if (notes.ignored.length > 0) headers["x-camino-ignored"] = notes.ignored.join(", ");
  if (answer.body instanceof Uint8Array) return new Response(answer.body, { status: answer.status, headers });
  headers["cache-control"] = "no-cache";
  // Proxies in front of the gateway must not gather events.
  headers["x-accel-buffering"] = "no";
  return new Response(answer.body, { status: answer.status, headers });
}
