import fc from "fast-check";
import type {
  ChoiceOption,
  DecisionAnswer,
  DecisionPart,
  DecisionRequest,
  Question,
  ScoreLevel,
} from "../../src/core/answer/decision.ts";
import { GatewayError } from "../../src/core/errors.ts";

/** Random decisions and answers to them, for the laws that both shapes keep. */

/** Keys that JavaScript's objects reorder, or have already. */
const AWKWARD = ["0", "1", "10", "-1", "01", "4294967295", "__proto__", "constructor", "toString", "", "true", "false"];

/** Any UTF-16, halves of pairs included. */
const codeUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
  .map((units) => String.fromCharCode(...units));

export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom(...AWKWARD, '"', "\\", '\\"', "\n", "question_1", "true (boolean)"),
  codeUnits,
);

const textOrNull = fc.option(anyText, { nil: null });
const jsonObject = fc.dictionary(anyText, fc.jsonValue(), { maxKeys: 4 }).map((object) => JSON.stringify(object));
const imageUrl = fc.base64String({ maxLength: 12 }).map((data) => `data:image/png;base64,${data}`);
const textPart = fc.record({ type: fc.constant("text" as const), text: anyText });
const plainImage = fc.record({ type: fc.constant("image" as const), url: imageUrl });
const detailedImage = fc.record({
  type: fc.constant("image" as const),
  url: imageUrl,
  detail: fc.constantFrom("low", "high", "auto", "original"),
});
const jsonOf = (text: fc.Arbitrary<string>) => fc.record({ type: fc.constant("json" as const), text });

const options = (value: fc.Arbitrary<string | boolean>): fc.Arbitrary<ChoiceOption[]> =>
  fc.uniqueArray(fc.record({ value, description: textOrNull }), {
    minLength: 2,
    maxLength: 6,
    selector: ({ value: own }) => own,
  });

/** The differences between the questions of the two shapes. */
interface QuestionParts {
  readonly option: fc.Arbitrary<string | boolean>;
  readonly level: fc.Arbitrary<ScoreLevel>;
  readonly criterion: fc.Arbitrary<string | null>;
}

type Unnamed<Of> = Of extends unknown ? Omit<Of, "name"> : never;

function unnamed({ option, level, criterion }: QuestionParts): fc.Arbitrary<Unnamed<Question>> {
  const levels = fc.array(level, { minLength: 2, maxLength: 10 });
  return fc.oneof(
    fc.record({
      type: fc.constant("predicate" as const),
      instructions: anyText,
      when_true: criterion,
      when_false: criterion,
    }),
    fc.record({ type: fc.constant("choice" as const), instructions: anyText, options: options(option) }),
    fc.record({ type: fc.constant("score" as const), instructions: anyText, levels }),
  );
}

function named(parts: QuestionParts, may_lack_names: boolean): fc.Arbitrary<Question[]> {
  const count = { minLength: 1, maxLength: 6 };
  return fc
    .tuple(fc.array(unnamed(parts), count), fc.uniqueArray(anyText, { minLength: 6, maxLength: 6 }))
    .chain(([questions, names]) =>
      fc
        .array(may_lack_names ? fc.boolean() : fc.constant(true), { minLength: 6, maxLength: 6 })
        .map((has_name) =>
          questions.map((question, index) => ({ ...question, name: has_name[index] ? (names[index] ?? "") : null })),
        ),
    );
}

const whatIsAsked = { model: fc.constant("upstream-1") };

/** Requests that `/v1/decisions` can express. */
export const decisionsRequests: fc.Arbitrary<DecisionRequest> = fc.record({
  ...whatIsAsked,
  input: fc.array(
    fc.array(
      fc.oneof<fc.Arbitrary<DecisionPart>[]>(
        textPart,
        plainImage,
        detailedImage,
        jsonOf(jsonObject),
        jsonOf(fc.array(jsonObject, { maxLength: 3 }).map((objects) => `[${objects.join(" , ")}]`)),
      ),
      { minLength: 1, maxLength: 4 },
    ),
    { minLength: 1, maxLength: 3 },
  ),
  questions: named(
    {
      option: fc.oneof(anyText, fc.boolean()),
      level: fc.record({ label: anyText, description: textOrNull }),
      criterion: fc.constant(null),
    },
    true,
  ),
  safety_identifier: fc.option(fc.string({ maxLength: 20 }), { nil: null }),
});

const keyedState: fc.Arbitrary<DecisionPart[]> = fc.oneof(
  fc.array(fc.oneof<fc.Arbitrary<DecisionPart>[]>(textPart, plainImage, detailedImage), { minLength: 1, maxLength: 5 }),
  jsonOf(
    fc.oneof(
      jsonObject,
      fc.array(fc.jsonValue()).map((items) => JSON.stringify(items)),
    ),
  ).map((part) => [part]),
  fc.tuple(jsonOf(jsonObject), plainImage).map((parts) => parts),
);

/** Requests that `/v1/systemone` can express. An empty text beside images is left out. */
export const systemoneRequests: fc.Arbitrary<DecisionRequest> = fc.record({
  ...whatIsAsked,
  input: keyedState
    .filter(([first, second]) => !(first?.type === "text" && first.text === "" && second?.type === "image"))
    .map((parts) => [parts]),
  questions: named(
    {
      option: anyText,
      level: fc.record({ label: fc.constant(null), description: anyText }),
      criterion: textOrNull,
    },
    false,
  ),
  safety_identifier: fc.constant(null),
});

const unit = fc.double({ min: 0, max: 1, noNaN: true });

function distribution(length: number): fc.Arbitrary<number[]> {
  return fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: length, maxLength: length }).map((weights) => {
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return sum === 0 ? weights.map((_, index) => (index === 0 ? 1 : 0)) : weights.map((weight) => weight / sum);
  });
}

function answerTo(question: Question): fc.Arbitrary<DecisionAnswer> {
  switch (question.type) {
    case "box":
      throw new Error("boxes are not among these requests");
    case "predicate":
      return fc.record({ type: fc.constant("predicate" as const), probability: unit });
    case "choice":
      return fc.record({
        type: fc.constant("choice" as const),
        choice: fc.nat(question.options.length - 1),
        confidence: unit,
        probabilities: distribution(question.options.length),
      });
    case "score":
      return fc.record({
        type: fc.constant("score" as const),
        score: fc.double({ min: 0, max: question.levels.length - 1, noNaN: true }),
        confidence: unit,
        probabilities: distribution(question.levels.length),
      });
  }
}

/** Answers to the questions of a request, with refusals where these are allowed. */
export function answersTo({ questions }: DecisionRequest, may_refuse = true): fc.Arbitrary<DecisionAnswer[]> {
  const refusal = fc.record({ type: fc.constant("refusal" as const), reason: textOrNull });
  const answers = questions.map((question) =>
    fc.oneof({ weight: 4, arbitrary: answerTo(question) }, { weight: may_refuse ? 1 : 0, arbitrary: refusal }),
  );
  return fc.tuple(...answers);
}

/** Answers as bytes of JSON can hold them: there is no −0. */
export function withoutNegativeZero<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** The code of the GatewayError that a call throws; null where it does not throw. */
export function codeOf(call: () => unknown): string | null {
  try {
    call();
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
  return null;
}
