import { GatewayError } from "../../core/errors.ts";
import { isLater, type Later } from "../../core/later.ts";
import { logQuietly } from "../../observe/quietly.ts";
import type { MeteredCall } from "../../routing/route-meters.ts";
import type { UpstreamReply } from "../../wire/client/reply.ts";
import type { PricedCandidate } from "../plan/prospects.ts";
import { clientLeft } from "../request/client-left.ts";
import { type AttemptContext, VendorAttempt } from "./attempt.ts";
import type { VendorExchange } from "./request-for.ts";
import type { AttemptVerdict, Health } from "./vendor-failure.ts";

/** The largest number of calls to vendors for one answer, however many candidates there are. */
const MAX_ATTEMPTS = 4;

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
  for (let index = 0; index < candidates.length && context.notes.attempts.length < MAX_ATTEMPTS; index += 1) {
    const candidate = candidates[index] as Candidate;
    const made = strategy.exchangeFor(candidate, index);
    const exchange = isLater(made) ? await made : made;
    if (isLater(made) && context.signal.aborted) return left();
    if (exchange === null) continue;
    for (let again = true; again; ) {
      const now_ms = context.deps.clock.monotonic_ms();
      if (!takeTurn(context, candidate, now_ms)) break;
      const attempt = new VendorAttempt(context, candidate, exchange, now_ms);
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
      again = result.retry === "same" && candidates.length === 1 && context.notes.attempts.length < 2;
    }
  }
  return last ?? allUnavailable(context, candidates);
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

/**
 * Whether the candidate may be asked now: its circuit is closed or due for a probe, and its vendor's budget allows it.
 */
function takeTurn(context: AttemptContext, candidate: PricedCandidate, now_ms: number): boolean {
  const { breakers } = context.deps;
  const { vendor, route } = candidate;
  const { account_id } = context.call.key;
  if (!breakers.allow(vendor.id, route.upstream_model, account_id)) return false;
  if (takeFromBudget(context, vendor.id, now_ms)) return true;
  // `allow` may have taken the circuit's only place for a probe: it is given back.
  breakers.undecided(vendor.id, route.upstream_model, account_id);
  return false;
}

/**
 * Takes a retry from the vendor's budget. Only a repeated call to one vendor costs a retry; a call to another vendor
 * costs nothing, as each vendor still gets at most one call of this request.
 */
function takeFromBudget({ deps, notes }: AttemptContext, vendor: string, now_ms: number): boolean {
  const budget = deps.retryBudgetOf(vendor);
  for (const attempt of notes.attempts) if (attempt.vendor === vendor) return budget.takeRetry(now_ms);
  budget.countRequest(now_ms);
  return true;
}

function report(context: AttemptContext, candidate: PricedCandidate, verdict: AttemptVerdict): void {
  const { breakers, log } = context.deps;
  const { vendor, route } = candidate;
  breakers[recordOf(verdict)](vendor.id, route.upstream_model, context.call.key.account_id);
  if (context.signal.aborted) return;
  log.warn(
    {
      request_id: context.call.request_id,
      vendor: vendor.id,
      upstream_model: route.upstream_model,
      status: context.notes.attempts.at(-1)?.status ?? null,
      code: verdict.error.code,
      reason: verdict.error.cause instanceof Error ? verdict.error.cause.message : verdict.error.message,
    },
    "an attempt at a vendor failed",
  );
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

/** The client has left before this candidate was asked. */
function left(): AttemptVerdict {
  return { error: clientLeft(), retry: "never", health: "unknown" };
}

function allUnavailable({ deps, call }: AttemptContext, candidates: readonly PricedCandidate[]): AttemptVerdict {
  const waits = candidates.map(({ vendor, route }) =>
    deps.breakers.waitMs(vendor.id, route.upstream_model, call.key.account_id),
  );
  const name = candidates[0]?.model.id ?? "asked for";
  const error = new GatewayError("model_unavailable", `The model ${name} is unavailable for the moment.`, {
    retry_after_ms: Math.max(1000, Math.min(...waits)),
  });
  return { error, retry: "next", health: "unknown" };
}
