import type { Clock } from "../core/clock.ts";
import type { ErrorCode } from "../core/errors.ts";
import { LatencyHistogram, percentiles } from "./latency-histogram.ts";

/**
 * Recent measurements of routes by this process: calls, errors and latencies of the last minutes, in slots that are
 * reused. A call costs a few additions and one small object; a chunk of a stream costs nothing.
 */

const SLOT_MS = 30_000;
const SLOTS = 10;
/** Measurements older than this are dropped, to the precision of a slot. */
export const WINDOW_MS = SLOT_MS * SLOTS;

interface RouteError {
  /** Milliseconds since the epoch. */
  readonly at_ms: number;
  readonly code: ErrorCode;
  readonly status: number | null;
}

export interface Measurements {
  readonly calls: number;
  readonly errors: number;
  readonly rate_limited: number;
  readonly first_byte_ms: { readonly p50: number | null; readonly p95: number | null };
  readonly total_ms: { readonly p50: number | null; readonly p95: number | null };
  readonly in_flight: number;
  readonly last_error: RouteError | null;
}

interface MeterSlot {
  /** The slot's interval of time, as a number of slot lengths. */
  interval: number;
  calls: number;
  errors: number;
  rate_limited: number;
  readonly first_byte: LatencyHistogram;
  readonly total: LatencyHistogram;
}

/**
 * A running call. Only its first ending counts. `now_ms` in its methods: the monotonic time, where the caller has it
 * already.
 */
export class MeteredCall {
  readonly #route: RouteMeter;
  readonly #clock: Clock;
  readonly #began_ms: number;
  readonly #mean: MovingMean | null;
  #ended = false;
  /** Called once, when the call has ended; null where nobody waits for it. */
  onEnd: (() => void) | null = null;

  constructor(route: RouteMeter, clock: Clock, began_ms: number, mean: MovingMean | null = null) {
    this.#route = route;
    this.#mean = mean;
    this.#clock = clock;
    this.#began_ms = began_ms;
    route.in_flight += 1;
  }

  /** The head of an answer has arrived. */
  answered(now_ms = this.#clock.monotonic_ms()): void {
    if (this.#ended) return;
    this.#route.slot(now_ms).first_byte.record(now_ms - this.#began_ms);
    this.#mean?.add(now_ms - this.#began_ms, now_ms);
  }

  completed(now_ms = this.#clock.monotonic_ms()): void {
    this.#end(now_ms)?.total.record(now_ms - this.#began_ms);
  }

  /** The call failed through the vendor's fault. */
  failed(code: ErrorCode, status: number | null): void {
    const slot = this.#end(this.#clock.monotonic_ms());
    if (slot === null) return;
    slot.errors += 1;
    if (code === "provider_rate_limited") slot.rate_limited += 1;
    this.#route.last_error = { at_ms: this.#clock.now_ms(), code, status };
  }

  /** The call ended without a fault of the vendor's: a bad request, or an answer that was not read to its end. */
  ended(): void {
    this.#end(this.#clock.monotonic_ms());
  }

  /** The call ended without a verdict on the route: it does not count. */
  forgotten(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#route.in_flight -= 1;
    this.onEnd?.();
  }

  #end(now_ms: number): MeterSlot | null {
    if (this.#ended) return null;
    this.forgotten();
    const slot = this.#route.slot(now_ms);
    slot.calls += 1;
    return slot;
  }
}

/** A mean in which the newest of some ten measurements count. */
class MovingMean {
  #mean_ms = 0;
  #at_ms = Number.NEGATIVE_INFINITY;

  add(value_ms: number, now_ms: number): void {
    this.#mean_ms = this.isOld(now_ms) ? value_ms : this.#mean_ms + (value_ms - this.#mean_ms) * NEWEST_SHARE;
    this.#at_ms = now_ms;
  }

  /** 0 where the last measurement is old: a candidate that was slow once is tried again. */
  current(now_ms: number): number {
    return this.isOld(now_ms) ? 0 : this.#mean_ms;
  }

