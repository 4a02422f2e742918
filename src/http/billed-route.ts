import type { ErrorStyle } from "../core/endpoints.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import type { WholeBody } from "../core/exchange.ts";
import type { Answer, BilledCall } from "../pipeline/call.ts";
import type { EdgeDeps } from "./context.ts";
import { type CallDesk, EdgeCall } from "./edge-call.ts";
import { writeRateHeaders } from "./rate-headers.ts";
import { readBody } from "./read-body.ts";
import { errorResponse, openSheet } from "./respond.ts";

const MAX_IDEMPOTENCY_KEY = 255;
/** What metrics and logs call a request whose client left before there was a status, after nginx. Nobody is sent it. */
const CLIENT_LEFT = 499;

/** Answers a billed endpoint: reads the call, has it answered, and dresses what came of it. */
export async function answerBilled(deps: EdgeDeps, desk: CallDesk, request: Request): Promise<Response> {
  const call = new EdgeCall(request, desk);
  try {
    // Both wait for nothing that is not there yet.
    const found = call.identify();
    call.key = found instanceof Promise ? await found : found;
    call.idempotency_key = readIdempotencyKey(call);
    call.text = await readBody(request, deps.configuration.limits.body_bytes, deps.body_timeouts);
    const answer = await desk.route.answer(call);
    if (isWhole(answer.body)) desk.onEnd(call, answer.status);
    return answerResponse(answer, call, desk.route.error_style);
  } catch (thrown) {
    return refuse(deps, desk, call, thrown);
  }
}

function refuse(deps: EdgeDeps, { route, onEnd }: CallDesk, call: EdgeCall, thrown: unknown): Response {
  const error = toGatewayError(thrown);
  const left = call.signal.aborted;
  if (!left && !(thrown instanceof GatewayError))
    deps.log.error({ request_id: call.request_id, err: thrown }, "a request failed");
  onEnd(call, left ? CLIENT_LEFT : error.row.status);
  const { ids, notes } = call;
  return errorResponse(error, { ids, style: route.error_style, rate: notes.rate, style_b_not_found: false });
}

function readIdempotencyKey({ headers, general_error }: BilledCall): string | null {
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

function answerResponse(answer: Answer, { ids, notes }: EdgeCall, style: ErrorStyle): Response {
  const sheet = openSheet(ids, answer.content_type);
  writeRateHeaders(sheet, notes.rate, style);
  for (const name in answer.headers) sheet.set(name, answer.headers[name] as string);
  if (notes.ignored.length > 0) sheet.set("x-camino-ignored", notes.ignored.join(", "));
  if (!isWhole(answer.body)) {
    sheet.set("cache-control", "no-cache");
    // Proxies in front of the gateway must not gather events.
    sheet.set("x-accel-buffering", "no");
  }
  return new Response(answer.body, { status: answer.status, headers: sheet.headers });
}
