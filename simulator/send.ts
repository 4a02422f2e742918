import type { Step } from "./delivery.ts";
import type { OpenRecord } from "./request-log.ts";

/** The header that says of every answer that it is simulated. */
export const SIMULATED_HEADERS = { "x-camino-simulated": "true" } as const;

const encoder = new TextEncoder();

/** Lets the event loop turn, so that the next write is a chunk of its own. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A body that follows the steps: each write a chunk of its own, with the client's pace and its leaving noticed. */
export async function* bodyOf(
  steps: Iterable<Step>,
  open: OpenRecord | null,
  ended: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let finished = false;
  try {
    for (const step of steps) {
      if (step === "cut") {
        finished = true;
        // Bun resets the connection, without the chunk that would end the body, when a body fails with no value.
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

/** Settles when the signal does. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Waits so long, or until the signal says that nobody waits any more. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