  isOld(now_ms: number): boolean {
    return now_ms - this.#at_ms > OLD_MS;
  }
}

const NEWEST_SHARE = 0.2;
const OLD_MS = 60_000;

class RouteMeter {
  /** By the credential's name; the empty name where the vendor has one. */
  readonly means = new Map<string, MovingMean>();
  in_flight = 0;
  last_error: RouteError | null = null;
  readonly #slots: MeterSlot[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The slot for this time, emptied if it held an earlier interval. */
  slot(now_ms: number): MeterSlot {
    const interval = Math.floor(now_ms / SLOT_MS);
    let slot = this.#slots[interval % SLOTS];
    if (slot === undefined) {
      slot = { interval, ...NO_CALLS, first_byte: new LatencyHistogram(), total: new LatencyHistogram() };
      this.#slots[interval % SLOTS] = slot;
    } else if (slot.interval !== interval) {
      Object.assign(slot, { interval, ...NO_CALLS });
      slot.first_byte.clear();
      slot.total.clear();
    }
    return slot;
  }

  /** The slots that are within the window. */
  *recent(): Generator<MeterSlot> {
    const interval = Math.floor(this.#clock.monotonic_ms() / SLOT_MS);
    for (const slot of this.#slots) if (slot !== undefined && interval - slot.interval < SLOTS) yield slot;
  }
}

const NO_CALLS = { calls: 0, errors: 0, rate_limited: 0 };

/**
 * The meters of all routes, by vendor and upstream model: both come from the configuration, so their number is bounded
 * (docs/rulings.md 113).
 */
export class RouteMeters {
  readonly #vendors = new Map<string, Map<string, RouteMeter>>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins a call; the caller must end it. `credential`: of a candidate that others stand beside, empty where its vendor has one. */
  begin(vendor: string, upstream_model: string, now_ms = this.#clock.monotonic_ms(), credential?: string): MeteredCall {
    let routes = this.#vendors.get(vendor);
    if (routes === undefined) {
      routes = new Map();
      this.#vendors.set(vendor, routes);
    }
    let route = routes.get(upstream_model);
    if (route === undefined) {
      route = new RouteMeter(this.#clock);
      routes.set(upstream_model, route);
    }
    if (credential === undefined) return new MeteredCall(route, this.#clock, now_ms);
    let mean = route.means.get(credential);
    if (mean === undefined) {
      mean = new MovingMean();
      route.means.set(credential, mean);
    }
    return new MeteredCall(route, this.#clock, now_ms, mean);
  }

  /** The moving mean of the time to the first byte, by which the faster of two is picked; 0 where nothing was measured in the last minute. */
  firstByteMs(vendor: string, upstream_model: string, credential: string): number {
    const mean = this.#vendors.get(vendor)?.get(upstream_model)?.means.get(credential);
    return mean?.current(this.#clock.monotonic_ms()) ?? 0;
  }

  ofRoute(vendor: string, upstream_model: string): Measurements {
    const route = this.#vendors.get(vendor)?.get(upstream_model);
    return this.#measure(route === undefined ? [] : [route]);
  }

  ofVendor(vendor: string): Measurements {
    return this.#measure([...(this.#vendors.get(vendor)?.values() ?? [])]);
  }

  #measure(routes: readonly RouteMeter[]): Measurements {
    const slots = routes.flatMap((route) => [...route.recent()]);
    const sum = (read: (slot: MeterSlot) => number) => slots.reduce((total, slot) => total + read(slot), 0);
    return {
      calls: sum(({ calls }) => calls),
      errors: sum(({ errors }) => errors),
      rate_limited: sum(({ rate_limited }) => rate_limited),
      first_byte_ms: halfAndMost(slots.map(({ first_byte }) => first_byte)),
      total_ms: halfAndMost(slots.map(({ total }) => total)),
      in_flight: routes.reduce((total, { in_flight }) => total + in_flight, 0),
      last_error: this.#newestError(routes),
    };
  }

  #newestError(routes: readonly RouteMeter[]): RouteError | null {
    const since_ms = this.#clock.now_ms() - WINDOW_MS;
    let newest: RouteError | null = null;
    for (const { last_error } of routes) {
      if (last_error === null || last_error.at_ms < since_ms) continue;
      if (newest === null || last_error.at_ms > newest.at_ms) newest = last_error;
    }
    return newest;
  }
}

function halfAndMost(histograms: readonly LatencyHistogram[]): Measurements["total_ms"] {
  const [p50 = null, p95 = null] = percentiles(histograms, [0.5, 0.95]);
  return { p50, p95 };
}
