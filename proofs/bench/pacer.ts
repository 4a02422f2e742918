import { parentPort } from "node:worker_threads";

/**
 * A thread that says when a call is due. It sleeps in the system until then, which is exact to a tenth of a millisecond and costs
 * nothing; the timers of the event loop are exact to one or two.
 */
export interface Pace {
  /** The moment from which the times count, in milliseconds as `nowMs` has them. */
  readonly start_ms: number;
  readonly times_ms: Float64Array;
}

/** What the thread says first: it has started. Everything that it says afterwards is the number of a call that is due. */
export const READY = -1;

/** A clock that all threads read alike. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

if (parentPort !== null) {
  const never = new Int32Array(new SharedArrayBuffer(4));
  parentPort.postMessage(READY);
  parentPort.once("message", ({ start_ms, times_ms }: Pace) => {
    for (const [index, time_ms] of times_ms.entries()) {
      const wait_ms = start_ms + time_ms - nowMs();
      if (wait_ms > 0) Atomics.wait(never, 0, 0, wait_ms);
      parentPort?.postMessage(index);
    }
  });
}
