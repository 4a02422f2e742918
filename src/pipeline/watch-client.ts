import { clientLeft } from "./vendor-failure.ts";

/**
 * Calls `leave` at once when the client leaves, to close what is under way: until there is content nothing is owed,
 * whatever the vendor's policy (docs/rulings.md 46). Returns what ends the watch. Throws where the client has left while
 * it was being admitted: that has fired already.
 */
export function watchClient(signal: AbortSignal, leave: () => void): () => void {
  if (signal.aborted) throw clientLeft();
  signal.addEventListener("abort", leave, { once: true });
  return () => signal.removeEventListener("abort", leave);
}
