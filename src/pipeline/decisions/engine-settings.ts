import type { DecideWith } from "../../core/catalog/decide-with.ts";
import type { EngineSettings } from "../../decider/decide-question.ts";
import type { EngineCandidate } from "./decision-source.ts";

/** How many alternatives of a token a vendor shows, where the catalogue does not say. */
const USUAL_TOP_LOGPROBS = 20;

/** The engine's settings. It asks in one way for all vendors of the model, so it uses what all of them support. */
export function engineSettings(decide_with: DecideWith, candidates: readonly EngineCandidate[]): EngineSettings {
  const { debias, min_label_mass, calibration } = decide_with;
  const top_logprobs = Math.min(...candidates.map(topLogprobs));
  const constraints = new Set(candidates.map(({ vendor }) => vendor.quirks.constrained_choice ?? null));
  const [constrain = null] = constraints.size === 1 ? constraints : [];
  return { debias, min_label_mass, calibration, top_logprobs, constrain };
}

function topLogprobs({ vendor }: EngineCandidate): number {
  return vendor.quirks.top_logprobs ?? USUAL_TOP_LOGPROBS;
}
