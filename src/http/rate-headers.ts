import { systemClock } from "../core/clock.ts";
import type { ErrorStyle } from "../core/endpoints.ts";
import type { LimitState, RateState } from "../core/ledger/ledger.ts";

/** The header lines with a client's limits, in the names of its style (docs/rulings.md 18, 19c). */
export function rateLines(rate: RateState | null, style: ErrorStyle): string {
  if (rate === null) return "";
  const { requests, tokens } = rate;
  if (style !== "b") return linesA(requests, "requests") + linesA(tokens, "tokens");
  return linesB(requests, "requests") + linesB(tokens, "tokens");
}

function linesA(state: LimitState | null, what: string): string {
  if (state === null) return "";
  const limit = `x-ratelimit-limit-${what}: ${state.limit}\r\n`;
  return `${limit}x-ratelimit-remaining-${what}: ${remaining(state)}\r\nx-ratelimit-reset-${what}: ${duration(state.reset_ms)}\r\n`;
}

function linesB(state: LimitState | null, what: string): string {
  if (state === null) return "";
  const limit = `anthropic-ratelimit-${what}-limit: ${state.limit}\r\n`;
  return `${limit}anthropic-ratelimit-${what}-remaining: ${remaining(state)}\r\nanthropic-ratelimit-${what}-reset: ${moment(state)}\r\n`;
}

function remaining(state: LimitState): string {
  return String(Math.max(0, Math.floor(state.remaining)));
}

/** Style B gives a point in time, not a duration. */
function moment(state: LimitState): string {
  return new Date(systemClock.now_ms() + state.reset_ms).toISOString();
}

/** Style A's durations: `0s`, `850ms`, `6.5s`, `1m30s`. */
function duration(time_ms: number): string {
  if (time_ms < 1000) return time_ms <= 0 ? "0s" : `${Math.ceil(time_ms)}ms`;
  const seconds = Math.ceil(time_ms / 100) / 10;
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m${Math.ceil(seconds % 60)}s`;
}
