import type { DecisionClientProtocol } from "../core/decision.ts";
import { decide } from "../pipeline/decide.ts";
import type { PipelineDeps } from "../pipeline/deps.ts";
import type { BilledRoute } from "./edge-call.ts";

/** A decision endpoint (docs/api.md 4.6, 4.7). */
export function decisionRoute(pipeline: PipelineDeps, protocol: DecisionClientProtocol): BilledRoute {
  const { endpoint, error_style } = protocol;
  return { endpoint, error_style, general_error: "invalid_input", answer: (call) => decide(pipeline, call, protocol) };
}
