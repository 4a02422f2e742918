import { HONOURS_NONE, type Setting } from "../../core/answer/codec.ts";
import type { Target } from "../../core/answer/exchange.ts";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import type { Model } from "../../core/catalog/catalog.ts";
import type { JsonRecord } from "../../core/json.ts";

/** The fields that shape the choice of tokens: models that reason refuse all of them together (docs/rulings.md 166). */
const SAMPLING_SETTINGS: ReadonlySet<Setting> = new Set<Setting>([
  ...(["temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs"] as const),
]);

/** The value that each of these fields has by default. */
const DEFAULTS: JsonRecord = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  logprobs: false,
  top_logprobs: 0,
};

/** The fields of a relayed body that a model refuses with its sampling, and whether each differs from its default. */
export function refusedSampling(
  body: JsonRecord,
  fields: readonly string[],
): { readonly field: string; readonly differs_from_default: boolean }[] {
  return fields
    .filter((field) => Object.hasOwn(body, field))
    .map((field) => ({ field, differs_from_default: body[field] !== null && body[field] !== DEFAULTS[field] }));
}

/** Whether a model refuses sampling, in requests that ask for reasoning or in others. */
export function refusesSampling({ sampling }: Model, asks_reasoning: boolean): boolean {
  return sampling === "never" || (sampling === "without_reasoning" && asks_reasoning);
}

/** Whether a client's request asks for reasoning in any way. */
export function asksReasoning({ reasoning }: Pick<GenerationRequest, "reasoning">): boolean {
  if (reasoning === undefined || reasoning.enabled === false || reasoning.effort === "none") return false;
  return reasoning.enabled === true || reasoning.effort !== undefined || reasoning.budget_tokens !== undefined;
}

/**
 * The settings that a vendor of style A honours: those that its protocol has a field for (`renamed`: where that is called
 * otherwise), without those that the vendor's row or, for sampling, the model refuses; the refused fields; and whether the model samples.
 */
export function honouredSettings(
  settings: readonly Setting[],
  renamed: Readonly<Partial<Record<Setting, string>>>,
  { model, vendor }: Target,
  request: GenerationRequest | undefined,
) {
  const refused: ReadonlySet<string> = new Set(vendor.quirks.unsupported_fields);
  const samples = !refusesSampling(model, request !== undefined && asksReasoning(request));
  const honours = { ...HONOURS_NONE };
  for (const setting of settings)
    honours[setting] = !refused.has(renamed[setting] ?? setting) && (samples || !SAMPLING_SETTINGS.has(setting));
  return { honours, refused, samples };
}

/**
 * Whether one of Anthropic's models accepts sampling; without an entry in the catalogue, all do but those that have
 * thinking levels and no budget.
 */
export function claudeTakesSampling(model: Model, request: GenerationRequest | undefined): boolean {
  if (model.sampling !== undefined) return !refusesSampling(model, request !== undefined && asksReasoning(request));
  const { thinking, reasoning = {} } = model.capabilities;
  return !thinking || reasoning.budget_tokens !== undefined || (reasoning.effort ?? []).length === 0;
}
