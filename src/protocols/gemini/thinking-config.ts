import type { Model } from "../../core/catalog.ts";
import type { ReasoningSetting } from "../../core/generation.ts";
import { type FittedReasoning, fitReasoning } from "../shared/fit-reasoning.ts";
import type { ThinkingConfig } from "./wire.ts";

export interface FittedThinking {
  readonly config: ThinkingConfig | undefined;
  /** True when the request asked for what the model does not have. */
  readonly ignored: boolean;
}

/**
 * A reasoning setting as Gemini says it (docs/rulings.md 12): a level on models that know levels, a budget on those that
 * know budgets. Its budget may be larger than the cap on the output, of which it is a part.
 */
export function fitThinking(setting: ReasoningSetting | undefined, { capabilities }: Model): FittedThinking {
  const fitted = fitReasoning(setting, capabilities, null);
  if (setting === undefined || !capabilities.thinking) return { config: undefined, ignored: fitted.ignored };
  const config = { ...(isShown(setting) ? { includeThoughts: true } : {}), ...amountOf(fitted) };
  return { config: Object.keys(config).length === 0 ? undefined : config, ignored: fitted.ignored };
}

/** Summaries of thoughts are there for the asking; whoever asks for thoughts and says nothing of them wants to see them. */
function isShown({ show, enabled, effort, budget_tokens }: ReasoningSetting): boolean {
  if (enabled === false || effort === "none") return false;
  return show === undefined ? enabled === true || effort !== undefined || budget_tokens !== undefined : show !== "none";
}

/** How much to think; nothing for as much as the model finds right. */
function amountOf({ enabled, effort, budget_tokens }: FittedReasoning): ThinkingConfig {
  if (enabled === false) return { thinkingBudget: 0 };
  if (effort !== undefined) return { thinkingLevel: effort };
  return budget_tokens === undefined ? {} : { thinkingBudget: budget_tokens };
}
