import type { DecisionClientProtocol, DecisionClientRequest } from "../../core/decision.ts";
import type { BilledCall, WrittenAnswer } from "../call.ts";
import { DecisionProducer } from "./decision-producer.ts";
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
  let large: Promise<DecisionClientRequest> | null = null;
  const admission = await readAndAdmit(deps, call, call.key, {
    read: () => {
      large ??= readLarge(deps, call, protocol);
      return large ?? protocol.readRequest(call.text);
    },
    plan: (key, asked) => planDecision(deps, call, key, asked),
  });
  if (admission.kind === "replay") return call.write(replayAnswer(admission.answer));
  const run: RunningDecision = new RunningRequest(deps, call, admission.request, admission.plan);
  return await answerAdmitted(run, new DecisionProducer(run, protocol));
}

/** The request of a large body, as a body worker reads it; null for a body that is not large. */
function readLarge(
  { large_bodies }: PipelineDeps,
  { large_body, headers, signal, idempotency_key }: BilledCall,
  { endpoint }: DecisionClientProtocol,
): Promise<DecisionClientRequest> | null {
  if (large_body === null) return null;
  const is_repeatable = idempotency_key !== null;
  return large_bodies.readDecision({ route: endpoint, body: large_body, headers, signal, is_repeatable, recall: null });
}
