import type { Model, ReasoningControls } from "../../core/catalog.ts";
import type { Target } from "../../core/exchange.ts";
import type { GenerationRequest, ReasoningSetting } from "../../core/generation.ts";
import { budgetForEffort, effortForBudget, nearestEffort } from "../shared/effort.ts";
import { isReplayed } from "./encode-messages.ts";
import type { ModelFamily } from "./model-family.ts";

/** Reasoning as the maker of the model has it, beside the common shape. */
export interface FittedReasoning {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether the model will think in Anthropic's way, which excludes sampling and forced calls. */
  readonly thinks: boolean;
  /** True when the request asked for what cannot be had. */
  readonly ignored: boolean;
}

const NOTHING: FittedReasoning = { fields: {}, thinks: false, ignored: false };
const IGNORED: FittedReasoning = { fields: {}, thinks: false, ignored: true };
const SMALLEST_BUDGET = 1024;
const USUAL_LARGEST_OUTPUT = 64_000;
const USUAL_EFFORT = "high";

/** Fits a reasoning setting to a model (docs/rulings.md 12). */
export function fitReasoning(request: GenerationRequest, { model }: Target, family: ModelFamily): FittedReasoning {
  const setting = request.reasoning;
  if (setting === undefined) return NOTHING;
  const { thinking, reasoning: controls = {} } = model.capabilities;
  const off = setting.enabled === false || setting.effort === "none";
  const asked = setting.enabled === true || setting.effort !== undefined || setting.budget_tokens !== undefined;
  if (!thinking || (!off && !asked)) return asked && !off ? IGNORED : NOTHING;
  switch (family) {
    case "anthropic":
      return off ? anthropicOff(controls) : anthropic(request, setting, model);
    case "openai":
      return openai(off ? { effort: "none" } : setting, controls);
    case "amazon":
      return amazon(request, off ? { effort: "none" } : setting, controls);
    case "other":
      return off && controls.toggle !== true ? NOTHING : IGNORED;
  }
}

/** Models with levels may think unless they are told not to; those with a budget think only when told to. */
function anthropicOff({ toggle, effort = [] }: ReasoningControls): FittedReasoning {
  const [lowest] = effort;
  if (lowest === undefined) return NOTHING;
  const fields = toggle === true ? { thinking: { type: "disabled" } } : { output_config: { effort: lowest } };
  return { ...NOTHING, fields };
}

function anthropic(request: GenerationRequest, setting: ReasoningSetting, model: Model): FittedReasoning {
  if (request.tool_choice?.mode === "required" || request.tool_choice?.mode === "named") return IGNORED;
  const { effort: levels = [], budget_tokens: range } = model.capabilities.reasoning ?? {};
  const cap = request.max_output_tokens ?? model.max_completion_tokens ?? USUAL_LARGEST_OUTPUT;
  if (range === undefined) {
    const asked = levelOf(setting, cap);
    const level = asked === null ? null : nearestEffort(asked, levels);
    const config = level === null ? {} : { output_config: { effort: level } };
    return { fields: { thinking: { type: "adaptive" }, ...config }, thinks: true, ignored: false };
  }
  // With a budget, an answer that is gone on with must begin with the thought that led to it.
  if (isAmidToolUse(request) && !isReplayed(lastAnswer(request)?.content[0])) return IGNORED;
  const least = range.min ?? SMALLEST_BUDGET;
  const most = Math.min(range.max ?? cap, cap - 1);
  if (most < least) return IGNORED;
  const wanted = setting.budget_tokens ?? budgetForEffort(setting.effort ?? USUAL_EFFORT, range.max ?? cap);
  const budget_tokens = Math.min(Math.max(wanted, least), most);
  return { fields: { thinking: { type: "enabled", budget_tokens } }, thinks: true, ignored: false };
}

function openai(setting: ReasoningSetting, { effort = [] }: ReasoningControls): FittedReasoning {
  const level = nearestEffort(levelOf(setting, USUAL_LARGEST_OUTPUT) ?? "medium", effort);
  return level === null ? IGNORED : { ...NOTHING, fields: { reasoning_effort: level } };
}

function amazon(request: GenerationRequest, setting: ReasoningSetting, controls: ReasoningControls): FittedReasoning {
  if (setting.effort === "none" && controls.toggle === true)
    return { ...NOTHING, fields: { reasoningConfig: { type: "disabled" } } };
  const { effort: levels = [] } = controls;
  const level = nearestEffort(levelOf(setting, USUAL_LARGEST_OUTPUT) ?? "medium", levels);
  if (level === null) return IGNORED;
  // Its highest level takes neither a cap nor sampling.
  const is_bound = [request.max_output_tokens, request.temperature, request.top_p].some((value) => value !== undefined);
  const fitting = level === "high" && is_bound ? (nearestEffort("medium", levels) ?? level) : level;
  return { ...NOTHING, fields: { reasoningConfig: { type: "enabled", maxReasoningEffort: fitting } } };
}

/** The level that was asked for, a budget being one too; null when only that there be reasoning. */
function levelOf({ effort, budget_tokens }: ReasoningSetting, largest: number): string | null {
  return effort ?? (budget_tokens === undefined ? null : effortForBudget(budget_tokens, largest));
}

/** Whether the model is to go on after the results of its calls. */
function isAmidToolUse({ messages }: GenerationRequest): boolean {
  return messages.findLast(({ role }) => role !== "system")?.role === "tool";
}

function lastAnswer({ messages }: GenerationRequest) {
  return messages.findLast((message) => message.role === "assistant");
}
