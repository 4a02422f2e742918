import { expect } from "bun:test";
import { timeZoneOf } from "../../../../../src/core/time-zone.ts";
import { windowStart } from "../../../../../src/limits/windows.ts";
import type { Told } from "./nodes.ts";

/** What a gateway said to a request, in the words of the model. */
export type Said =
  | { readonly outcome: "admitted" }
  | { readonly outcome: "unavailable"; readonly retry_s: number }
  | {
      readonly outcome: "rate_limited";
      readonly whose: string;
      readonly limit: string;
      readonly allowed: number | null;
      readonly retry_s: number;
    }
  | {
      readonly outcome: "budget_exceeded";
      readonly whose: string;
      readonly left: number;
      readonly needs: number;
      readonly renews: Renewal | null;
    };

interface Renewal {
  readonly at: string;
  readonly window: "day" | "week" | "month";
}

const RATE =
  /^This (\w+)'s limit of (?:(\d+) )?(request|token|concurrent request)s?(?: per minute)?(?: for (\S+))? is reached\. Retry in (\d+) s\./;
const BUDGET =
  /^This (\w+)'s budget(?: for the (day|week|month))?(?: for (\S+))? has ([\d.]+) USD(?: of [\d.]+ USD)? left; this call needs ([\d.]+) USD\. (?:It renews at (\S+) \(|It does not renew\.)/;
const LIMITS: Readonly<Record<string, string>> = {
  request: "requests",
  token: "tokens",
  "concurrent request": "concurrency",
};

/** Reads an answer. Throws for one that is neither an answer nor a refusal by a limit. */
export function readRefusal({ status, headers, body }: Told): Said {
  if (status === 200) return { outcome: "admitted" };
  const { message } = (JSON.parse(body) as { error: { message: string } }).error;
  const retry_s = Number(headers.get("retry-after"));
  if (status === 503 && /is unavailable for the moment/.test(message)) return { outcome: "unavailable", retry_s };
  const rate = RATE.exec(message);
  if (status === 429 && rate !== null) {
    const [, owner = "", allowed, limit = "", of, told_s] = rate;
    expect(Number(told_s)).toBe(retry_s);
    const whose = nameOf(owner, of);
    return {
      outcome: "rate_limited",
      whose,
      limit: LIMITS[limit] ?? "",
      allowed: allowed === undefined ? null : Number(allowed),
      retry_s,
    };
  }
  const budget = BUDGET.exec(message);
  if (status !== 402 || budget === null) throw new Error(`${status} ${message}`);
  const [, owner = "", window, of, left, needs, at] = budget;
  const renews = at === undefined ? null : ({ at, window } as Renewal);
  return { outcome: "budget_exceeded", whose: nameOf(owner, of), left: microOf(left), needs: microOf(needs), renews };
}

function nameOf(owner: string, of: string | undefined): string {
  return of === undefined ? owner : `${owner} for ${of}`;
}

function microOf(amount: string | undefined): number {
  return Math.round(Number(amount) * 1_000_000);
}

/** Expects that a budget renews at the first moment of its next window in the account's time zone. */
export function expectRenewal({ at, window }: Renewal, time_zone: string | null, now_ms: number): void {
  const zone = timeZoneOf(time_zone);
  const startAt = (time_ms: number): number => windowStart(window, zone.dayAt(time_ms));
  const at_ms = Date.parse(at);
  expect(at_ms).toBeGreaterThan(now_ms);
  expect(startAt(at_ms - 1)).toBe(startAt(now_ms));
  expect(startAt(at_ms)).toBeGreaterThan(startAt(now_ms));
}
