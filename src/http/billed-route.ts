import { isWhole } from "../core/answer/sent-body.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { isLater } from "../core/later.ts";
import { CLIENT_LEFT as CLIENT_LEFT_CODE } from "../core/ledger/ledger.ts";
import { quietly } from "../observe/quietly.ts";
import type { FormBody } from "../pipeline/call/call.ts";
import type { LargeBody } from "../pipeline/large-bodies/large-bodies.ts";
import { isLarge, LARGE_BYTES } from "../pipeline/request/sizes.ts";
import type { BodyRoom } from "../wire/server/body-room.ts";
import type { IncomingRequest } from "../wire/server/incoming-request.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import type { BilledRoute } from "./billed-endpoints.ts";
import type { EdgeDeps } from "./context.ts";
import { EdgeCall, type EndpointContext } from "./edge-call.ts";
import { formParts } from "./form-parts.ts";
import { errorAnswer } from "./respond.ts";

/**
 * The status, after nginx, under which metrics and logs record a request whose client left before the answer. It is
 * never sent (docs/rulings.md 89).
 */
const CLIENT_LEFT = 499;

/**
 * Answers a billed endpoint: judges the call by its head, reads it, runs the use case, and writes the answer or the error.
 * Never throws. Nothing of the body is read for a key that is not accepted (docs/rulings.md 141).
 */
export async function answerBilled(
  deps: EdgeDeps,
  endpoint_context: EndpointContext,
  request: IncomingRequest,
): Promise<void> {
  const call = new EdgeCall(request, endpoint_context);
  let answer: ServerAnswer;
  try {
    // A key or a text that is there already is not awaited.
    const identifying = call.identify();
    if (identifying !== null) await identifying;
    const entering = endpoint_context.gate.enter(call);
    if (entering !== null) await entering;
    call.readHeaders();
    const { body_bytes } = deps.pipeline.configuration.limits;
    const arriving = readBody(endpoint_context.route, request, body_bytes, call.key_state?.bodies ?? null);
    const body = isLater(arriving) ? await call.waitForBody(arriving) : arriving;
    const { withAddress } = endpoint_context.route;
    call.takeBody(withAddress === undefined || isForm(body) ? body : withAddress(body, request.head));
    const admitted = await endpoint_context.route.admit(call);
    // The hold has its owner next, whatever fails here.
    quietly(deps.log, () => call.learn(admitted));
    if (admitted.outcome === "refused") throw admitted.thrown;
    answer = await admitted.answer();
    noteEnd(deps, endpoint_context, { call, request, answer });
  } catch (thrown) {
    answer = refusal(deps, endpoint_context, call, thrown);
  }
  request.answer(answer);
}

/** Has the call's end noted: at once where its answer is whole, or the client has left; else when the last byte is handed over. */
function noteEnd(
  { log }: EdgeDeps,
  { onEnd }: EndpointContext,
  {
    call,
    request,
    answer,
  }: { readonly call: EdgeCall; readonly request: IncomingRequest; readonly answer: ServerAnswer },
): void {
  const note = () => quietly(log, () => onEnd(call, answer.status));
  if (isWhole(answer.body) || request.isOver) note();
  else request.onover = note;
}

/** A body as it was read: a text, a large one as it came, or the parts of a form. */
type BilledBody = string | LargeBody | FormBody;

function isForm(body: BilledBody): body is FormBody {
  return typeof body === "object" && "parts" in body;
}

/**
 * The body as text, or as it came where it is large; synchronous where it is there. A form is its parts, or where its endpoint wants it so
 * one text.
 */
function readBody(
  { readForm, takes_forms, most_body_bytes }: BilledRoute,
  request: IncomingRequest,
  allowed_bytes: number,
  room: BodyRoom | null,
): string | Promise<BilledBody> {
  const limit_bytes = Math.min(allowed_bytes, most_body_bytes);
  const form = request.head.has_form ? (request.head.get("content-type") ?? "") : null;
  if (takes_forms === true && form !== null)
    return request.bytes(limit_bytes, room).then((bytes) => ({ parts: formParts(bytes, form), bytes: bytes.length }));
  if (readForm !== undefined && form !== null) {
    return request
      .bytes(limit_bytes, room)
      .then((bytes) => (isLarge(bytes) ? { bytes, form } : readForm(formParts(bytes, form))));
  }
  const body = request.textOrBytes(limit_bytes, LARGE_BYTES, room);
  return typeof body === "string"
    ? body
    : body.then((read) => (typeof read === "string" ? read : { bytes: read, form: null }));
}

function refusal(
  deps: EdgeDeps,
  { route, gate, onEnd }: EndpointContext,
  call: EdgeCall,
  thrown: unknown,
): ServerAnswer {
  const error = toGatewayError(thrown);
  const left = call.signal.aborted;
  if (call.trace !== null) call.trace.error = left ? CLIENT_LEFT_CODE : error.code;
  quietly(deps.log, () => {
    if (!left && !(thrown instanceof GatewayError))
      deps.log.error({ request_id: call.request_id, err: thrown }, "a request failed");
  });
  quietly(deps.log, () => gate.countRefusal(call, error));
  quietly(deps.log, () => noteRefusal(deps, call, error));
  quietly(deps.log, () => onEnd(call, left ? CLIENT_LEFT : error.row.status));
  const { ids, rate } = call;
  const context = { ids, style: route.error_style, rate };
  try {
    return errorAnswer(error, context);
  } catch (failed) {
    return errorAnswer(toGatewayError(failed), { ...context, rate: null });
  }
}

/** Keeps a refusal where the account's people find it. A request that was admitted has a receipt, which says how it failed. */
function noteRefusal({ refusals, pipeline }: EdgeDeps, call: EdgeCall, error: GatewayError): void {
  if (refusals === undefined || call.key_state === null || call.is_admitted || call.signal.aborted) return;
  const { code, param, row, message } = error;
  refusals.note({
    account_id: call.key.account_id,
    key_id: call.key.id,
    endpoint: call.endpoint,
    ...{ code, param, message, status: row.status },
    asked_model: call.asked_model ?? namedIn(call.text),
    model: call.model,
    request_id: call.request_id,
    client_request_id: call.client_request_id,
    at_ms: pipeline.clock.now_ms(),
  });
}

/** The model that a body names which could not be read as a request: most can be read as a text. */
function namedIn(text: string): string | null {
  return /"model"\s*:\s*"([^"\\]{1,200})"/.exec(text)?.[1] ?? null;
}
