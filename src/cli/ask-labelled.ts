import type { ProbableAnswer } from "../core/answer/decision.ts";
import { type LabelledAnswer, labelledAnswer } from "../decider/calibrate/labelled-answer.ts";
import { type Answer, Decision } from "./decision-answers.ts";
import type { LabelledQuestion } from "./read-labelled.ts";
import { type ApiOptions, callApi } from "./shared/api-client.ts";
import type { CliDeps } from "./shared/deps.ts";
import { CliFailure } from "./shared/failure.ts";

/** Tries of one question: among hundreds of questions, some meet a rate limit or a vendor that pauses. */
const TRIES = 6;

export interface AskedLabelled {
  /** The answers, in the order of the file. */
  readonly answers: readonly LabelledAnswer[];
  /** How many questions the model refused. */
  readonly refused: number;
  readonly input_tokens: number;
}

interface AskOptions extends ApiOptions {
  readonly model: string;
  readonly atOnce: number;
}

/** Asks each labelled question in its own call, a few at a time, over the public API. Throws the first failure. */
export async function askLabelled(
  deps: CliDeps,
  options: AskOptions,
  labelled: readonly LabelledQuestion[],
): Promise<AskedLabelled> {
  const decisions: (Decision | undefined)[] = [];
  const rest = labelled.entries();
  const askOnwards = async () => {
    for (const [index, { input, question }] of rest) {
      const body = { model: options.model, input, questions: [question] };
      decisions[index] = await callApi(deps, options, { path: "/v1/decisions", body, answer: Decision, tries: TRIES });
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.atOnce, labelled.length) }, askOnwards));
  return gather(decisions, labelled);
}

function gather(decisions: readonly (Decision | undefined)[], labelled: readonly LabelledQuestion[]): AskedLabelled {
  const answers: LabelledAnswer[] = [];
  let input_tokens = 0;
  for (const [index, { truth }] of labelled.entries()) {
    const decision = decisions[index];
    const answer = decision?.answers[0];
    if (decision === undefined || answer === undefined) throw noAnswer(index);
    input_tokens += decision.usage.input_tokens;
    const found = labelledAnswer(neutral(answer), truth);
    if (found !== null) answers.push(found);
  }
  return { answers, refused: labelled.length - answers.length, input_tokens };
}

function neutral(answer: Answer): ProbableAnswer {
  switch (answer.type) {
    case "predicate":
      return { type: "predicate", probability: answer.probability };
    case "choice": {
      const { confidence } = answer;
      const choice = answer.probabilities.findIndex(({ value }) => value === answer.choice);
      return { type: "choice", choice, confidence, probabilities: chances(answer.probabilities) };
    }
    case "score": {
      const { score, confidence } = answer;
      return { type: "score", score, confidence, probabilities: chances(answer.probabilities) };
    }
    case "refusal":
      return { type: "refusal", reason: answer.reason ?? null };
  }
}

function chances(entries: readonly { readonly probability: number }[]): number[] {
  return entries.map(({ probability }) => probability);
}

function noAnswer(index: number): CliFailure {
  return new CliFailure(`Question ${index + 1} was not answered.`, { code: "unexpected_answer" });
}
