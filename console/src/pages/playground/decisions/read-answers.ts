import { asObject } from "../wire/failure.ts";

export interface Share {
  readonly label: string;
  /** The probability, 0 to 1. */
  readonly probability: number;
}

/** An answer of either shape, for showing. */
export type ShownAnswer =
  | { readonly type: "predicate"; readonly name: string; readonly probability: number }
  | {
      readonly type: "choice";
      readonly name: string;
      readonly chosen: string;
      readonly confidence: number;
      readonly shares: readonly Share[];
    }
  | {
      readonly type: "score";
      readonly name: string;
      /** The expected value of the level's index. */
      readonly score: number;
      readonly confidence: number;
      readonly shares: readonly Share[];
    }
  | { readonly type: "refusal"; readonly name: string; readonly reason: string | null };

/** The answers of a decision, in the order of the questions, whichever shape they came in. */
export function readAnswers(body: unknown): ShownAnswer[] {
  const { answers } = asObject(body);
  if (Array.isArray(answers))
    return answers.map((answer, index) => readAnswer(asObject(answer), `Question ${index + 1}`));
  return Object.entries(asObject(answers)).map(([name, answer]) => readAnswer({ ...asObject(answer), name }, name));
}

function readAnswer(answer: Record<string, unknown>, unnamed: string): ShownAnswer {
  const name = typeof answer.name === "string" && answer.name !== "" ? answer.name : unnamed;
  const confidence = numberOf(answer.confidence);
  switch (answer.type) {
    case "predicate":
      return { type: "predicate", name, probability: numberOf(answer.probability) };
    case "noul":
      return { type: "predicate", name, probability: numberOf(answer.noul) };
    case "choice":
      return { type: "choice", name, chosen: String(answer.choice), confidence, shares: sharesOf(answer) };
    case "score":
      return { type: "score", name, score: numberOf(answer.score), confidence, shares: sharesOf(answer) };
    default:
      return { type: "refusal", name, reason: typeof answer.reason === "string" ? answer.reason : null };
  }
}

/** `[{value, label, probability}]` of one shape; `{option: probability}` with a `legend` of the other. */
function sharesOf({ probabilities, legend }: Record<string, unknown>): Share[] {
  if (Array.isArray(probabilities)) {
    return probabilities.map(asObject).map(({ value, label, probability }) => ({
      label: typeof label === "string" ? label : String(value),
      probability: numberOf(probability),
    }));
  }
  const words = asObject(legend);
  return Object.entries(asObject(probabilities)).map(([value, probability]) => ({
    label: typeof words[value] === "string" ? (words[value] as string) : value,
    probability: numberOf(probability),
  }));
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
