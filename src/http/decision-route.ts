import type { DecisionClientProtocol } from "../core/decision.ts";
import { decide } from "../pipeline/decisions/decide.ts";
import type { PipelineDeps } from "../pipeline/deps.ts";
import { inlineParts } from "../protocols/systemone/inline-parts.ts";
import type { BilledRoute } from "./edge-call.ts";

/** A decision endpoint (docs/api.md 4.6, 4.7). System One takes forms too (docs/rulings.md 164). */
export function decisionRoute(pipeline: PipelineDeps, protocol: DecisionClientProtocol): BilledRoute {
  const { endpoint, error_style } = protocol;
  return {
    endpoint,
    error_style,
    general_error: "invalid_input",
    ...(endpoint === "systemone" && { readForm: inlineParts }),
    answer: (call) => decide(pipeline, call, protocol),
  };
}
