import { clientLeft } from "./vendor-failure.ts";

/**
 * Calls `leave` at once when the client leaves, to close what is under way: until there is content nothing is owed,
 * whatever the vendor's policy (docs/rulings.md 46). Throws where the client has left while it was being admitted: that
 * has fired already.
 */
export function watchClient(signal: AbortSignal, leave: EventListener | EventListenerObject): void {
  if (signal.aborted) throw clientLeft();
  signal.addEventListener("abort", leave, ONCE);
}

/** Ends a watch. One whose signal ends with it need not be ended. */
export function unwatchClient(signal: AbortSignal, leave: EventListener | EventListenerObject): void {
  signal.removeEventListener("abort", leave);
}

const ONCE = { once: true };
