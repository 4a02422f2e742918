import type { DecisionClientProtocol } from "../../core/decision.ts";
import type { StoredAnswer } from "../../core/ledger.ts";
import { NO_USAGE } from "../../core/usage.ts";
import type { Answer, BilledCall } from "../call.ts";
import { decideByEngine } from "./decide-by-engine.ts";
import { decideByVendor } from "./decide-by-vendor.ts";
import { planDecision } from "./decide-plan.ts";
import type { PipelineDeps } from "../deps.ts";
import { readAndAdmit } from "../admission/read-and-admit.ts";
import { releaseFailed } from "../generation/release-failed.ts";
import { keptHeaders, replayAnswer } from "../admission/replay.ts";
import type { Decided, RunningDecision } from "./running-decision.ts";
import { RunningRequest } from "../generation/running-request.ts";
import { type AttemptVerdict, clientLeft } from "../asking/vendor-failure.ts";
import { JSON_TYPE } from "../generation/whole-answer.ts";

/**
 * Answers a decision request: checks it, admits it with a hold for its input, asks the vendor or the engine, and
 * returns the answer once its charge is durable. Throws the GatewayError that the client gets; the hold has then ended.
 */
export async function decide(deps: PipelineDeps, call: BilledCall, protocol: DecisionClientProtocol): Promise<Answer> {
  const admission = await readAndAdmit(deps, call, call.key, {
    read: () => protocol.readRequest(call.text),
    plan: (key, asked) => planDecision(deps, call, key, asked),
  });
  if (admission.kind === "replay") return replayAnswer(admission.answer);
  const run: RunningDecision = new RunningRequest(deps, call, admission.request, admission.plan);
  try {
    return await answerDecision(run, protocol);
  } catch (thrown) {
    throw await releaseFailed(run, thrown);
  }
}

async function answerDecision(run: RunningDecision, protocol: DecisionClientProtocol): Promise<Answer> {
  const { call, request } = run;
  const { source, answers, input_tokens, estimated, headers } = await seekDecision(run);
  // A client that left before there was an answer is not charged (docs/rulings.md 46).
  if (call.signal.aborted) throw clientLeft();
  const result = { model: source.model.id, answers, input_tokens };
  const body = Buffer.from(protocol.encodeAnswer(result, request.decision));
  const usage = { ...NO_USAGE, input_tokens };
  const kept = { status: 200, content_type: JSON_TYPE, headers: { ...keptHeaders(run), ...headers }, body };
  const answer: StoredAnswer | null = call.idempotency_key === null ? null : kept;
  await run.settle({ candidate: source, usage, estimated, error: null, success: true, answer });
  return { status: 200, content_type: JSON_TYPE, headers, body };
}

/** The decision of the first source that decides. Throws the last failure when no source does. */
async function seekDecision(run: RunningDecision): Promise<Decided> {
  let last: AttemptVerdict | null = null;
  for (const source of run.plan.sources) {
    const result: Decided | AttemptVerdict =
      source.kind === "native" ? await decideByVendor(run, source) : await decideByEngine(run, source);
    if ("kind" in result) return result;
    last = result;
    if (result.retry === "never" || run.signal.aborted) break;
  }
  throw last?.error ?? new Error("a decision was planned without a source");
}
