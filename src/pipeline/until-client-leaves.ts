import { clientLeft } from "./vendor-failure.ts";

/**
 * Runs work for a client that waits. When the client leaves, `leave` is called at once, to close what is under way:
 * until there is content nothing is owed, whatever the vendor's policy (docs/rulings.md 46).
 */
export async function untilClientLeaves<Result>(
  signal: AbortSignal,
  leave: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  signal.addEventListener("abort", leave, { once: true });
  try {
    // A client that left while it was being admitted has fired already.
    if (signal.aborted) throw clientLeft();
    return await work();
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
