import type { ClientRequest } from "../../core/answer/exchange.ts";
import type { SettleOp, SettleResult } from "../../core/ledger/ledger.ts";
import { AdmissionRefused } from "../admit/admit.ts";
import type { FoundCached } from "../admit/find-cached.ts";
import {
  type Admission,
  type CachedAdmission,
  type Found,
  type RequestShape,
  readAndAdmit,
} from "../admit/read-and-admit.ts";
import { replayAnswer } from "../admit/replay.ts";
import { RunningRequest } from "../answer/running-request.ts";
import type { AdmittedCall, BilledCall, RefusedCall, WrittenAnswer } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { AdmissiblePlan } from "../plan/plan.ts";
import { type AnswerProducer, answerAdmitted } from "../settle/answer-admitted.ts";
import { type EarlyAnswer, inTime } from "../settle/awaited-stream.ts";
import { CachedHit } from "./cached-hit.ts";

/**
 * What is particular to the calls of one endpoint: how its requests are read, planned and answered. All else is one path for every
 * endpoint that is billed (docs/adr/0079).
 */
export interface BilledUse<Asked extends ClientRequest, Plan extends AdmissiblePlan> extends RequestShape<Asked, Plan> {
  /** The request as it was admitted: with less output where the wallet paid for no more. */
  granted?(admission: Admission<Asked, Plan>): Pick<Admission<Asked, Plan>, "request" | "plan">;
  answering(run: RunningRequest<Plan, Asked>): Answering;
}

/** How an admitted request is answered; with `early`, a stream's head may go out before the answer is there. */
export type Answering = AnswerProducer & { readonly early?: EarlyAnswer };

/**
 * Admits a call of a billed endpoint: reads it, plans it, and takes its hold. Its answer is then asked for, and given back once its charge is
 * durable. Never rejects: a refusal is a result, with what was found out by then, and no hold is open.
 */
export async function admitCall<Asked extends ClientRequest, Plan extends AdmissiblePlan>(
  deps: PipelineDeps,
  call: BilledCall,
  use: BilledUse<Asked, Plan>,
): Promise<AdmittedCall | RefusedCall> {
  const found: Found<Asked> = { request: null, model: null };
  const asked: { hit: CachedHit | null } = { hit: null };
  const chargeOf = (request: Asked, cached: FoundCached): SettleOp => {
    asked.hit = new CachedHit(new RunningRequest(deps, call, request, cached.plan), cached);
    return asked.hit.settlement();
  };
  let admission: Admission<Asked, Plan> | CachedAdmission<Asked>;
  try {
    admission = await readAndAdmit(deps, call, { shape: use, found, chargeOf });
  } catch (thrown) {
    // Another thread may forget the body.
    (found.request?.remote ?? found.request?.kept)?.release();
    const result = thrown instanceof AdmissionRefused ? thrown.result : null;
    const asked_model = found.request?.model ?? null;
    return { outcome: "refused", asked_model, model: found.model?.id ?? null, result, thrown };
  }
  const { result, request } = admission;
  const { plan } = "cached" in admission ? admission.cached : admission;
  const admitted = { outcome: "admitted", model: plan.model.id, result } as const;
  if (result.outcome === "replay") {
    (request.remote ?? request.kept)?.release();
    return { ...admitted, answer: async () => call.write(replayAnswer(result.answer)) };
  }
  if ("cached" in admission) return { ...admitted, answer: async () => answerHit(asked.hit, admission.settlement) };
  const granted = use.granted?.(admission) ?? admission;
  const run = new RunningRequest(deps, call, granted.request, granted.plan);
  return { ...admitted, answer: () => answer(run, use.answering(run)) };
}

/** A request that was answered before, whose charge went along with its admission. */
function answerHit(hit: CachedHit | null, settlement: SettleResult | null): WrittenAnswer {
  if (hit === null || settlement === null) throw new Error("a stored answer was admitted without its charge");
  return hit.give(settlement);
}

function answer<Asked extends ClientRequest, Plan extends AdmissiblePlan>(
  run: RunningRequest<Plan, Asked>,
  answering: Answering,
): Promise<WrittenAnswer> {
  const answered = answerAdmitted(run, answering);
  return run.request.stream && answering.early !== undefined ? inTime(run, answered, answering.early) : answered;
}
