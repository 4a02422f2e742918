const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 60 * 60_000;

/** How long a delivery waits that could not be sent, after so many attempts: twice as long each time, up to an hour. */
export function waitAfter(attempts: number, first_wait_ms = FIRST_WAIT_MS): number {
  return Math.min(LONGEST_WAIT_MS, first_wait_ms * 2 ** Math.min(attempts - 1, 20));
}
