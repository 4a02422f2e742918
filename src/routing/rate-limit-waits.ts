const FIRST_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 60_000;

interface Wait {
  readonly wait_ms: number;
  readonly until_ms: number;
}

/**
 * How long clients are told to wait where a vendor limits the rate and does not say for how long: from 5 s on twice as
 * long each time, up to a minute. Calls that ran beside each other were limited once. A call that succeeds, or
 * a time of quiet, begins anew (docs/rulings.md 18).
 */
export class RateLimitWaits {
  /** By route; only those that were limited since they last answered. */
  readonly #waits = new Map<string, Wait>();

  /** The wait after a limit that a vendor has just told. */
  limited(vendor: string, upstream_model: string, now_ms: number): number {
    const route = routeOf(vendor, upstream_model);
    const last = this.#waits.get(route);
    if (last !== undefined && now_ms < last.until_ms) return last.wait_ms;
    const is_quiet = last === undefined || now_ms >= last.until_ms + LONGEST_WAIT_MS;
    const wait_ms = is_quiet ? FIRST_WAIT_MS : Math.min(2 * last.wait_ms, LONGEST_WAIT_MS);
    this.#waits.set(route, { wait_ms, until_ms: now_ms + wait_ms });
    return wait_ms;
  }

  succeeded(vendor: string, upstream_model: string): void {
    if (this.#waits.size > 0) this.#waits.delete(routeOf(vendor, upstream_model));
  }
}

function routeOf(vendor: string, upstream_model: string): string {
  return `${vendor} ${upstream_model}`;
}
