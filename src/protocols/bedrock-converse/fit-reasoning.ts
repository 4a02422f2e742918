import type { Target } from "../../core/answer/exchange.ts";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import type { Model } from "../../core/catalog/catalog.ts";
import type { JsonRecord } from "../../core/json.ts";
import { type FittedReasoning, fitReasoning } from "../shared/fit-reasoning.ts";
import { isReplayed } from "./encode-messages.ts";
import type { ModelFamily } from "./model-family.ts";

/** Reasoning in the fields of the model's maker, which stand beside Converse's common shape. */
export interface MakersReasoning {
  readonly fields: JsonRecord;
  /** Whether the model will think as Anthropic's models do, which excludes sampling and forced calls. */
  readonly thinks: boolean;
  /** True when the request asked for reasoning that the model cannot give. */
  readonly ignored: boolean;
}

const IGNORED: MakersReasoning = { fields: {}, thinks: false, ignored: true };
const USUAL_LARGEST_OUTPUT = 64_000;
const USUAL_EFFORT = "high";

/** Fits a reasoning setting to a model (docs/rulings.md 12) and writes it in its maker's fields. */
export function fitToMaker(request: GenerationRequest, { model }: Target, family: ModelFamily): MakersReasoning {
  const cap = request.max_output_tokens ?? model.max_completion_tokens ?? USUAL_LARGEST_OUTPUT;
  const fitted = fitReasoning(request.reasoning, model.capabilities, family === "anthropic" ? cap : null);
  const { enabled, effort, budget_tokens, ignored } = fitted;
  if (enabled === undefined && effort === undefined && budget_tokens === undefined)
    return { fields: {}, thinks: false, ignored };
  switch (family) {
    case "anthropic":
      return anthropic(request, fitted, model, cap);
    case "openai":
      return openai(fitted);
    case "amazon":
      return amazon(request, fitted, model);
    case "other":
      return IGNORED;
  }
}

function said(fields: JsonRecord, ignored: boolean): MakersReasoning {
  return { fields, thinks: false, ignored };
}

/**
 * A budget where the model has one, else adaptive thinking at a level. No thinking where the vendor refuses it: beside
 * forced calls, and in a turn that goes on without its thinking blocks.
 */
function anthropic(request: GenerationRequest, fitted: FittedReasoning, model: Model, cap: number): MakersReasoning {
  const { effort: levels = [], budget_tokens: range } = model.capabilities.reasoning ?? {};
  const { ignored } = fitted;
  // Models with levels may think unless the request disables thinking; models with a budget think only when it is
  // enabled.
  if (fitted.enabled === false) return said(levels.length > 0 ? { thinking: { type: "disabled" } } : {}, ignored);
  const choice = request.tool_choice?.mode;
  if (choice === "required" || choice === "named" || lastRole(request) === "assistant") return IGNORED;
  if (range === undefined) {
    const config = fitted.effort === undefined ? {} : { output_config: { effort: fitted.effort } };
    return { fields: { thinking: { type: "adaptive", ...display(request) }, ...config }, thinks: true, ignored };
  }
  if (lastRole(request) === "tool" && !isReplayed(lastAnswer(request)?.content[0])) return IGNORED;
  const budget_tokens = fitted.budget_tokens ?? budgetOf(request, model, cap);
  if (budget_tokens === undefined) return IGNORED;
  return { fields: { thinking: { type: "enabled", budget_tokens } }, thinks: true, ignored };
}

/** The token budget of the level that was asked for, or of the usual level. */
function budgetOf({ reasoning }: GenerationRequest, { capabilities }: Model, cap: number): number | undefined {
  const budget_tokens = capabilities.reasoning?.budget_tokens ?? {};
  const effort = reasoning?.effort ?? USUAL_EFFORT;
  return fitReasoning({ effort }, { ...capabilities, reasoning: { budget_tokens } }, cap).budget_tokens;
}

/** Newer models send their thoughts only when the request asks for them. */
function display({ reasoning }: GenerationRequest): object {
  if (reasoning?.show === undefined) return {};
  return { display: reasoning.show === "none" ? "omitted" : "summarized" };
}

function openai({ enabled, effort, ignored }: FittedReasoning): MakersReasoning {
  const level = enabled === false ? "none" : effort;
  return level === undefined ? IGNORED : said({ reasoning_effort: level }, ignored);
}

function amazon(request: GenerationRequest, fitted: FittedReasoning, model: Model): MakersReasoning {
  if (fitted.enabled === false) return said({ reasoningConfig: { type: "disabled" } }, fitted.ignored);
  if (fitted.effort === undefined) return IGNORED;
  // Nova's highest level accepts neither an output cap nor sampling.
  const is_bound = [request.max_output_tokens, request.temperature, request.top_p].some((value) => value !== undefined);
  const lowered = fitted.effort === "high" && is_bound;
  const { effort = fitted.effort } = lowered ? fitReasoning({ effort: "medium" }, model.capabilities, null) : fitted;
  return said({ reasoningConfig: { type: "enabled", maxReasoningEffort: effort } }, fitted.ignored);
}

function lastRole({ messages }: GenerationRequest) {
  return messages.findLast(({ role }) => role !== "system")?.role;
}

function lastAnswer({ messages }: GenerationRequest) {
  return messages.findLast((message) => message.role === "assistant");
}
