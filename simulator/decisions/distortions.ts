import type { AnsweredOption, DecisionAnswer } from "./decision.ts";

type Spoil = (answers: readonly DecisionAnswer[]) => readonly DecisionAnswer[];

const REASON = "Simulated refusal: I cannot decide that.";

/**
 * Ways to answer wrongly (or only unusually) in an otherwise valid body: `decider-NAME`, or `decider@answer=NAME`. A
 * distortion changes every answer, unless its comment says otherwise.
 */
export const DISTORTIONS = {
  /** The last question has no answer. */
  incomplete: (answers) => answers.slice(0, -1),
  /** No question has an answer. */
  "no-answers": () => [],
  "extra-answer": (answers) => [...answers, { type: "predicate", name: "unasked", probability: 0.5 }],
  /** The right answers under other names. */
  "wrong-names": (answers) => answers.map((answer, index) => ({ ...answer, name: `other-${index}` })),
  /** Choices and scores answered as if they were yes/no, and the other way round. */
  "wrong-type": (answers) => answers.map(wrongType),
  "missing-option": (answers) => answers.map((answer) => withOptions(answer, (options) => options.slice(0, -1))),
  "extra-option": (answers) =>
    answers.map((answer) =>
      withOptions(answer, (options) => [...options, { value: unasked(answer), label: "unasked", probability: 0 }]),
    ),
  "wrong-option": (answers) =>
    answers.map((answer) =>
      withOptions(answer, ([first, ...others]) =>
        first === undefined ? [] : [{ ...first, value: unasked(answer), label: "unasked" }, ...others],
      ),
    ),
  /** The chosen value is no option, or the score lies beyond the levels. */
  "wrong-result": (answers) =>
    answers.map((answer) => ("options" in answer ? { ...answer, result: unasked(answer) } : answer)),
  /** The last option repeats the first option. */
  "repeated-option": (answers) =>
    answers.map((answer) => withOptions(answer, (options) => [...options.slice(0, -1), ...options.slice(0, 1)])),
  /** Each probability is within its range, but they sum to 0.5. */
  "bad-sum": (answers) => everyOption(answers, (probability) => probability * 0.5),
  /** The probabilities sum to 0.985: within the tolerance. */
  "near-sum": (answers) => everyOption(answers, (probability) => probability * 0.985),
  "out-of-range": (answers) => everyProbability(answers, (probability, index) => (index === 0 ? 1.25 : probability)),
  negative: (answers) => everyProbability(answers, (probability, index) => (index === 0 ? -0.25 : probability)),
  /** Probabilities are a bare NaN, as some servers write it, which is not JSON. */
  nan: (answers) => everyProbability(answers, () => Number.NaN),
  /** `1e999`, which is JSON and reads as infinity. */
  infinite: (answers) => everyProbability(answers, () => Number.POSITIVE_INFINITY),
  null: (answers) => everyProbability(answers, () => null),
  text: (answers) => everyProbability(answers, String),
  "no-confidence": (answers) =>
    answers.map((answer) => ("options" in answer ? { ...answer, confidence: undefined } : answer)),
  refusing: (answers) => answers.map(({ name }) => ({ type: "refusal", name, reason: REASON })),
  /** Only the first question is refused. */
  "refusing-one": ([first, ...others]) =>
    first === undefined ? [] : [{ type: "refusal", name: first.name, reason: REASON }, ...others],
} as const satisfies Record<string, Spoil>;

export type Distortion = keyof typeof DISTORTIONS;

/** The answers with the named distortion; an unknown name changes nothing. */
export function distort(answers: readonly DecisionAnswer[], name: string): readonly DecisionAnswer[] {
  return Object.hasOwn(DISTORTIONS, name) ? DISTORTIONS[name as Distortion](answers) : answers;
}

function wrongType(answer: DecisionAnswer): DecisionAnswer {
  const { name } = answer;
  if (answer.type !== "predicate") return { type: "predicate", name, probability: 0.5 };
  const options = [true, false].map((value) => ({ value, label: String(value), probability: 0.5 }));
  return { type: "choice", name, result: true, confidence: 0, options };
}

function unasked(answer: DecisionAnswer): string | number {
  return answer.type === "score" ? 99 : "unasked";
}

function withOptions(
  answer: DecisionAnswer,
  change: (options: readonly AnsweredOption[]) => readonly AnsweredOption[],
): DecisionAnswer {
  return "options" in answer ? { ...answer, options: change(answer.options) } : answer;
}

type Change = (probability: number, index: number) => unknown;

/** Changes the probabilities of options; probabilities of yes stay unchanged. */
function everyOption(answers: readonly DecisionAnswer[], change: Change): DecisionAnswer[] {
  return answers.map((answer) =>
    withOptions(answer, (options) =>
      options.map((option, index) => ({ ...option, probability: change(Number(option.probability), index) })),
    ),
  );
}

/** Changes every probability; the probability of yes, and the top of a box, count as the first of their answers. */
function everyProbability(answers: readonly DecisionAnswer[], change: Change): DecisionAnswer[] {
  return everyOption(answers, change).map((answer) => {
    if (answer.type === "predicate") return { ...answer, probability: change(Number(answer.probability) || 0.5, 0) };
    if (answer.type !== "box") return answer;
    return { ...answer, edges: { ...answer.edges, top: change(Number(answer.edges.top), 0) } };
  });
}
