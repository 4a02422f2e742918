import { type QuestionResult as QuestionDecided, decideQuestion } from "../../decider/decide-question.ts";
import { countDecision } from "./count-decision.ts";
import type { DecidedAnswers, RunningDecision } from "./running-decision.ts";
import type { EngineSource } from "./decision-source.ts";
import { EngineCalls } from "./engine-calls.ts";
import type { AttemptVerdict } from "../asking/vendor-failure.ts";

/**
 * Lets our engine decide: it asks the chat model about each question apart, with several calls at once. A call that
 * fails ends the request and all other calls. Resolves with that failure.
 */
export async function decideByEngine(
  run: RunningDecision,
  source: EngineSource,
): Promise<DecidedAnswers | AttemptVerdict> {
  const { questions, input } = run.request.decision;
  const calls = new EngineCalls(run, source);
  try {
    // The tokenizer counts while the chat model answers.
    const counting = countDecision(run, source);
    const asked = questions.map((question) => decideQuestion(question, input, source.settings, calls.ask));
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
