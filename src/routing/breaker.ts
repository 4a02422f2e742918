/**
 * Circuit breakers, one for each vendor and upstream model: after several failures in a row the route is not used for a
 * while, then one request probes it. At an open circuit the client gets a fast 503 or a fallback, not a timeout.
 */

const FAILURES_TO_OPEN = 5;
const PAUSE_MS = 30_000;
/** With each failed probe the pause grows by its first length, up to this many times that length. */
const MAX_PAUSES = 10;

export type CircuitState = "closed" | "open" | "half-open";

interface Circuit {
  failures: number;
  /** How often the circuit has opened since the last success. */
  openings: number;
  open_until_ms: number;
  probing: boolean;
}

export class Breakers {
  readonly #circuits = new Map<string, Circuit>();
  readonly #now_ms: () => number;

  readonly #pause_ms: number;

  /** `now_ms` is a monotonic clock; `pause_ms` is how long a circuit stays open at first. */
  constructor(now_ms: () => number, pause_ms = PAUSE_MS) {
    this.#now_ms = now_ms;
    this.#pause_ms = pause_ms;
  }

  /** Whether a request may use the route now. On a half-open circuit, `true` makes the request the probe. */
  allow(vendor: string, upstream_model: string): boolean {
    // Nearly always there are no recent failures: then no key is built.
    if (this.#circuits.size === 0) return true;
    const circuit = this.#circuits.get(keyOf(vendor, upstream_model));
    if (circuit === undefined || circuit.openings === 0) return true;
    if (circuit.probing || this.#now_ms() < circuit.open_until_ms) return false;
    circuit.probing = true;
    return true;
  }

  /** Records an answer of the vendor: the circuit closes. */
  succeeded(vendor: string, upstream_model: string): void {
    if (this.#circuits.size > 0) this.#circuits.delete(keyOf(vendor, upstream_model));
  }

  /** Records a failure that is the vendor's fault. */
  failed(vendor: string, upstream_model: string): void {
    const key = keyOf(vendor, upstream_model);
    const circuit = this.#circuits.get(key) ?? { failures: 0, openings: 0, open_until_ms: 0, probing: false };
    this.#circuits.set(key, circuit);
    circuit.failures += 1;
    const probe_failed = circuit.probing;
    circuit.probing = false;
    if (probe_failed || circuit.failures >= FAILURES_TO_OPEN) this.#open(circuit);
  }

  /** Records a request that says nothing about the vendor (the client left): another request may probe. */
  undecided(vendor: string, upstream_model: string): void {
    const circuit = this.#circuits.get(keyOf(vendor, upstream_model));
    if (circuit !== undefined) circuit.probing = false;
  }

  /** Milliseconds until the route may be probed; 0 when it is usable. For `retry-after`. */
  waitMs(vendor: string, upstream_model: string): number {
    const circuit = this.#circuits.get(keyOf(vendor, upstream_model));
    if (circuit === undefined || circuit.openings === 0) return 0;
    return Math.max(0, circuit.open_until_ms - this.#now_ms());
  }

  state(vendor: string, upstream_model: string): CircuitState {
    const circuit = this.#circuits.get(keyOf(vendor, upstream_model));
    if (circuit === undefined || circuit.openings === 0) return "closed";
    return circuit.probing || this.#now_ms() >= circuit.open_until_ms ? "half-open" : "open";
  }

  /** Closes all circuits of a vendor: its credential has changed, so the failures no longer count. */
  forget(vendor: string): void {
    for (const key of this.#circuits.keys()) if (key.startsWith(keyOf(vendor, ""))) this.#circuits.delete(key);
  }

  #open(circuit: Circuit): void {
    // Requests that were running when the circuit opened count as failures, but do not lengthen the pause.
    if (circuit.openings > 0 && this.#now_ms() < circuit.open_until_ms) return;
    circuit.openings += 1;
    circuit.open_until_ms = this.#now_ms() + this.#pause_ms * Math.min(circuit.openings, MAX_PAUSES);
  }
}

function keyOf(vendor: string, upstream_model: string): string {
  return `${vendor}\n${upstream_model}`;
}
