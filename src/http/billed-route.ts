import type { ErrorStyle } from "../core/endpoints.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import type { Answer, BilledCall } from "../pipeline/call.ts";
import { ignoredValue } from "../pipeline/generation/ignored-value.ts";
import type { EdgeDeps } from "./context.ts";
import { type ServerAnswer, isWhole } from "../wire/server/server-answer.ts";
import { headerLine } from "../wire/grammar/header-line.ts";
import { headerLines, typeLine } from "./answer-lines.ts";
import { type BilledRoute, type CallDesk, EdgeCall } from "./edge-call.ts";
import { formParts } from "./form-parts.ts";
import { rateLines } from "./rate-headers.ts";
import { errorAnswer, idLines } from "./respond.ts";
import type { IncomingRequest } from "../wire/server/incoming-request.ts";

const MAX_IDEMPOTENCY_KEY = 255;
/**
 * The status, after nginx, under which metrics and logs record a request whose client left before the answer. It is
 * never sent.
 */
const CLIENT_LEFT = 499;

/** Answers a billed endpoint: reads the call, runs the use case, and writes the answer or the error. Never throws. */
export async function answerBilled(deps: EdgeDeps, desk: CallDesk, request: IncomingRequest): Promise<void> {
  const call = new EdgeCall(request, desk);
  let answer: ServerAnswer;
  try {
    // Neither the key nor the text is awaited where it is there already.
    const found = call.identify();
    call.key = found instanceof Promise ? await found : found;
    call.idempotency_key = readIdempotencyKey(call);
    const text = bodyText(desk.route, request, deps.configuration.limits.body_bytes);
    call.text = typeof text === "string" ? text : await text;
    answer = dressed(await desk.route.answer(call), call, desk.route.error_style);
    if (isWhole(answer.body)) desk.onEnd(call, answer.status);
  } catch (thrown) {
    answer = refusal(deps, desk, call, thrown);
  }
  request.answer(answer);
}

/** The body as text; synchronous where it is there. The few endpoints that read forms turn them into a text. */
function bodyText({ readForm }: BilledRoute, request: IncomingRequest, limit_bytes: number): string | Promise<string> {
  if (readForm === undefined || !request.head.has_form) return request.text(limit_bytes);
  const content_type = request.head.get("content-type") ?? "";
  return request.bytes(limit_bytes).then((bytes) => readForm(formParts(bytes, content_type)));
}

function refusal(deps: EdgeDeps, { route, onEnd }: CallDesk, call: EdgeCall, thrown: unknown): ServerAnswer {
  const error = toGatewayError(thrown);
  const left = call.signal.aborted;
  if (!left && !(thrown instanceof GatewayError))
    deps.log.error({ request_id: call.request_id, err: thrown }, "a request failed");
  onEnd(call, left ? CLIENT_LEFT : error.row.status);
  const { ids, notes } = call;
  return errorAnswer(error, { ids, style: route.error_style, rate: notes.rate, style_b_not_found: false });
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

/** Proxies in front of the gateway must not buffer events. */
const STREAM_LINES = "cache-control: no-cache\r\nx-accel-buffering: no\r\n";

function dressed(answer: Answer, { ids, notes, endpoint }: EdgeCall, style: ErrorStyle): ServerAnswer {
  const { status, body } = answer;
  let headers = idLines(ids) + typeLine(answer.content_type) + rateLines(notes.rate, style);
  headers += headerLines(answer.headers);
  if (notes.ignored.length > 0) headers += headerLine("x-camino-ignored", ignoredValue(notes.ignored));
  if (notes.capped !== null) headers += headerLine("x-camino-capped", String(notes.capped));
  // The header in which TypeSafe's clients look for the id.
  if (endpoint === "systemone") headers += headerLine("x-typesafe-request-id", ids.shown);
  if (!isWhole(body)) headers += STREAM_LINES;
  return { status, headers, body };
}
