import type { RuleLimits } from "../../src/core/people/principal.ts";
import { timeZoneOf } from "../../src/core/time-zone.ts";
import { windowStart } from "../../src/limits/windows.ts";

/** A request as a holder of limits counted it. */
export interface CountedRequest {
  readonly hold: number;
  readonly bound_tokens: number;
  readonly at_ms: number;
}

/** A limit that is reached: `over_ms` until it opens, which is below 0 where it has room. */
export interface ReachedLimit {
  readonly limit: "requests" | "tokens" | "concurrency";
  readonly over_ms: number;
}

/** One holder of limits in a plain model of all of them: counts in units of a sixty-thousandth of a token. */
export class LimitHolder {
  readonly name: string;
  readonly limits: RuleLimits;
  readonly buckets = { rpm: { used: 0, at_ms: 0 }, tpm: { used: 0, at_ms: 0 } };
  readonly charges: { readonly at_ms: number; readonly amount: number }[] = [];
  open = 0;
  held = 0;

  constructor(name: string, limits: RuleLimits) {
    this.name = name;
    this.limits = limits;
  }

  /** What each of its limits says to a request of so many tokens, in the order in which they are judged. */
  judge(tokens: number, now_ms: number): ReachedLimit[] {
    const { concurrent } = this.limits;
    const in_flight =
      concurrent === null ? [] : [{ limit: "concurrency", over_ms: this.open >= concurrent ? 1000 : -1000 } as const];
    return [...this.#rate("rpm", "requests", 1, now_ms), ...this.#rate("tpm", "tokens", tokens, now_ms), ...in_flight];
  }

  /** Which limit refuses, and in how many milliseconds it opens; null where all have room. */
  full(tokens: number, now_ms: number): { limit: string; retry_after_ms: number } | null {
    const reached = this.judge(tokens, now_ms).find(({ over_ms }) => over_ms > 0);
    return reached === undefined ? null : { limit: reached.limit, retry_after_ms: Math.ceil(reached.over_ms) };
  }

  #rate(name: "rpm" | "tpm", limit: "requests" | "tokens", tokens: number, now_ms: number): ReachedLimit[] {
    const most = this.limits[name];
    if (most === null) return [];
    // What is more than the whole limit fits only where nothing is used.
    const room = tokens > most ? 0 : (most - tokens) * 60_000;
    return [{ limit, over_ms: (this.#refilled(name, now_ms) - room) / most }];
  }

  #refilled(name: "rpm" | "tpm", now_ms: number): number {
    const { used, at_ms } = this.buckets[name];
    return Math.max(0, used - (now_ms - at_ms) * (this.limits[name] ?? 0));
  }

  /** Takes a request from the requests of this minute. */
  takeRequest(now_ms: number): void {
    this.#take("rpm", 1, now_ms);
  }

  /** Counts an admitted request, but for the requests of this minute. */
  begin({ hold, bound_tokens, at_ms }: CountedRequest): void {
    this.#take("tpm", bound_tokens, at_ms);
    this.open += 1;
    this.held += hold;
  }

  #take(name: "rpm" | "tpm", tokens: number, now_ms: number): void {
    if (this.limits[name] === null) return;
    this.buckets[name] = { used: this.#refilled(name, now_ms) + tokens * 60_000, at_ms: now_ms };
  }

  /** What is left of its budget; null where it has none. */
  left(now_ms: number, time_zone: string | null): number | null {
    const { budget } = this.limits;
    if (budget === null) return null;
    const zone = timeZoneOf(time_zone);
    const start = windowStart(budget.window, zone.dayAt(now_ms));
    const charged = this.charges.filter(({ at_ms }) => zone.dayAt(at_ms) >= start);
    const spent = charged.reduce((sum, each) => sum + each.amount, 0);
    return Math.max(0, Number(budget.amount_micro) - spent - this.held);
  }

  end({ hold, bound_tokens, at_ms }: CountedRequest, used: { tokens: number; charge: number }, now_ms: number): void {
    this.open -= 1;
    this.held -= hold;
    this.charges.push({ at_ms: now_ms, amount: used.charge });
    if (this.limits.tpm === null) return;
    const refilled = this.#refilled("tpm", now_ms);
    const more = (used.tokens - bound_tokens) * 60_000;
    // What was taken too much is given back, but for what has refilled since.
    const changed = more >= 0 ? more : Math.min(0, more + (now_ms - at_ms) * this.limits.tpm);
    this.buckets.tpm = { used: Math.max(0, refilled + changed), at_ms: now_ms };
  }
}
