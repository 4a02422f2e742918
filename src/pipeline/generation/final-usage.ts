import type { AnswerReport } from "../../core/exchange.ts";
import { NO_USAGE, totalInput } from "../../core/usage.ts";
import { BYTES_PER_TOKEN, type EstimateRequest } from "./estimate-usage.ts";
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
    ...(input_known ? { request_body: null } : await inputOf(run)),
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

/**
 * The input that is estimated. That of a large body is collected where the body is; an estimate must come where that
 * thread is gone, and is then a share of the bytes.
 */
async function inputOf({
  request,
  plan,
  deps,
}: RunningRequest): Promise<Pick<EstimateRequest, "request_body" | "input">> {
  const { remote, body } = request;
  if (remote === undefined) return { request_body: body };
  try {
    return { request_body: null, input: await remote.collectInput() };
  } catch (thrown) {
    quietly(deps.log, () => deps.log.error({ err: thrown }, "the input of a large body could not be collected"));
    const media_tokens = Math.ceil(plan.bound_tokens / BYTES_PER_TOKEN);
    return { request_body: null, input: { sample: "", characters: 0, media_tokens } };
  }
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
