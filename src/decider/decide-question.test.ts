import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  answerOf,
  answerWith,
  type JudgeTraits,
  promptOf,
  scriptedJudge,
} from "../../proofs/support/scripted-judge.ts";
import type {
  ChoiceQuestion,
  PredicateQuestion,
  ProbableAnswer,
  ProbableQuestion,
  ScoreQuestion,
} from "../core/answer/decision.ts";
import { GatewayError } from "../core/errors.ts";
import { callsFor, decideQuestion, type QuestionResult } from "./decide-question.ts";
import type { EngineSettings } from "./question-calls.ts";
import { writeMaterial } from "./write-material.ts";

const MATERIAL = writeMaterial([[{ type: "text", text: "The parcel came late and broken." }]]);

const SETTINGS: EngineSettings = {
  debias: "all",
  min_label_mass: 0.05,
  calibration: null,
  top_logprobs: 20,
  constrain: null,
};

const predicate = (instructions: string): PredicateQuestion => ({
  type: "predicate",
  name: null,
  instructions,
  when_true: null,
  when_false: null,
});

const choice = (...values: (string | boolean)[]): ChoiceQuestion => ({
  type: "choice",
  name: null,
  instructions: "Which?",
  options: values.map((value) => ({ value, description: null })),
});

const score = (...labels: string[]): ScoreQuestion => ({
  type: "score",
  name: null,
  instructions: "How bad?",
  levels: labels.map((label) => ({ label, description: null })),
});

/** A model that scores an answer by the number in its text: `"option 1.5"` gets 1.5 nats. */
const byNumber: JudgeTraits["score"] = ({ text }) => Number(/-?\d+(\.\d+)?/.exec(text)?.[0] ?? 0);

/** A model with an opinion on each question, and the opposite opinion on its negation. */
const byQuestion: JudgeTraits["score"] = ({ text }, prompt) => {
  const evidence = Number(/evidence (-?\d+(\.\d+)?)/.exec(prompt)?.[1] ?? 0) * (prompt.includes(" not ") ? -1 : 1);
  return text.startsWith('"yes"') ? evidence / 2 : -evidence / 2;
};

async function decide(question: ProbableQuestion, traits: JudgeTraits, settings: Partial<EngineSettings> = {}) {
  const { ask, requests } = scriptedJudge(traits);
  return { ...(await decideQuestion(question, MATERIAL, { ...SETTINGS, ...settings }, ask)), requests };
}

