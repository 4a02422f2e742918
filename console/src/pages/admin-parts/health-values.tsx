import type { Circuit, Percentiles, RouteHealth, VendorHealth } from "../../../../contract/vendors.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { formatAgo, formatCount, formatDuration, formatShare } from "../../kit/format.ts";
import { None } from "../../kit/values.tsx";

type MeasuredHealth = RouteHealth | VendorHealth;

/** Two latencies: half of the calls were quicker than the first, 95 of 100 quicker than the second. */
export function Latency({ of, what }: { of: Percentiles; what: string }) {
  if (of.p50 === null) return <None />;
  const p95 = of.p95 ?? of.p50;
  return (
    <span
      className="whitespace-nowrap tabular-nums"
      data-hint={`${what}: p50 ${formatDuration(of.p50)}, p95 ${formatDuration(p95)}`}
    >
      {formatDuration(of.p50)}
      <span className="text-ink-soft"> / {formatDuration(p95)}</span>
    </span>
  );
}

const WARN_RATE = 0.02;
const DANGER_RATE = 0.2;

/** The share of calls that failed, with how many and the newest reason on hover. */
export function ErrorRate({ health }: { health: MeasuredHealth }) {
  const { error_rate } = health;
  if (error_rate === null) return <None />;
  const tone: Tone = error_rate >= DANGER_RATE ? "danger" : error_rate >= WARN_RATE ? "warn" : "neutral";
  if (tone === "neutral")
    return (
      <span className="tabular-nums" data-hint={errorsInWords(health)}>
        {formatShare(error_rate)}
      </span>
    );
  return (
    <Badge tone={tone} hint={errorsInWords(health)} className="tabular-nums">
      {formatShare(error_rate)}
    </Badge>
  );
}

function errorsInWords({ calls, errors, rate_limited, last_error }: MeasuredHealth): string {
  const lines = [`${formatCount(errors)} of ${formatCount(calls)} calls failed`];
  if (rate_limited > 0) lines.push(`${formatCount(rate_limited)} by the vendor's rate limit`);
  if (last_error !== null) {
    const status = last_error.status === null ? "" : ` (${last_error.status})`;
    lines.push(`The last, ${formatAgo(Date.parse(last_error.at), Date.now())}: ${last_error.code}${status}`);
  }
  return lines.join("\n");
}

const CIRCUITS: Readonly<Record<Circuit["state"], { tone: Tone; label: string; hint: string }>> = {
  closed: { tone: "good", label: "healthy", hint: "Requests go through" },
  "half-open": { tone: "warn", label: "testing", hint: "The next request tests whether it works again" },
  open: { tone: "danger", label: "failing", hint: "Too many calls failed, so it is not used" },
};

const ERRORS = { tone: "warn", label: "many errors", hint: "Requests go through, but many fail" } as const;

/** Whether so many calls fail that nothing about them is good, though requests still go through. */
export function isFailing({ error_rate }: Pick<MeasuredHealth, "error_rate">): boolean {
  return error_rate !== null && error_rate >= DANGER_RATE;
}

/** Whether a route takes requests, and whether they succeed. */
export function CircuitBadge({ health }: { health: Pick<RouteHealth, "circuit" | "error_rate"> }) {
  const { circuit } = health;
  const { accounts_alone } = circuit;
  const { label, hint, ...shown } = circuit.state === "closed" && isFailing(health) ? ERRORS : CIRCUITS[circuit.state];
  const tone = accounts_alone === null ? shown.tone : "warn";
  const alone = accounts_alone === 1 ? "1 account" : `${formatCount(accounts_alone ?? 0)} accounts`;
  const opens = circuit.half_opens_at && ` until ${formatAgo(Date.parse(circuit.half_opens_at), Date.now())}`;
  return (
    <Badge
      tone={tone}
      hint={`${hint}${opens || ""}${accounts_alone === null ? "" : `, for ${alone}: others get through`}`}
    >
      <span aria-hidden="true" className="size-1.5 rounded-full bg-current" />
      {accounts_alone === null ? label : `${label} for ${alone}`}
    </Badge>
  );
}

const CLOSED: Circuit = { state: "closed", half_opens_at: null, accounts_alone: null };

/** How many of a vendor's routes have an open circuit. */
export function CircuitsBadge({ health, routes }: { health: VendorHealth; routes: number }) {
  if (health.circuits_open === 0) return <CircuitBadge health={{ circuit: CLOSED, error_rate: health.error_rate }} />;
  return (
    <Badge tone="danger" hint={`${health.circuits_open} of ${routes} models have a failing route`}>
      <span aria-hidden="true" className="size-1.5 rounded-full bg-current" />
      {formatCount(health.circuits_open)} failing
    </Badge>
  );
}
