import type { Target } from "../../../src/core/answer/exchange.ts";
import type { ReasoningControls } from "../../../src/core/catalog/catalog.ts";
import type { Protocol } from "../../../src/core/endpoints.ts";
import { type TargetOptions, targetFor } from "../../support/target.ts";

const LEVELS: ReasoningControls = { toggle: true, effort: ["none", "minimal", "low", "medium", "high"] };
const BUDGET: ReasoningControls = { toggle: true, budget_tokens: { min: 1024, max: 32_000 } };

/** Models and dialects that encoders write for differently; the names of models tell Bedrock's makers and Gemini's generations. */
const KINDS: readonly TargetOptions[] = [
  { quirks: {} },
  { upstream_model: "anthropic.claude", capabilities: { thinking: true, reasoning: LEVELS }, mid_system: true },
  {
    model_id: "google/gemini-3-pro",
    upstream_model: "amazon.nova",
    capabilities: { thinking: true, reasoning: BUDGET },
    input_modalities: ["text", "image", "pdf"],
    quirks: { reasoning_replay: "reasoning_details", constrained_choice: "regex", top_logprobs: 5 },
  },
  {
    sampling: "never",
    quirks: {
      ...{
        no_stream_options: true,
        max_tokens_only: true,
        no_developer_role: true,
        system_first: true,
        user_first: true,
      },
      ...{ no_call_ids: true, strict_turns: true, reasoning_replay: "reasoning_content" },
      unsupported_answer_fields: ["reasoning", "reasoning_details", "extra_content"],
      unsupported_fields: ["seed", "logprobs", "logit_bias", "n"],
    },
  },
  { capabilities: { thinking: true }, quirks: { reasoning_replay: "extra_content" } },
];
export const KINDS_OF_TARGETS: number = KINDS.length;

/** The target of this number, around and around; all but the first let requests name what their vendor keeps. */
export function targetOfKind(protocol: Protocol, number: number): Target {
  const kind = number % KINDS.length;
  const target = targetFor(protocol, KINDS[kind]);
  if (kind === 0) return target;
  const endpoint = kind % 2 === 0 ? target.endpoint : ({ ...target.endpoint, dialect: "vertex" } as const);
  return { ...target, endpoint, vendor: { ...target.vendor, shared_state: "allow" } };
}
