import { decideQuestion, type QuestionResult as QuestionDecided } from "../../decider/decide-question.ts";
import { type Material, writeMaterial } from "../../decider/write-material.ts";
import type { AttemptVerdict } from "../ask/vendor-failure.ts";
import { countDecision } from "./count-decision.ts";
import type { EngineSource } from "./decision-source.ts";
import { EngineCalls } from "./engine-calls.ts";
import type { DecidedAnswers, RunningDecision } from "./running-decision.ts";

/** The thread that holds the input writes it into each call. */
const MATERIAL_ELSEWHERE: Material = [];

/**
 * Lets our engine decide: it asks the chat model about each question apart, with several calls at once. A call that
 * fails ends the request and all other calls. Resolves with that failure.
 */
export async function decideByEngine(
  run: RunningDecision,
  source: EngineSource,
): Promise<DecidedAnswers | AttemptVerdict> {
  const { input, sketch, wishes = [] } = run.request.decision;
  const material = sketch === undefined ? writeMaterial(input) : MATERIAL_ELSEWHERE;
  const calls = new EngineCalls(run, source);
  try {
    // The tokenizer counts while the chat model answers.
    const counting = countDecision(run, source);
    const asked = source.questions.map((question) => decideQuestion(question, material, source.settings, calls.ask));
    const [usage, ...decided] = await Promise.all([counting, ...asked]);
    if (wishes.length > 0) run.receipt.ignored = [...run.receipt.ignored, ...wishes];
    const answers = decided.map(({ answer }) => answer);
    const headers = { "x-camino-label-mass": decided.map(massOf).join(", ") };
    return { kind: "decided", source, answers, usage, estimated: false, headers };
  } catch (thrown) {
    return await calls.verdictOf(thrown);
  } finally {
    calls.book();
  }
}

/**
 * A question's label mass for people: `-` for a refusal, and where output was constrained to the labels
 * (docs/rulings.md 103d).
 */
function massOf({ answer, label_mass }: QuestionDecided): string {
  return label_mass === null || answer.type === "refusal" ? "-" : String(Number(label_mass.toFixed(4)));
}
