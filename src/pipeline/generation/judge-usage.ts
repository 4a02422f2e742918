import type { AnswerReport } from "../../core/exchange.ts";
import type { Usage } from "../../core/usage.ts";
import { largestOutput } from "../../ledger/hold.ts";
import { quietly } from "../../observe/quietly.ts";
import { believedPart, type UsageDoubts, doubtsOf, excessOf, withinBounds } from "./believed-usage.ts";
import type { PricedCandidate } from "./plan.ts";
import { withUncounted } from "./priced-exchange.ts";
import type { RunningRequest } from "./running-request.ts";

export interface FinalUsage {
  readonly usage: Usage;
  readonly estimated: boolean;
  /** What passed of the answer: the evidence for what the hold may still grow to. */
  readonly report?: Pick<AnswerReport, "output_bytes">;
}

type Estimate = (run: RunningRequest, candidate: PricedCandidate, report: AnswerReport) => Promise<FinalUsage>;

/** The most output tokens that one answer of a candidate may have: the cap that was sent, or the model's maximum. */
export function largestAnswer({ request, plan }: Pick<RunningRequest, "request" | "plan">, { model }: PricedCandidate) {
  const cap = request.output_cap ?? request.granted_cap;
  return plan.takes_cap && cap !== undefined ? cap : largestOutput(model);
}

/**
 * The billed usage of a finished answer for which its vendor told one: as told, as far as it is believed (docs/rulings.md
 * 145). For the rest the estimate stands in, or the bound where that is lower, and the operator is told.
 */
export function judgeUsage(
  run: RunningRequest,
  candidate: PricedCandidate,
  report: AnswerReport,
  { told, estimate }: { readonly told: Usage; readonly estimate: Estimate },
): FinalUsage | Promise<FinalUsage> {
  const doubts = doubtsOf(told, run.request, largestAnswer(run, candidate), report);
  if (doubts === null) return { usage: withUncounted(told, candidate), estimated: false, report };
  quietly(run.deps.log, () => noteDoubts(run, candidate, told, doubts));
  return withoutDoubted(run, candidate, report, { told, estimate, doubts });
}

/**
 * What is known of an answer that has not ended, without what its vendor claims beyond what was asked for: an estimate
 * starts from it.
 */
export function believedReport(run: RunningRequest, candidate: PricedCandidate, report: AnswerReport): AnswerReport {
  const { usage, rejected_usage, output_bytes, output_sample } = report;
  const doubts = usage === null ? null : excessOf(usage, run.request, largestAnswer(run, candidate));
  if (usage === null || doubts === null) return report;
  return { usage: believedPart(usage, doubts), rejected_usage, output_bytes, output_sample };
}

async function withoutDoubted(
  run: RunningRequest,
  candidate: PricedCandidate,
  report: AnswerReport,
  { told, estimate, doubts }: { readonly told: Usage; readonly estimate: Estimate; readonly doubts: UsageDoubts },
): Promise<FinalUsage> {
  const known = believedPart(told, doubts);
  const { output_bytes, output_sample } = report;
  const { usage } = await estimate(run, candidate, { usage: known, rejected_usage: told, output_bytes, output_sample });
  const { output_tokens, reasoning_tokens } = doubts.output ? usage : known;
  const bounds = {
    input_tokens: run.request.input_bound_tokens,
    output_tokens: largestAnswer(run, candidate) * run.request.choices,
  };
  const bounded = doubts.input ? bounds : { ...bounds, input_tokens: Number.POSITIVE_INFINITY };
  return { usage: withinBounds({ ...usage, output_tokens, reasoning_tokens }, bounded), estimated: true, report };
}

function noteDoubts(run: RunningRequest, candidate: PricedCandidate, told: Usage, doubts: UsageDoubts): void {
  const vendor = candidate.vendor.id;
  const { metrics, log } = run.deps;
  const doubted = (["input", "output", "calls"] as const).filter((what) => doubts[what]);
  for (const what of doubted) metrics.disbelieved.add(1, vendor, what);
  metrics.estimated.add(1, vendor, "unbelievable");
  log.warn(
    { request_id: run.call.request_id, vendor, model: candidate.model.id, usage: told, doubted },
    "a vendor's usage is not believed: it exceeds what was asked for, or counts nothing",
  );
}