function probabilitiesOf(answer: ProbableAnswer): readonly number[] {
  if (answer.type === "refusal") throw new Error("refused");
  return answer.type === "predicate" ? [answer.probability, 1 - answer.probability] : answer.probabilities;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function softmaxOf(scores: readonly number[]): number[] {
  const weights = scores.map((value) => Math.exp(value));
  return weights.map((weight) => weight / sum(weights));
}

async function errorOf(decided: Promise<QuestionResult>): Promise<GatewayError> {
  try {
    await decided;
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
  throw new Error("It was answered.");
}

test("the calls are known before the first, for any question and any settings", async () => {
  const some = fc.oneof(
    fc.constant(predicate("?")),
    fc.integer({ min: 2, max: 10 }).map((count) => score(...Array.from({ length: count }, (_, at) => `level ${at}`))),
    fc
      .integer({ min: 2, max: 255 })
      .map((count) => choice(...Array.from({ length: count }, (_, at) => `option ${at}`))),
  );
  await fc.assert(
    fc.asyncProperty(
      some,
      fc.constantFrom("none", "two", "all"),
      fc.integer({ min: 1, max: 80 }),
      async (question, debias, top_logprobs) => {
        const settings = { debias, top_logprobs, min_label_mass: 0 };
        const { calls, requests } = await decide(question, { score: () => 0 }, settings);
        expect(callsFor(question, settings).calls).toBe(calls);
        expect(requests).toHaveLength(calls);
      },
    ),
    { numRuns: 60 },
  );
});

describe("an answer's numbers", () => {
  test("are the model's probabilities of the labels, scaled to sum to 1", async () => {
    const { answer, label_mass, calls } = await decide(choice("1", "0", "2"), { score: byNumber, junk: 0.2 });
    expect(probabilitiesOf(answer).map((value) => value.toFixed(9))).toEqual(
      softmaxOf([1, 0, 2]).map((value) => value.toFixed(9)),
    );
    expect(answer).toMatchObject({ type: "choice", choice: 2 });
    expect(label_mass).toBeCloseTo(0.8, 9);
    expect(calls).toBe(3);
  });

  test("of a predicate are the probability of yes", async () => {
    const { answer } = await decide(predicate("evidence 1.2"), { score: byQuestion });
    expect(probabilitiesOf(answer)[0]).toBeCloseTo(1 / (1 + Math.exp(-1.2)), 9);
  });

  test("of a score are the expected level and a distribution, lowest first", async () => {
    const levels: JudgeTraits["score"] = ({ text }) => ({ '"fine"': 0, '"bad"': 1, '"awful"': 2 })[text] ?? -9;
    const { answer, calls } = await decide(score("fine", "bad", "awful"), { score: levels });
    const [low = 0, middle = 0, high = 0] = softmaxOf([0, 1, 2]);
    expect(answer).toMatchObject({ type: "score" });
    expect(answer.type === "score" && answer.score).toBeCloseTo(middle + 2 * high, 9);
    expect(probabilitiesOf(answer)[0]).toBeCloseTo(low, 9);
    expect(calls).toBe(2);
  });

  test("sum to 1 for any number of options, any scores, any bias and any setting", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: -30, max: 30, noNaN: true }), { minLength: 2, maxLength: 255 }),
        fc.constantFrom("none", "two", "all"),
        fc.integer({ min: 2, max: 80 }),
        fc.double({ min: 0, max: 0.9, noNaN: true }),
        async (scores, debias, top_logprobs, junk) => {
          const question = choice(...scores.map((value, index) => `option ${value.toFixed(3)} #${index}`));
          const traits = { score: byNumber, shown: top_logprobs, junk };
          const { answer } = await decide(question, traits, { debias, top_logprobs, min_label_mass: 0 });
          const probabilities = probabilitiesOf(answer);
          expect(probabilities).toHaveLength(scores.length);
          expect(Math.abs(sum(probabilities) - 1)).toBeLessThan(1e-9);
          expect(probabilities.every((value) => value > 0 && value <= 1)).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("bias for a place or a label", () => {
  const VALUES = ["option 0.3", "option 0", "option 0.9", "option -0.4", "option 0.6"];
  const BIASED: JudgeTraits = {
    score: byNumber,
    place_bias: (place) => (place === 0 ? 2 : 0),
    label_bias: (label) => (label.charCodeAt(0) % 3) / 10,
  };

  async function movement(debias: EngineSettings["debias"]): Promise<number> {
    const forwards = await decide(choice(...VALUES), BIASED, { debias });
    const backwards = await decide(choice(...VALUES.toReversed()), BIASED, { debias });
    const moved = probabilitiesOf(backwards.answer).toReversed();
    return Math.max(...probabilitiesOf(forwards.answer).map((value, index) => Math.abs(value - (moved[index] ?? 0))));
  }

  test("changes the answer without debiasing", async () => {
    expect(await movement("none")).toBeGreaterThan(0.3);
  });

  test("is equal for an option and its mirror image with two orders", async () => {
    expect(await movement("two")).toBeLessThan(1e-9);
  });

  test("cancels out with all orders, wherever the options stand", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -30, max: 30 }), { minLength: 2, maxLength: 12 }),
        fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 12, maxLength: 12 }),
        async (tenths, biases) => {
          const scores = tenths.map((value) => value / 10);
          const traits = { score: byNumber, place_bias: (place: number) => biases[place] ?? 0 };
          const { answer } = await decide(choice(...scores.map((value, i) => `option ${value} #${i}`)), traits);
          const expected = softmaxOf(scores);
          for (const [index, value] of probabilitiesOf(answer).entries()) {
            expect(value).toBeCloseTo(expected[index] ?? 0, 9);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test("cancels out of a question and its negation, which sum to 1", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -6, max: 6, noNaN: true }),
        fc.double({ min: -3, max: 3, noNaN: true }),
        fc.double({ min: -3, max: 3, noNaN: true }),
        fc.constantFrom("two", "all"),
        async (evidence, first, letter, debias) => {
          const traits = {
            score: byQuestion,
            place_bias: (place: number) => (place === 0 ? first : 0),
            label_bias: (label: string) => (label === "A" ? letter : 0),
          };
          const written = evidence.toFixed(3);
          const positive = await decide(predicate(`Is it so? evidence ${written}`), traits, { debias });
          const negative = await decide(predicate(`Is it not so? evidence ${written}`), traits, { debias });
          const both = sum([positive, negative].map(({ answer }) => probabilitiesOf(answer)[0] ?? 0));
          expect(both).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  test("changes the answer to a predicate that is asked in one order only", async () => {
    const traits = { score: byQuestion, label_bias: (label: string) => (label === "Yes" ? 2 : 0) };
    const positive = await decide(predicate("Is it so? evidence 0.5"), traits, { debias: "none" });
    const negative = await decide(predicate("Is it not so? evidence 0.5"), traits, { debias: "none" });
    expect(sum([positive, negative].map(({ answer }) => probabilitiesOf(answer)[0] ?? 0))).toBeGreaterThan(1.5);
  });

  test("is spread evenly over both ends of a rubric", async () => {
    const flat = { score: () => 0, place_bias: (place: number) => (place === 0 ? 2 : 0) };
    const { answer } = await decide(score("low", "middle", "high"), flat);
    const [low, , high] = probabilitiesOf(answer);
    expect(low).toBeCloseTo(high ?? 0, 12);
    expect(answer.type === "score" && answer.score).toBeCloseTo(1, 12);
  });
});

describe("more options than one call can list", () => {
  test.each([21, 60, 255])("%d get the probabilities that one call with all of them would give", async (count) => {
    const scores = Array.from({ length: count }, (_, index) => ((index * 37) % 41) / 10);
    const question = choice(...scores.map((value, index) => `option ${value} #${index}`));
    const { answer, calls } = await decide(question, { score: byNumber, shown: 21 });
    const expected = softmaxOf(scores);
    for (const [index, value] of probabilitiesOf(answer).entries()) expect(value).toBeCloseTo(expected[index] ?? 0, 9);
    expect(sum(probabilitiesOf(answer))).toBeCloseTo(1, 9);
    expect(calls).toBeLessThanOrEqual(128);
  });

  test("are listed in groups that fit the number of alternatives that the vendor shows", async () => {
    const values = Array.from({ length: 100 }, (_, index) => `option ${index / 50}`);
    const { answer, requests } = await decide(choice(...values), { score: byNumber, shown: 6 }, { top_logprobs: 5 });
    expect(answer.type === "choice" && answer.choice).toBe(99);
    for (const request of requests) expect(promptOf(request)).not.toContain("\nF: ");
  });
});

describe("a likelier option", () => {
  test("never gets a smaller probability", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -60, max: 60 }), { minLength: 2, maxLength: 45 }),
        fc.integer({ min: 1, max: 30 }),
        fc.nat(),
        async (tenths, more, at) => {
          const raised = at % tenths.length;
          const ask = (extra: number) =>
            decide(
              choice(...tenths.map((value, i) => `option ${(value + (i === raised ? extra : 0)) / 10} #${i}`)),
              { score: byNumber },
              { debias: "two" },
            );
          const [before, after] = await Promise.all([ask(0), ask(more)]);
          const probability = ({ answer }: QuestionResult) => probabilitiesOf(answer)[raised] ?? 0;
          expect(probability(after)).toBeGreaterThanOrEqual(probability(before));
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("a calibration", () => {
  const version = "1";

  test("divides the log-odds of its question type by its temperature, after debiasing", async () => {
    const calibration = { version, temperatures: { predicate: 2, choice: null, score: null } };
    const traits = { score: byQuestion, place_bias: (place: number) => (place === 0 ? 2 : 0) };
    const { answer } = await decide(predicate("evidence 3"), traits, { calibration });
    expect(probabilitiesOf(answer)[0]).toBeCloseTo(1 / (1 + Math.exp(-1.5)), 9);
  });

  test("leaves the other types unchanged", async () => {
    const calibration = { version, temperatures: { predicate: 2, choice: null, score: 3 } };
    const { answer } = await decide(choice("1", "0"), { score: byNumber }, { calibration });
    expect(probabilitiesOf(answer)[0]).toBeCloseTo(softmaxOf([1, 0])[0] ?? 0, 9);
  });
});

describe("an answer that is discarded", () => {
  const question = choice("option 1", "option 0");

  test("has too little of the probability on its labels", async () => {
    const error = await errorOf(decide(question, { score: byNumber, junk: 0.96 }));
    expect(error.code).toBe("upstream_invalid_response");
    expect(error.message).toContain("0.04");
    expect(error.message).toContain("0.05");
  });

  test("is not an answer whose label mass is just large enough", async () => {
    const { label_mass } = await decide(question, { score: byNumber, junk: 0.94 });
    expect(label_mass).toBeCloseTo(0.06, 9);
  });

  test.each([
    ["without log-probabilities", answerOf("A"), "without the log-probabilities"],
    [
      "without alternatives",
      answerOf("A", [{ token: "A", logprob: 0, bytes: null, top_logprobs: [] }]),
      "no alternatives",
    ],
    ["whose numbers are NaN", answerWith([["A", Number.NaN]]), "no alternatives"],
    ["of other words", answerWith([["Sure", -0.1]]), "none of the labels"],
    ["without text", { ...answerOf("A"), blocks: [{ kind: "reasoning", text: "Hm" }] }, "no text"],
    ["that was withheld", { ...answerOf("A"), blocks: [], reason: "content-filter" }, "content filter"],
  ] as const)("is one %s", async (_name, answer, words) => {
    const asked = decideQuestion(question, MATERIAL, { ...SETTINGS, min_label_mass: 0 }, () => Promise.resolve(answer));
    const error = await errorOf(asked);
    expect(error.code).toBe("upstream_invalid_response");
    expect(error.message).toContain(words);
  });

  test("is not requested again after a failure", async () => {
    let calls = 0;
    const failing = () => {
      calls += 1;
      return Promise.reject(new GatewayError("model_unavailable", "Gone."));
    };
    const values = Array.from({ length: 20 }, (_, index) => `${index}`);
    const error = await errorOf(decideQuestion(choice(...values), MATERIAL, SETTINGS, failing));
    expect(error.code).toBe("model_unavailable");
    expect(calls).toBeLessThanOrEqual(8);
  });
});

describe("a refusal", () => {
  test.each(["I cannot judge this.", ""])("of the vendor's is the answer, with its reason: %p", async (text) => {
    const refused = { ...answerOf(""), blocks: [{ kind: "refusal", text }] } as const;
    const ask = () => Promise.resolve({ ...refused, reason: "stop" } as const);
    const { answer, label_mass } = await decideQuestion(predicate("Is it?"), MATERIAL, SETTINGS, ask);
    expect(answer).toEqual({ type: "refusal", reason: text === "" ? null : text });
    expect(label_mass).toBeNull();
  });

  test("whose reason was cut after one token is requested again, with more tokens", async () => {
    const reason = "I cannot judge this.";
    const caps: (number | undefined)[] = [];
    const { answer } = await decideQuestion(predicate("Is it?"), MATERIAL, SETTINGS, ({ max_output_tokens: cap }) => {
      caps.push(cap);
      const cut = cap === 1;
      const blocks = [{ kind: "refusal", text: cut ? "I" : reason }] as const;
      return Promise.resolve({ ...answerOf(""), blocks, reason: cut ? "length" : "stop" } as const);
    });
    expect(answer).toEqual({ type: "refusal", reason });
    expect(caps.filter((cap) => cap === 256).length).toBeGreaterThan(0);
  });
});

describe("constrained output", () => {
  const constrain = "structured_outputs";

  test("names the labels, and then reports no label mass", async () => {
    const { label_mass, requests } = await decide(choice("1", "0"), { score: byNumber, junk: 0 }, { constrain });
    expect(requests[0]?.choices).toEqual(["A", "B"]);
    expect(label_mass).toBeNull();
  });

  test("does not save a model that would have said something else, where the vendor shows that", async () => {
    const error = await errorOf(decide(choice("1", "0"), { score: byNumber, junk: 0.99 }, { constrain }));
    expect(error.code).toBe("upstream_invalid_response");
  });
});

describe("the number of calls by setting", () => {
  const options = (count: number) => choice(...Array.from({ length: count }, (_, index) => `option ${index / 100}`));
  const levels = score("low", "middle", "high");
  test.each([
    ["a predicate", predicate("Is it?"), { none: 1, two: 2, all: 2 }],
    ["a rubric", levels, { none: 1, two: 2, all: 2 }],
    ["a choice of 4", options(4), { none: 1, two: 2, all: 4 }],
    ["a choice of 20", options(20), { none: 1, two: 2, all: 20 }],
    ["a choice of 21", options(21), { none: 3, two: 6, all: 23 }],
    ["a choice of 255", options(255), { none: 14, two: 28, all: 126 }],
  ] as const)("%s", async (_name, question, expected) => {
    for (const debias of ["none", "two", "all"] as const) {
      const { calls } = await decide(question, { score: byNumber }, { debias });
      expect(calls).toBe(expected[debias]);
    }
  });
});
