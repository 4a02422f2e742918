import type { Route } from "../../core/catalog/catalog.ts";
import { GatewayError } from "../../core/errors.ts";
import { isLater, type Later } from "../../core/later.ts";
import { logQuietly } from "../../observe/quietly.ts";
import type { Breakers } from "../../routing/breaker.ts";
import type { MeteredCall } from "../../routing/route-meters.ts";
import type { LimitReservation } from "../../routing/vendor-limits.ts";
import type { UpstreamReply } from "../../wire/client/reply.ts";
import type { PricedCandidate } from "../plan/prospects.ts";
import { clientLeft } from "../request/client-left.ts";
import { type AttemptContext, VendorAttempt } from "./attempt.ts";
import type { VendorExchange } from "./request-for.ts";
import type { AttemptVerdict, Health } from "./vendor-failure.ts";

/** The largest number of calls to vendors for one answer, however many candidates there are. */
const MAX_ATTEMPTS = 4;

const NO_ROUTES: ReadonlySet<Route> = new Set();
const NOBODY: readonly string[] = [];

/** How candidates are asked for one kind of answer. */
export interface AttemptStrategy<Candidate extends PricedCandidate, Made extends VendorExchange, Opened> {
  /** The exchange for a candidate, later where another thread makes it; null where the candidate cannot honour the request. */
  exchangeFor(candidate: Candidate, index: number): Later<Made | null>;
  /**
   * Reads the beginning of a reply with a good status; synchronous where all of it is there. An answer that continues
   * takes over the meter.
   */
  open(
    candidate: Candidate,
    exchange: Made,
    reply: UpstreamReply,
    metered: MeteredCall,
  ): Later<Opened | AttemptVerdict>;
}

/**
 * Tries the candidates in order until one answers: only before the first byte, within the vendors' retry budgets,
 * without routes whose circuit is open. Resolves with the last failure, or with 503 when no candidate could be tried
 * (docs/rulings.md 28).
 */
export async function seekAnswer<
  Candidate extends PricedCandidate,
  Made extends VendorExchange,
  Opened extends { readonly kind: string; readonly metered?: MeteredCall },
>(
  context: AttemptContext,
  candidates: readonly Candidate[],
  strategy: AttemptStrategy<Candidate, Made, Opened>,
): Promise<Opened | AttemptVerdict> {
  let last: AttemptVerdict | null = null;
  let failed_routes = NO_ROUTES;
  let passed_over: readonly string[] = NOBODY;
  for (let index = 0; index < candidates.length && context.notes.attempts.length < MAX_ATTEMPTS; index += 1) {
    const candidate = candidates[index] as Candidate;
    // Another credential of a route that has failed would meet the same failure.
    if (failed_routes.has(candidate.route)) continue;
    const made = strategy.exchangeFor(candidate, index);
    const exchange = isLater(made) ? await made : made;
    // The client has left before this candidate was asked.
    if (isLater(made) && context.signal.aborted) return { error: clientLeft(), retry: "never", health: "unknown" };
    if (exchange === null) continue;
    for (let again = true; again; ) {
      const now_ms = context.deps.clock.monotonic_ms();
      const taken = takeCandidate(context, candidate, now_ms);
      if (typeof taken === "string") {
        passed_over = [...passed_over, passedOver(candidate, taken)];
        break;
      }
      const attempt = new VendorAttempt(context, candidate, exchange, {
        started_ms: now_ms,
        passed_over,
        reservation: taken,
      });
      passed_over = NOBODY;
      let result: Opened | AttemptVerdict;
      let at_once = false;
      try {
        const reply = await attempt.ask();
        const opened = attempt.replied(reply) ?? strategy.open(candidate, exchange, reply, attempt.metered);
        at_once = !isLater(opened);
        result = isLater(opened) ? await opened : opened;
      } catch (thrown) {
        result = attempt.judge(thrown);
      }
      if ("kind" in result) {
        noteAnswered(context, attempt, result, at_once);
        return result;
      }
      attempt.failed(result);
      report(context, candidate, result);
      last = result;
      if (result.retry === "never" || context.signal.aborted) return result;
      const is_repeated = result.retry === "same" && context.notes.attempts.length < 2;
      again = is_repeated && candidates.length === 1;
      if (
        candidate.credential !== undefined &&
        result.refuses === undefined &&
        !(is_repeated && isOnlyRoute(candidates))
      )
        failed_routes = new Set([...failed_routes, candidate.route]);
    }
  }
  return last ?? allUnavailable(context, candidates);
}

function isOnlyRoute(candidates: readonly PricedCandidate[]): boolean {
  return candidates.every(({ route }) => route === candidates[0]?.route);
}

/** Records an answer's measures. A failure here is logged only: measures must not cost a client its answer. */
function noteAnswered(
  { deps }: AttemptContext,
  attempt: VendorAttempt,
  { metered }: { readonly metered?: MeteredCall },
  at_once: boolean,
): void {
  try {
    attempt.answered(metered !== undefined, at_once);
  } catch (thrown) {
    logQuietly(deps.log, thrown);
  }
  try {
    attempt.succeeded();
  } catch (thrown) {
    logQuietly(deps.log, thrown);
  }
}

/** A candidate that is not asked, with the reason. */
function passedOver({ vendor, route, credential }: PricedCandidate, why: string): string {
  return `${vendor.id} ${credential?.name ?? route.upstream_model}: ${why}`;
}

function limitReached(name: string): string {
  return `its limit of ${name} is reached`;
}

