import type { Model } from "../../core/catalog.ts";
import type { Setting } from "../../core/codec.ts";
import type { GenerationRequest } from "../../core/generation.ts";

/** What shapes the choice of tokens: models that reason refuse it together (docs/rulings.md 166). */
export const SAMPLING_SETTINGS: ReadonlySet<Setting> = new Set<Setting>([
  ...(["temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs"] as const),
]);

/** The value that each field of the same kind has where a client says nothing. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  logprobs: false,
  top_logprobs: 0,
};

/** Fields of a relayed body that a model refuses with its sampling, and whether each says more than its absence does. */
export function refusedSampling(
  body: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): { readonly field: string; readonly says_something: boolean }[] {
  return fields
    .filter((field) => Object.hasOwn(body, field))
    .map((field) => ({ field, says_something: body[field] !== null && body[field] !== DEFAULTS[field] }));
}

/** Whether a model refuses sampling in a request that asks for reasoning, or does not. */
export function refusesSampling({ sampling }: Model, asks_reasoning: boolean): boolean {
  return sampling === "never" || (sampling === "without_reasoning" && asks_reasoning);
}

/** Whether a client's request asks for reasoning, in whatever way. */
export function asksReasoning({ reasoning }: Pick<GenerationRequest, "reasoning">): boolean {
  if (reasoning === undefined || reasoning.enabled === false || reasoning.effort === "none") return false;
  return reasoning.enabled === true || reasoning.effort !== undefined || reasoning.budget_tokens !== undefined;
}

/** As above, of Anthropic's models; where nothing is said of one, those take none that think at levels and know no budget. */
export function claudeTakesSampling(model: Model, request: GenerationRequest | undefined): boolean {
  if (model.sampling !== undefined) return !refusesSampling(model, request !== undefined && asksReasoning(request));
  const { thinking, reasoning = {} } = model.capabilities;
  return !thinking || reasoning.budget_tokens !== undefined || (reasoning.effort ?? []).length === 0;
}
