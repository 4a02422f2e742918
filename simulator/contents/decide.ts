import { perform } from "../answer.ts";
import { type Ask, BadRequest } from "../ask.ts";
import { answerQuestions } from "../decisions/answer-questions.ts";
import { distort } from "../decisions/distortions.ts";
import type { Performance } from "../performance.ts";

/** Answers questions with probabilities, spoiled as `@answer` says; takes no other request. */
export function decide(ask: Ask): Performance {
  const { decision, model } = ask;
  if (decision === undefined) {
    throw new BadRequest(`The model '${model.full}' answers decisions only: use /v1/decisions.`, "model");
  }
  const answers = distort(answerQuestions(decision), model.params.text("answer", ""));
  return { ...perform(ask, { blocks: [] }), answers };
}