/**
 * Takes the candidate where it may be asked now: its circuit is closed or due for a probe, its vendor's budget allows it, and there is a place in its limits.
 * Returns that place, null where there are no limits, or why it may not be asked now.
 */
function takeCandidate(
  context: AttemptContext,
  candidate: PricedCandidate,
  now_ms: number,
): LimitReservation | string | null {
  const { breakers } = context.deps;
  const { vendor, route, credential } = candidate;
  const { account_id } = context.call.key;
  if (credential !== undefined && !breakers.credentials.allow(vendor.id, credential.name, account_id)) return "rests";
  let barrier = "circuit open";
  if (breakers.allow(vendor.id, route.upstream_model, account_id)) {
    const reservation = takeFromLimits(context, candidate);
    if (typeof reservation === "string") barrier = limitReached(reservation);
    else if (takeFromBudget(context, candidate, now_ms)) return reservation;
    else {
      reservation?.end();
      barrier = "no retry left";
    }
    // `allow` may have taken the circuit's only place for a probe: it is given back.
    breakers.undecided(vendor.id, route.upstream_model, account_id);
  }
  if (credential !== undefined) breakers.credentials.undecided(vendor.id, credential.name, account_id);
  return barrier;
}

function takeFromLimits({ deps, bound_tokens }: AttemptContext, { vendor, credential }: PricedCandidate) {
  if (vendor.limits === undefined && credential?.limits === undefined) return null;
  return deps.vendor_limits.take(vendor, credential, bound_tokens);
}

/**
 * Takes a retry from the vendor's budget. Only a repeated call to one vendor costs a retry; a call to another vendor, or with another
 * credential after one was refused, costs nothing, as each still gets at most one call of this request.
 */
function takeFromBudget(
  { deps, notes }: AttemptContext,
  { vendor, credential }: PricedCandidate,
  now_ms: number,
): boolean {
  const budget = deps.retryBudgetOf(vendor.id);
  for (const attempt of notes.attempts) {
    const is_free = attempt.credential !== credential?.name && REFUSALS.has(attempt.status ?? 0);
    if (attempt.vendor === vendor.id && !is_free) return budget.takeRetry(now_ms);
  }
  budget.countRequest(now_ms);
  return true;
}

/** Statuses that are about the credential. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 429]);

function report(context: AttemptContext, candidate: PricedCandidate, verdict: AttemptVerdict): void {
  const { breakers, log } = context.deps;
  const { vendor, route, credential } = candidate;
  const { account_id } = context.call.key;
  if (credential !== undefined)
    reportCredential(breakers, { vendor: vendor.id, name: credential.name, account_id }, verdict);
  const record = credential !== undefined && verdict.refuses !== undefined ? "undecided" : recordOf(verdict);
  breakers[record](vendor.id, route.upstream_model, account_id);
  if (context.signal.aborted) return;
  log.warn(
    {
      request_id: context.call.request_id,
      vendor: vendor.id,
      upstream_model: route.upstream_model,
      ...(credential !== undefined && { credential: credential.name }),
      status: context.notes.attempts.at(-1)?.status ?? null,
      code: verdict.error.code,
      ...(verdict.reason?.is_quoted !== true && { reason: causeOf(verdict.error) }),
    },
    "an attempt at a vendor failed",
  );
}

/** What an attempt says about one of several credentials. A limit was noted when it was read. */
function reportCredential(
  { credentials }: Breakers,
  { vendor, name, account_id }: { readonly vendor: string; readonly name: string; readonly account_id: string },
  { refuses, health }: AttemptVerdict,
): void {
  if (refuses === "refused") credentials.refused(vendor, name);
  else if (refuses === "forbidden") credentials.forbidden(vendor, name, account_id);
  else if (health === "fine") credentials.answered(vendor, name, account_id);
  else credentials.undecided(vendor, name, account_id);
}

/** The method of the route's circuits that records a failed attempt (docs/rulings.md 150). */
const RECORDS = {
  failed: "failed",
  unreachable: "refused",
  forbidden: "forbidden",
  missing: "answered",
  fine: "answered",
  unknown: "undecided",
} as const;

function recordOf({ health, error }: AttemptVerdict): (typeof RECORDS)[Health] {
  return error.code === "provider_rate_limited" ? "answered" : RECORDS[health];
}

function allUnavailable(
  { deps, call, bound_tokens }: AttemptContext,
  candidates: readonly PricedCandidate[],
): AttemptVerdict {
  const { breakers } = deps;
  const { account_id } = call.key;
  const waits = candidates.map(({ vendor, route, credential }) => {
    const limited_ms =
      vendor.limits === undefined && credential?.limits === undefined
        ? 0
        : deps.vendor_limits.waitMs(vendor, credential, bound_tokens);
    const circuit_ms = Math.max(limited_ms, breakers.waitMs(vendor.id, route.upstream_model, account_id));
    if (credential === undefined) return circuit_ms;
    return Math.max(circuit_ms, breakers.credentials.waitMs(vendor.id, credential.name, account_id));
  });
  const name = candidates[0]?.model.id ?? "asked for";
  const error = new GatewayError("model_unavailable", `The model ${name} is unavailable for the moment.`, {
    retry_after_ms: Math.max(1000, Math.min(...waits)),
  });
  return { error, retry: "next", health: "unknown" };
}

function causeOf({ cause, message }: AttemptVerdict["error"]): string {
  return cause instanceof Error ? cause.message : message;
}
