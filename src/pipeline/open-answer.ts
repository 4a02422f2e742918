import { GatewayError } from "../core/errors.ts";
import type { Exchange } from "../core/exchange.ts";
import { attempt, type CallHolder, type OpenedAnswer } from "./attempt.ts";
import { type PlannedCandidate, targetOf } from "./plan.ts";
import type { RunningRequest } from "./running-request.ts";
import type { AttemptVerdict } from "./vendor-failure.ts";

/** At most so many calls to vendors for one request, whatever the number of candidates. */
const MAX_ATTEMPTS = 4;

/**
 * Tries the candidates in order until one answers: only before the first byte, within the vendors' retry budgets, past
 * open circuits. Throws the last failure, or 503 when no candidate could even be tried.
 */
export async function openAnswer(run: RunningRequest, holder: CallHolder): Promise<OpenedAnswer> {
  const { deps, plan } = run;
  let last: AttemptVerdict | null = null;
  for (let index = 0; index < plan.candidates.length && run.attempts.length < MAX_ATTEMPTS; index += 1) {
    const candidate = plan.candidates[index] as PlannedCandidate;
    const { vendor, route } = candidate;
    const exchange = exchangeFor(run, candidate, index);
    if (exchange === null) continue;
    for (let again = true; again; ) {
      if (!deps.breakers.allow(vendor.id, route.upstream_model)) break;
      if (!takeTurn(run, candidate)) {
        // Being allowed may have taken the one place of a circuit's probe.
        deps.breakers.undecided(vendor.id, route.upstream_model);
        break;
      }
      const result = await attempt(run, candidate, exchange, holder);
      if ("kind" in result) {
        deps.breakers.succeeded(vendor.id, route.upstream_model);
        run.call.notes.ignored = exchange.ignored;
        return result;
      }
      report(run, candidate, result);
      last = result;
      if (result.retry === "never" || run.call.signal.aborted) throw result.error;
      again = result.retry === "same" && plan.candidates.length === 1 && run.attempts.length < 2;
    }
  }
  throw last?.error ?? allUnavailable(run);
}

/** A fallback that cannot honour the request is passed over; the first candidate was prepared when it was planned. */
function exchangeFor(run: RunningRequest, candidate: PlannedCandidate, index: number): Exchange | null {
  if (index === 0) return run.plan.first_exchange;
  try {
    return candidate.way.prepare(run.request, targetOf(candidate), run.call.headers);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return null;
    throw thrown;
  }
}

/**
 * Asking a vendor again for the same request costs a retry of its budget. Asking another one in its place costs nothing:
 * no vendor gets more of it than one request each.
 */
function takeTurn(run: RunningRequest, { vendor }: PlannedCandidate): boolean {
  const budget = run.deps.retryBudgetOf(vendor.id);
  if (run.attempts.some((attempt) => attempt.vendor === vendor.id)) return budget.takeRetry();
  budget.countRequest();
  return true;
}

function report(run: RunningRequest, candidate: PlannedCandidate, verdict: AttemptVerdict): void {
  const { breakers, log } = run.deps;
  const { vendor, route } = candidate;
  if (verdict.health === "failed") breakers.failed(vendor.id, route.upstream_model);
  else if (verdict.health === "fine") breakers.succeeded(vendor.id, route.upstream_model);
  else breakers.undecided(vendor.id, route.upstream_model);
  if (run.call.signal.aborted) return;
  log.warn(
    {
      request_id: run.call.request_id,
      vendor: vendor.id,
      upstream_model: route.upstream_model,
      status: run.attempts.at(-1)?.status ?? null,
      code: verdict.error.code,
      reason: verdict.error.cause instanceof Error ? verdict.error.cause.message : verdict.error.message,
    },
    "an attempt at a vendor failed",
  );
}

function allUnavailable(run: RunningRequest): GatewayError {
  const waits = run.plan.candidates.map(({ vendor, route }) =>
    run.deps.breakers.waitMs(vendor.id, route.upstream_model),
  );
  return new GatewayError("model_unavailable", `The model ${run.plan.model.id} is unavailable for the moment.`, {
    retry_after_ms: Math.max(1000, Math.min(...waits)),
  });
}
