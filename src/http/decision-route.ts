import type { DecisionClientProtocol } from "../core/decision.ts";
import type { BilledCall } from "../pipeline/call.ts";
import { decide } from "../pipeline/decide.ts";
import { answerBilled, type OnEnd } from "./billed-route.ts";
import type { EdgeDeps, EdgeRequest } from "./context.ts";

/** Answers a decision endpoint (docs/api.md 4.6, 4.7). */
export function answerDecision(
  deps: EdgeDeps,
  edge: EdgeRequest,
  protocol: DecisionClientProtocol,
  onEnd: OnEnd,
): Promise<Response> {
  const { endpoint, error_style } = protocol;
  const route = {
    endpoint,
    error_style,
    general_error: "invalid_input",
    answer: (call: BilledCall) => decide(deps.pipeline, call, protocol),
  } as const;
  return answerBilled(deps, edge, route, onEnd);
}
