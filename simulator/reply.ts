import type { DeliveryStep } from "./delivery.ts";
import { nextSerial } from "./ids.ts";
import type { Failure, VendorProtocol } from "./protocols/protocol.ts";
import type { OpenRecord } from "./request-log.ts";
import { bodyOf, SIMULATED_HEADERS } from "./send.ts";

/** One request on its way through the simulator, and the ways to answer it. */
export interface Call {
  readonly request: Request;
  readonly path: string;
  readonly protocol: VendorProtocol;
  /** Null where no records are kept. */
  readonly open: OpenRecord | null;
  /** Aborted when the simulator stops: ends every wait. */
  readonly stopping: AbortSignal;
}

/** A signal that aborts when the client has left or the simulator stops. */
export function gone(call: Call): AbortSignal {
  return AbortSignal.any([call.request.signal, call.stopping]);
}

/** Sends an error in the protocol's shape. */
export function sendFailure(call: Call, failure: Failure, headers: Record<string, string> = {}): Response {
  const { protocol } = call;
  const all_headers = { ...protocol.errorHeaders?.(failure), ...headers };
  return sendJson(call, failure.status, JSON.stringify(failure.body ?? protocol.errorBody(failure)), all_headers);
}

export function sendJson(call: Call, status: number, body: string, headers: Record<string, string> = {}): Response {
  return sendText(call, status, body, { "content-type": "application/json", ...headers });
}

/** Sends a whole body unchanged. */
export function sendText(call: Call, status: number, body: string, headers: Record<string, string>): Response {
  if (call.open !== null) {
    call.open.record.status = status;
    call.open.record.bytes_written = Buffer.byteLength(body);
    call.open.end("finished");
  }
  return new Response(body, { status, headers: { ...answerHeaders(), ...headers } });
}

/** Sends a body step by step, with status 200. */
export function sendSteps(call: Call, steps: Iterable<DeliveryStep>, content_type: string): Response {
  if (call.open !== null) call.open.record.status = 200;
  const body = bodyOf(steps, call.open, gone(call));
  return new Response(body, { headers: { "content-type": content_type, ...answerHeaders() } });
}

function answerHeaders(): Record<string, string> {
  const id = `req_sim_${nextSerial()}`;
  return { ...SIMULATED_HEADERS, "x-request-id": id, "request-id": id };
}
