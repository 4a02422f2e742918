import type { ClientProtocol } from "../core/exchange.ts";
import type { BilledCall } from "../pipeline/call.ts";
import { generate } from "../pipeline/generate.ts";
import { answerBilled, type OnEnd } from "./billed-route.ts";
import type { EdgeDeps, EdgeRequest } from "./context.ts";

/** Answers a generation endpoint (docs/api.md 4.1 to 4.3). */
export function answerGeneration(
  deps: EdgeDeps,
  edge: EdgeRequest,
  protocol: ClientProtocol,
  onEnd: OnEnd,
): Promise<Response> {
  const { endpoint, error_style, general_error } = protocol;
  const route = {
    endpoint,
    error_style,
    general_error,
    answer: (call: BilledCall, onSent: () => void) => generate(deps.pipeline, call, protocol, onSent),
  };
  return answerBilled(deps, edge, route, onEnd);
}
