import type { DeliveryStep } from "./delivery.ts";
import type { OpenRecord } from "./request-log.ts";

/** The header that marks every answer as simulated. */
export const SIMULATED_HEADERS = { "x-camino-simulated": "true" } as const;

const encoder = new TextEncoder();

/** Waits for one turn of the event loop, so that the next write becomes a separate chunk. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A body made of the steps: each write is a separate chunk, sent at the client's pace until the client leaves. */
export async function* bodyOf(
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
