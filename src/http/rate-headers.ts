import { systemClock } from "../core/clock.ts";
import type { ErrorStyle } from "../core/endpoints.ts";
import type { LimitState, RateState } from "../core/ledger.ts";

/** Adds the headers that tell a client its limits, in the names of its style (docs/rulings.md 18, 19c). */
export function writeRateHeaders(headers: Record<string, string>, rate: RateState | null, style: ErrorStyle): void {
  if (rate === null) return;
  const write = style === "a" ? writeStyleA : writeStyleB;
  if (rate.requests !== null) write(headers, "requests", rate.requests);
  if (rate.tokens !== null) write(headers, "tokens", rate.tokens);
}

function writeStyleA(headers: Record<string, string>, what: string, state: LimitState): void {
  headers[`x-ratelimit-limit-${what}`] = String(state.limit);
  headers[`x-ratelimit-remaining-${what}`] = String(Math.max(0, Math.floor(state.remaining)));
  headers[`x-ratelimit-reset-${what}`] = duration(state.reset_ms);
}

function writeStyleB(headers: Record<string, string>, what: string, state: LimitState): void {
  headers[`anthropic-ratelimit-${what}-limit`] = String(state.limit);
  headers[`anthropic-ratelimit-${what}-remaining`] = String(Math.max(0, Math.floor(state.remaining)));
  headers[`anthropic-ratelimit-${what}-reset`] = new Date(systemClock.now_ms() + state.reset_ms).toISOString();
}

/** Style A's durations: `0s`, `850ms`, `6.5s`, `1m30s`. */
function duration(time_ms: number): string {
  if (time_ms < 1000) return time_ms <= 0 ? "0s" : `${Math.ceil(time_ms)}ms`;
  const seconds = Math.ceil(time_ms / 100) / 10;
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m${Math.ceil(seconds % 60)}s`;
}
