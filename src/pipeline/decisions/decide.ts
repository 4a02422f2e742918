import type { DecisionClientProtocol } from "../../core/decision.ts";
import type { BilledCall, WrittenAnswer } from "../call.ts";
import { Deciding } from "./deciding.ts";
import { planDecision } from "./decide-plan.ts";
import type { PipelineDeps } from "../deps.ts";
import { readAndAdmit } from "../admission/read-and-admit.ts";
import { replayAnswer } from "../admission/replay.ts";
import type { RunningDecision } from "./running-decision.ts";
import { answerAdmitted } from "../generation/answer-admitted.ts";
import { RunningRequest } from "../generation/running-request.ts";

/**
 * Answers a decision request: checks it, admits it with a hold for its input, asks the vendor or the engine, and
 * returns the answer once its charge is durable. Throws the GatewayError that the client gets; the hold has then ended.
 */
export async function decide(
  deps: PipelineDeps,
  call: BilledCall,
  protocol: DecisionClientProtocol,
): Promise<WrittenAnswer> {
  const admission = await readAndAdmit(deps, call, call.key, {
    read: () => protocol.readRequest(call.text),
    plan: (key, asked) => planDecision(deps, call, key, asked),
  });
  if (admission.kind === "replay") return call.write(replayAnswer(admission.answer));
  const run: RunningDecision = new RunningRequest(deps, call, admission.request, admission.plan);
  return await answerAdmitted(run, new Deciding(run, protocol));
}
