import { constants } from "node:os";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/**
 * Has a gateway that is process 1, as in a container, end at once where it is told to before it serves: while it waits for its database, say. Any other
 * process does so by itself, but the system withholds from process 1 each signal that it has no handler for, so that whoever stops the container would wait in vain.
 * Whoever handles the signal later, to drain, has it alone from then on.
 */
export function endWhileStarting(end: (status: number) => void): void {
  if (process.pid !== 1) return;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) end(128 + constants.signals[signal]);
    });
  }
}
