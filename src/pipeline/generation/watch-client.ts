import type { ClientSignal } from "../../core/answer-stream.ts";
import { clientLeft } from "../asking/vendor-failure.ts";

/**
 * Calls `leave` at once when the client leaves, to close what is under way: until there is content nothing is owed,
 * whatever the vendor's policy (docs/rulings.md 46). Throws where the client has left while it was being admitted: that
 * has fired already. One watch at a time.
 */
export function watchClient(signal: ClientSignal, leave: () => void): void {
  if (signal.aborted) throw clientLeft();
  signal.onabort = leave;
}

/** Ends the watch. One whose signal ends with it need not be ended. */
export function unwatchClient(signal: ClientSignal): void {
  signal.onabort = null;
}
