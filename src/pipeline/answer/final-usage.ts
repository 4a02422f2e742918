import type { AnswerReport, OutputMedia } from "../../core/answer/exchange.ts";
import { type Later, then } from "../../core/later.ts";
import { NO_USAGE, totalInput, type Usage, withExtra } from "../../core/money/usage.ts";
import { largestOutput } from "../../ledger/hold.ts";
import { quietly } from "../../observe/quietly.ts";
import type { PricedCandidate } from "../plan/prospects.ts";
import { servedBy } from "../plan/prospects.ts";
import { inputOf, SAMPLE_CHARACTERS } from "../request/collect-text.ts";
import {
  believedPart,
  doubtsOf,
  excessOf,
  isNothing,
  type UsageDoubts,
  withinBounds,
} from "../usage/believed-usage.ts";
import { BYTES_PER_TOKEN, type EstimateRequest } from "../usage/estimate-usage.ts";
import { unitUsage } from "../usage/unit-usage.ts";
import { contradiction } from "../usage/wrong-rows.ts";
import type { OwnedRequest, RunningRequest } from "./running-request.ts";

export interface FinalUsage {
  /** The candidate with the price list that is charged, which is that of the tier its vendor says it served. */
  readonly candidate: PricedCandidate;
  readonly usage: Usage;
  readonly estimated: boolean;
  /** The output that passed: the evidence for how far the hold may still grow. */
  readonly report: Pick<AnswerReport, "output_bytes">;
}

/**
 * The billed usage of an answer. A finished answer with a believable usage is billed as the vendor reports. A partial
 * answer takes from the vendor what it has reported (the input, in the messages protocol) and estimates the rest.
 */
export function finalUsage(
  run: RunningRequest,
  candidate: PricedCandidate,
  report: AnswerReport,
  finished: boolean,
): Later<FinalUsage> {
  return then(countedUsage(run, candidate, report, finished), ({ usage: counted, estimated, report }) => {
    const { candidate: priced, usage } = servedBy(candidate, counted);
    return { candidate: priced, usage, estimated, report };
  });
}

type CountedUsage = Omit<FinalUsage, "candidate">;

function countedUsage(
  run: RunningRequest,
  candidate: PricedCandidate,
  report: AnswerReport,
  finished: boolean,
): Later<CountedUsage> {
  const { usage: reported } = report;
  const by_units = unitUsage(reported, run.request, candidate.price);
  if (by_units !== null) {
    if (by_units.is_doubted) quietly(run.deps.log, () => noteDoubted(run, candidate, reported, ["input"]));
    return { usage: by_units.usage, estimated: false, report };
  }
  if (finished && reported !== null) return judgeUsage(run, candidate, report, reported);
  quietly(run.deps.log, () => noteEstimate(run, candidate, report, finished));
  return estimateUsage(run, candidate, believedReport(run, candidate, report));
}

/** The most output tokens that one answer of a candidate may have: the cap that was sent, or the model's maximum. */
function largestAnswer({ request, plan }: Pick<RunningRequest, "request" | "plan">, { model }: PricedCandidate) {
  const cap = request.output_cap ?? request.granted_cap;
  const sent_cap = cap === undefined ? cap : Math.min(cap, model.max_completion_tokens ?? cap);
  return plan.takes_cap && sent_cap !== undefined ? sent_cap : largestOutput(model);
}

/**
 * The billed usage of a finished answer whose vendor reports one: as reported, as far as it is believed (docs/rulings.md
 * 145). For the rest the estimate stands in, or the bound where that is lower, and the operator is told.
 */
function judgeUsage(
  run: RunningRequest,
  candidate: PricedCandidate,
  report: AnswerReport,
  reported: Usage,
): Later<CountedUsage> {
  quietly(run.deps.log, () => findWrongRow(run, candidate, reported));
  const doubts = doubtsOf(reported, run.request, largestAnswer(run, candidate), report);
  if (doubts === null) {
    const usage = isNothing(reported, report) ? reported : withUncounted(reported, candidate);
    return { usage, estimated: false, report };
  }
  const doubted = COUNTS.filter((what) => doubts[what]);
  quietly(run.deps.log, () => noteDisbelief(run, candidate, reported, doubted));
  return withoutDoubted(run, candidate, report, { reported, doubts });
}

/** Tells of a row that the usage contradicts (docs/rulings.md 171). A model's row is that of the configuration, whatever it counts as. */
function findWrongRow({ deps, request }: RunningRequest, candidate: PricedCandidate, reported: Usage): void {
  const { wrong_rows, configuration, clock } = deps;
  if (wrong_rows === undefined) return;
  const model = configuration.models.get(candidate.model.id) ?? candidate.model;
  const why = contradiction(reported, model, { price: candidate.price, choices: request.choices });
  if (why !== null) wrong_rows.found(model, why, clock.monotonic_ms());
}

/**
 * The report on an answer that has not ended, without the counts that exceed what the request asked for: an estimate
 * starts from it.
 */
