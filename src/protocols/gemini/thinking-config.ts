import type { Model } from "../../core/catalog.ts";
import type { ReasoningSetting } from "../../core/generation.ts";
import { type FittedReasoning, fitReasoning } from "../shared/fit-reasoning.ts";
import type { ThinkingConfig } from "./wire.ts";

export interface FittedThinking {
  readonly config: ThinkingConfig | undefined;
  /** True when the request asked for reasoning that the model does not have. */
  readonly ignored: boolean;
}

/**
 * A reasoning setting in Gemini's fields (docs/rulings.md 12): a level for models with levels, a budget for models with
 * budgets. The budget may be larger than the output cap, of which it is a part.
 */
export function fitThinking(setting: ReasoningSetting | undefined, { capabilities }: Model): FittedThinking {
  const fitted = fitReasoning(setting, capabilities, null);
  if (setting === undefined || !capabilities.thinking) return { config: undefined, ignored: fitted.ignored };
  const config = { ...(isShown(setting) ? { includeThoughts: true } : {}), ...amountOf(fitted) };
  return { config: Object.keys(config).length === 0 ? undefined : config, ignored: fitted.ignored };
}

/**
 * Whether the answer shows summaries of thoughts. A client that asks for reasoning, and not for its visibility, gets
 * them.
 */
function isShown({ show, enabled, effort, budget_tokens }: ReasoningSetting): boolean {
  if (enabled === false || effort === "none") return false;
  return show === undefined ? enabled === true || effort !== undefined || budget_tokens !== undefined : show !== "none";
}

/** How much the model may think; no field leaves it to the model. */
function amountOf({ enabled, effort, budget_tokens }: FittedReasoning): ThinkingConfig {
  if (enabled === false) return { thinkingBudget: 0 };
  if (effort !== undefined) return { thinkingLevel: effort };
  return budget_tokens === undefined ? {} : { thinkingBudget: budget_tokens };
}
