import { type Decided as QuestionDecided, decideQuestion } from "../../decider/decide-question.ts";
import { countDecision } from "./count-decision.ts";
import type { Decided, RunningDecision } from "./running-decision.ts";
import type { EngineCandidate, EngineSource } from "./decide-plan.ts";
import { EngineCalls } from "./engine-calls.ts";
import type { AttemptVerdict } from "../asking/vendor-failure.ts";

/** How many alternatives of a token a vendor shows, where the catalogue does not say. */
const USUAL_TOP_LOGPROBS = 20;

/**
 * Lets our engine decide: it asks the chat model about each question apart, with several calls at once. A call that
 * fails ends the request and all other calls. Resolves with that failure.
 */
export async function decideByEngine(run: RunningDecision, source: EngineSource): Promise<Decided | AttemptVerdict> {
  const { questions, input } = run.request.decision;
  const settings = settingsOf(source);
  const calls = new EngineCalls(run, source);
  try {
    // The tokenizer counts while the chat model answers.
    const counting = countDecision(run);
    const asked = questions.map((question) => decideQuestion(question, input, settings, calls.ask));
    const [input_tokens, ...decided] = await Promise.all([counting, ...asked]);
    const answers = decided.map(({ answer }) => answer);
    const headers = { "x-camino-label-mass": decided.map(massOf).join(", ") };
    return { kind: "decided", source, answers, input_tokens, estimated: false, headers };
  } catch (thrown) {
    return await calls.verdictOf(thrown);
  } finally {
    calls.book();
  }
}

/** A question's label mass for people: `-` for a refusal, and where output was constrained to the labels. */
function massOf({ answer, label_mass }: QuestionDecided): string {
  return label_mass === null || answer.type === "refusal" ? "-" : String(Number(label_mass.toFixed(4)));
}

/** The engine's settings. It asks in one way for all vendors of the model, so it uses what all of them support. */
function settingsOf({ decide_with, candidates }: EngineSource) {
  const { debias, min_label_mass, calibration } = decide_with;
  const top_logprobs = Math.min(...candidates.map(topLogprobs));
  const constraints = new Set(candidates.map(({ vendor }) => vendor.quirks.constrained_choice ?? null));
  const [constrain = null] = constraints.size === 1 ? constraints : [];
  return { debias, min_label_mass, calibration, top_logprobs, constrain };
}

function topLogprobs({ vendor }: EngineCandidate): number {
  return vendor.quirks.top_logprobs ?? USUAL_TOP_LOGPROBS;
}
