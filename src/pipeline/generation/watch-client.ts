import type { ClientSignal } from "../../core/answer-stream.ts";
import { clientLeft } from "../asking/vendor-failure.ts";

/**
 * Calls `leave` at once when the client leaves, to close the running call: before there is content, nothing is charged
 * under any vendor policy (docs/rulings.md 46). Throws where the client left during admission, as its signal has
 * already fired. One watch at a time.
 */
export function watchClient(signal: ClientSignal, leave: () => void): void {
  if (signal.aborted) throw clientLeft();
  signal.onabort = leave;
}

/** Ends the watch. A watch whose signal ends with it need not be ended. */
export function unwatchClient(signal: ClientSignal): void {
  signal.onabort = null;
}
