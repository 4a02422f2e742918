import type { AnswerReport } from "../../core/exchange.ts";
import { NO_USAGE, totalInput } from "../../core/usage.ts";
import { quietly } from "../../observe/quietly.ts";
import { believedReport, type FinalUsage, judgeUsage } from "./judge-usage.ts";
import type { PricedCandidate } from "./plan.ts";
import { withUncounted } from "./priced-exchange.ts";
import type { RunningRequest } from "./running-request.ts";

export type { FinalUsage } from "./judge-usage.ts";

/**
 * The billed usage of an answer. A finished answer with a believable usage is billed as the vendor reports. A partial
 * answer takes from the vendor what it has reported (the input, in the messages protocol) and estimates the rest.
 */
export function finalUsage(
  run: RunningRequest,
  candidate: PricedCandidate,
  report: AnswerReport,
  finished: boolean,
): FinalUsage | Promise<FinalUsage> {
  const { usage: told } = report;
  if (finished && told !== null) return judgeUsage(run, candidate, report, { told, estimate: estimateUsage });
  quietly(run.deps.log, () => noteEstimate(run, candidate, report, finished));
  return estimateUsage(run, candidate, believedReport(run, candidate, report));
}

/** What an answer is billed as by its text, as far as its vendor has reported nothing. */
export async function estimateUsage(
  run: RunningRequest,
  candidate: PricedCandidate,
  report: AnswerReport,
): Promise<FinalUsage> {
  const known = report.usage ?? NO_USAGE;
  const input_known = totalInput(known) > 0;
  const estimate = await run.deps.estimator.estimate({
    request_body: input_known ? null : run.request.body,
    output_sample: report.output_sample,
    output_bytes: report.output_bytes,
  });
  const input = input_known
    ? known
    : { ...known, input_tokens: Math.min(estimate.input_tokens, run.plan.bound_tokens) };
  const output_tokens = Math.max(known.output_tokens, estimate.output_tokens);
  return {
    usage: withUncounted(
      { ...input, output_tokens, reasoning_tokens: Math.min(known.reasoning_tokens, output_tokens) },
      candidate,
    ),
    estimated: true,
    report,
  };
}

function noteEstimate(run: RunningRequest, candidate: PricedCandidate, report: AnswerReport, finished: boolean): void {
  const vendor = candidate.vendor.id;
  const unbelievable = report.rejected_usage !== null && report.rejected_usage !== undefined;
  const reason = unbelievable ? "unbelievable" : finished ? "missing" : "unfinished";
  run.deps.metrics.estimated.add(1, vendor, reason);
  if (!unbelievable) return;
  run.deps.log.error(
    { request_id: run.call.request_id, vendor, usage: report.rejected_usage },
    "a vendor sent a usage that cannot be believed: the request is billed by estimate",
  );
}
