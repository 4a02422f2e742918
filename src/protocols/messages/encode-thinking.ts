import type { Target } from "../../core/answer/exchange.ts";
import type { GenerationRequest, ReasoningSetting } from "../../core/answer/generation.ts";
import { type FittedReasoning, fitReasoning } from "../shared/fit-reasoning.ts";
import type { MessageTurn } from "./encode-messages.ts";
import type { WireThinkingSetting } from "./wire-blocks.ts";

/** The reasoning setting in this protocol's members. */
export interface EncodedThinking {
  readonly thinking?: WireThinkingSetting;
  readonly effort?: string;
  /** Whether a setting that the client asked for is left out. */
  readonly ignored: boolean;
}

/** The level of thinking for clients that ask for thinking without a level. */
const USUAL_EFFORT = "high";

/**
 * Fits reasoning to one target (docs/rulings.md 12): a budget where the model has one, else adaptive thinking at a
 * level. No thinking where vendors refuse it: beside a forced tool call, and in a turn that goes on without its
 * thinking blocks (docs/rulings.md 84).
 */
export function encodeThinking(
  request: GenerationRequest,
  turns: readonly MessageTurn[],
  target: Target,
  max_tokens: number,
): EncodedThinking {
  const { capabilities } = target.model;
  const fitted = fitReasoning(request.reasoning, capabilities, max_tokens);
  if (fitted.enabled === false) return { thinking: { type: "disabled" }, ignored: fitted.ignored };
  if (fitted.enabled === undefined && fitted.effort === undefined && fitted.budget_tokens === undefined) return fitted;
  const { budget_tokens: range, effort: levels = [] } = capabilities.reasoning ?? {};
  const effort = fitted.effort === undefined ? {} : { effort: fitted.effort };
  const adaptive = range === undefined && levels.length > 0;
  const budget = adaptive ? undefined : (fitted.budget_tokens ?? budgetOf(levelOf(request, fitted), range, max_tokens));
  if (!adaptive && budget === undefined) return { ...effort, ignored: true };
  if (isForced(request) || endsWithAnswer(turns) || (!adaptive && resultsLackThinking(turns)))
    return { ...effort, ignored: true };
  const how =
    budget === undefined ? { type: "adaptive" as const } : { type: "enabled" as const, budget_tokens: budget };
  return { thinking: { ...how, ...display(request.reasoning) }, ...effort, ignored: fitted.ignored };
}

/** The effort level; a model whose thinking cannot be turned off gets its lowest level. */
function levelOf({ reasoning }: GenerationRequest, { effort = reasoning?.effort }: FittedReasoning): string {
  return reasoning?.enabled === false ? "none" : (effort ?? USUAL_EFFORT);
}

function budgetOf(
  effort: string,
  range: { readonly min?: number; readonly max?: number } = {},
  max_tokens: number,
): number | undefined {
  return fitReasoning({ effort }, { ...CAPABLE, reasoning: { budget_tokens: range } }, max_tokens).budget_tokens;
}

const CAPABLE = { streaming: true, tools: true, json: true, vision: true, thinking: true };

function isForced({ tool_choice, tools }: GenerationRequest): boolean {
  return tools.length > 0 && (tool_choice?.mode === "required" || tool_choice?.mode === "named");
}

/** Whether the conversation ends with an answer that the model is to continue: vendors refuse thinking there. */
function endsWithAnswer(turns: readonly MessageTurn[]): boolean {
  return turns.at(-1)?.role === "assistant";
}

interface AnyTurn {
  readonly content?: string | readonly { readonly type: string }[];
}

/** Whether the last turn holds results for an answer that does not begin with its thinking: vendors refuse a budget there. */
export function resultsLackThinking(turns: readonly AnyTurn[]): boolean {
  const [answer = [], results = []] = turns
    .slice(-2)
    .map(({ content = [] }) => (typeof content === "string" ? [] : content));
  if (!results.some(({ type }) => type === "tool_result")) return false;
  const first = answer[0]?.type;
  return first !== "thinking" && first !== "redacted_thinking";
}

function display(setting: ReasoningSetting | undefined): Pick<WireThinkingSetting, "display"> {
  if (setting?.show === undefined) return {};
  return { display: setting.show === "none" ? "omitted" : "summarized" };
}
