import type { ClientProtocol } from "../core/exchange.ts";
import type { PipelineDeps } from "../pipeline/deps.ts";
import { generate } from "../pipeline/generation/generate.ts";
import type { BilledRoute } from "./edge-call.ts";

/** A generation endpoint (docs/api.md 4.1 to 4.3). */
export function generationRoute(pipeline: PipelineDeps, protocol: ClientProtocol): BilledRoute {
  const { endpoint, error_style, general_error } = protocol;
  return {
    endpoint,
    error_style,
    general_error,
    answer: (call) => generate(pipeline, call, protocol),
  };
}
