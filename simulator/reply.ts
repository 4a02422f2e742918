import type { DeliveryStep } from "./delivery.ts";
import { nextSerial } from "./ids.ts";
import type { Failure, VendorProtocol } from "./protocols/protocol.ts";
import type { OpenRecord } from "./request-log.ts";

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

/** The header that marks every answer as simulated. */
export const SIMULATED_HEADERS = { "x-camino-simulated": "true" } as const;

const encoder = new TextEncoder();

/** Waits for one turn of the event loop, so that the next write becomes a separate chunk. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A body made of the steps: each write is a separate chunk, sent at the client's pace until the client leaves. */
async function* bodyOf(
  steps: Iterable<DeliveryStep>,
  open: OpenRecord | null,
  ended: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let finished = false;
  try {
    for (const step of steps) {
      if (step === "cut") {
        finished = true;
        // When a body rejects without a value, Bun resets the connection and does not send the final chunk.
        return await Promise.reject();
      }
      if (step === "silence") await aborted(ended);
      else if ("pause_ms" in step) await pause(step.pause_ms, ended);
      else {
        const bytes = typeof step.write === "string" ? encoder.encode(step.write) : step.write;
        if (open !== null) open.record.bytes_written += bytes.byteLength;
        yield bytes;
        await turn();
      }
      if (ended.aborted) return;
    }
    finished = true;
  } finally {
    open?.end(finished ? "finished" : "aborted");
  }
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Waits for the given time, or until the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
