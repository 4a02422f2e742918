import type { CircuitState } from "./circuit.ts";
import { CircuitChanges } from "./circuit-changes.ts";
import { CredentialRests } from "./credential-rests.ts";
import { RateLimitWaits } from "./rate-limit-waits.ts";
import { RouteCircuits } from "./route-circuits.ts";

const PAUSE_MS = 30_000;

/**
 * Circuit breakers, for each vendor and upstream model (docs/rulings.md 150): a route whose calls fail is not used for a
 * while, then one request probes it. At an open circuit the client gets a fast 503 or a fallback, not a timeout.
 */
export class Breakers {
  /** By vendor and upstream model: names are looked up one after the other, so that no call builds a key. */
  readonly #routes = new Map<string, Map<string, RouteCircuits>>();
  readonly #now_ms: () => number;
  readonly #pause_ms: number;
  readonly #waits = new RateLimitWaits();
  readonly changes: CircuitChanges;
  /** Which of a vendor's several credentials rest. */
  readonly credentials: CredentialRests;

  /** `now_ms` is a monotonic clock; `pause_ms` is how long a circuit stays open at first. */
  constructor(now_ms: () => number, pause_ms = PAUSE_MS) {
    this.#now_ms = now_ms;
    this.#pause_ms = pause_ms;
    this.changes = new CircuitChanges(now_ms);
    this.credentials = new CredentialRests(now_ms);
  }

  /** Whether the account may use the route now. On a half-open circuit, `true` makes the request the probe. */
  allow(vendor: string, upstream_model: string, account: string): boolean {
    return this.#find(vendor, upstream_model)?.allow(account, this.#now_ms()) ?? true;
  }

  /** Records an answer: it counts as a good attempt, and closes the circuit if it is the probe's. */
  succeeded(vendor: string, upstream_model: string, account: string): void {
    this.#waits.succeeded(vendor, upstream_model);
    this.#at(vendor, upstream_model).succeeded(account, this.#now_ms());
  }

  /** Records a failure that is the vendor's fault. */
  failed(vendor: string, upstream_model: string, account: string): void {
    this.#at(vendor, upstream_model).failed(account, this.#now_ms());
  }

  /** Records that an answer broke off after it had begun, and was recorded as such. */
  brokeOff(vendor: string, upstream_model: string, account: string): void {
    this.#at(vendor, upstream_model).failed(account, this.#now_ms(), 0);
  }

  /** Records that no connection was made: a failure; after five in a row the circuit opens for everybody. */
  refused(vendor: string, upstream_model: string, account: string): void {
    this.#at(vendor, upstream_model).refused(account, this.#now_ms());
  }

  /** Records a 403: it is a failure once three accounts got 403 within 30 s. */
  forbidden(vendor: string, upstream_model: string, account: string): void {
    this.#at(vendor, upstream_model).forbidden(account, this.#now_ms());
  }

  /** Records an answer that blames the request, or limits the rate: it never counts. Another request may probe. */
  answered(vendor: string, upstream_model: string, account: string): void {
    this.#find(vendor, upstream_model)?.answered(account);
  }

  /** Records a request that says nothing about the vendor (the client left): another request may probe. */
  undecided(vendor: string, upstream_model: string, account: string): void {
    this.#find(vendor, upstream_model)?.undecided(account);
  }

  /** How long to wait for a route whose vendor limits the rate and does not say for how long. */
  limitedMs(vendor: string, upstream_model: string): number {
    return this.#waits.limited(vendor, upstream_model, this.#now_ms());
  }

  /** Closes the route's circuits, for every account: an administrator's test call was answered. */
  close(vendor: string, upstream_model: string): void {
    this.#find(vendor, upstream_model)?.closeAll("tested");
    this.#routes.get(vendor)?.delete(upstream_model);
  }

  /**
   * Milliseconds until the account may probe the route; 0 when it is usable. For `retry-after`. Without an account, for
   * the circuit that `state` tells of.
   */
  waitMs(vendor: string, upstream_model: string, account: string | null = null): number {
    return this.#find(vendor, upstream_model)?.waitMs(this.#now_ms(), account) ?? 0;
  }

  /** The state for everybody; where only single accounts are kept from the route, that of their circuits. */
  state(vendor: string, upstream_model: string): CircuitState {
    return this.#find(vendor, upstream_model)?.state(this.#now_ms()) ?? "closed";
  }

  /** The state for everybody: single accounts may find the route closed to them alone. */
  sharedState(vendor: string, upstream_model: string): CircuitState {
    return this.#find(vendor, upstream_model)?.sharedState(this.#now_ms()) ?? "closed";
  }

  /** How many accounts find the route closed to them alone. */
  accountsAlone(vendor: string, upstream_model: string): number {
    return this.#find(vendor, upstream_model)?.accountsAlone(this.#now_ms()) ?? 0;
  }

  /** Closes all circuits of a vendor: its credential has changed, so the failures no longer count. */
  forget(vendor: string): void {
    for (const route of this.#routes.get(vendor)?.values() ?? []) route.closeAll("credential");
    this.#routes.delete(vendor);
    this.credentials.forget(vendor);
  }

  #find(vendor: string, upstream_model: string): RouteCircuits | undefined {
    return this.#routes.get(vendor)?.get(upstream_model);
  }

  #at(vendor: string, upstream_model: string): RouteCircuits {
    const known = this.#find(vendor, upstream_model);
    if (known !== undefined) return known;
    const route = new RouteCircuits(this.#pause_ms, (change) =>
      this.changes.note({ vendor, upstream_model, ...change }),
    );
    const models = this.#routes.get(vendor) ?? new Map<string, RouteCircuits>();
    this.#routes.set(vendor, models.set(upstream_model, route));
    return route;
  }
}