export function believedReport(run: RunningRequest, candidate: PricedCandidate, report: AnswerReport): AnswerReport {
  const { usage } = report;
  const doubts = usage === null ? null : excessOf(usage, run.request, largestAnswer(run, candidate));
  if (usage === null || doubts === null) return report;
  return { ...passed(report), usage: believedPart(usage, doubts) };
}

async function withoutDoubted(
  run: RunningRequest,
  candidate: PricedCandidate,
  report: AnswerReport,
  { reported, doubts }: { readonly reported: Usage; readonly doubts: UsageDoubts },
): Promise<CountedUsage> {
  const known = believedPart(reported, doubts);
  const { usage } = await estimateUsage(run, candidate, { ...passed(report), usage: known, rejected_usage: reported });
  const { output_tokens, reasoning_tokens } = doubts.output ? usage : known;
  const bounds = {
    input_tokens: run.request.input_bound_tokens,
    output_tokens: largestAnswer(run, candidate) * run.request.choices,
  };
  const bounded = doubts.input ? bounds : { ...bounds, input_tokens: Number.POSITIVE_INFINITY };
  return { usage: withinBounds({ ...usage, output_tokens, reasoning_tokens }, bounded), estimated: true, report };
}

/** A report without its usage. Its members may be getters, which no spread has. */
function passed({ rejected_usage, output_bytes, output_sample, output_media }: AnswerReport) {
  return { rejected_usage, output_bytes, output_sample, output_media };
}

const COUNTS = ["input", "output", "calls"] as const;
type DoubtedCount = (typeof COUNTS)[number];

/** Counts and logs that an estimate stands in for counts of a vendor. */
export function noteDisbelief(
  run: OwnedRequest,
  candidate: Pick<PricedCandidate, "vendor" | "model">,
  reported: unknown,
  doubted: readonly DoubtedCount[],
): void {
  noteDoubted(run, candidate, reported, doubted);
  run.deps.metrics.estimated.add(1, candidate.vendor.id, "unbelievable");
}

function noteDoubted(
  { call, deps: { metrics, log } }: OwnedRequest,
  { vendor: { id: vendor }, model }: Pick<PricedCandidate, "vendor" | "model">,
  reported: unknown,
  doubted: readonly DoubtedCount[],
): void {
  for (const what of doubted) metrics.disbelieved.add(1, vendor, what);
  log.warn(
    { request_id: call.request_id, vendor, model: model.id, usage: reported, doubted },
    "a vendor's usage is not believed: it exceeds what was asked for, or counts nothing",
  );
}

/** The usage of an answer by its text, for the counts that its vendor has not reported. */
export async function estimateUsage(
  run: RunningRequest,
  candidate: PricedCandidate,
  report: AnswerReport,
): Promise<CountedUsage> {
  const known = report.usage ?? NO_USAGE;
  const input_known = totalInput(known) > 0;
  const estimate = await run.deps.estimator.estimate({
    ...(input_known ? { request_body: null } : await estimatedInput(run)),
    output_sample: report.output_sample,
    output_bytes: report.output_bytes,
  });
  const input = input_known
    ? known
    : { ...known, input_tokens: Math.min(estimate.input_tokens, run.plan.bound_tokens) };
  const { output_media } = report;
  const output_tokens = Math.max(known.output_tokens, estimate.output_tokens + (output_media?.tokens ?? 0));
  const counted = { ...input, output_tokens, reasoning_tokens: Math.min(known.reasoning_tokens, output_tokens) };
  return {
    usage: withUncounted(withMedia(counted, output_media), candidate),
    estimated: true,
    report,
  };
}

/**
 * The input that is estimated. That of a large body is collected where the body is; an estimate must come where that
 * thread is gone, and is then a share of the bytes.
 */
async function estimatedInput({
  request,
  plan,
  deps,
}: RunningRequest): Promise<Pick<EstimateRequest, "request_body" | "input">> {
  const { remote } = request;
  if (remote === undefined) return { request_body: null, input: inputOf(request, SAMPLE_CHARACTERS) };
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

/** Output that is no text, and that the vendor has not told apart, is all of one kind. */
function withMedia(usage: Usage, media: OutputMedia | undefined): Usage {
  const { output_tokens, reasoning_tokens, extra } = usage;
  if (media === undefined || extra?.parts?.[media.part] !== undefined) return usage;
  const parts = { ...extra?.parts, [media.part]: output_tokens - reasoning_tokens };
  return withExtra(usage, { ...extra, parts }) ?? usage;
}

/** A usage with the calls that are charged where the vendor does not report them, if it has not reported them. */
function withUncounted(usage: Usage, { calls_once }: Pick<PricedCandidate, "calls_once">): Usage {
  if (calls_once === undefined) return usage;
  return withExtra(usage, { ...usage.extra, calls: { ...calls_once, ...usage.extra?.calls } }) ?? usage;
}

/** The report of an answer of which nothing was delivered: its input alone. */
export function inputReport(report: Pick<AnswerReport, "usage" | "rejected_usage"> | null): AnswerReport {
  const usage = report?.usage ?? null;
  return {
    usage: usage === null ? null : { ...usage, output_tokens: 0, reasoning_tokens: 0 },
    rejected_usage: report?.rejected_usage ?? null,
    output_bytes: 0,
    output_sample: "",
  };
}
