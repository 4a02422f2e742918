import type { ProbableQuestion } from "../core/answer/decision.ts";
import { type EngineSettings, optionsPerCall } from "./question-calls.ts";
import { callsOfTournament } from "./tournament.ts";

/** The calls that the engine makes for a question, known before anything is sent. */
export interface PlannedCalls {
  /** How many calls the question needs. A retry of a call, and the call for a refusal's reason, are not among them. */
  readonly calls: number;
  /** How often each option is listed at least, before winners of groups meet in a final. */
  readonly listings: number;
}

/** The calls that `decideQuestion` makes for a question with these settings (docs/rulings.md 153). */
export function callsFor(
  question: ProbableQuestion,
  settings: Pick<EngineSettings, "debias" | "top_logprobs">,
): PlannedCalls {
  const { debias, top_logprobs } = settings;
  if (question.type === "choice")
    return callsOfTournament(question.options.length, optionsPerCall(top_logprobs), debias);
  const calls = debias === "none" ? 1 : 2;
  return { calls, listings: calls };
}
