import { expect, test } from "bun:test";
import { decisionBody, newOption, newQuestion, repeatedName } from "./questions.ts";
import { readAnswers } from "./read-answers.ts";

const PREDICATE = { type: "predicate" as const, name: "refund", probability: 0.9 };
const SHARES = [
  { label: "low", probability: 0.25 },
  { label: "high", probability: 0.75 },
];
const SCORE = { type: "score" as const, name: "urgency", score: 0.75, confidence: 0.5, shares: SHARES };
const CHOICE = { type: "choice" as const, name: "team", chosen: "high", confidence: 0.75, shares: SHARES };
const REFUSAL = { type: "refusal" as const, name: "more", reason: "not for me" };

test("both shapes of the same answers are shown alike", () => {
  const probabilities = SHARES.map(({ label, probability }, value) => ({ value, label, probability }));
  const options = SHARES.map(({ label, probability }) => ({ value: label, probability }));
  const { shares: _score, ...score } = SCORE;
  const array = [
    PREDICATE,
    { ...score, probabilities },
    { type: "choice", name: "team", choice: "high", confidence: 0.75, probabilities: options },
    REFUSAL,
  ];
  const keyed = {
    refund: { type: "noul", noul: 0.9 },
    urgency: {
      ...{ type: "score", score: 0.75, confidence: 0.5 },
      ...{ legend: { "0": "low", "1": "high" }, probabilities: { "0": 0.25, "1": 0.75 } },
    },
    team: { type: "choice", choice: "high", confidence: 0.75, probabilities: { low: 0.25, high: 0.75 } },
    more: { type: "refusal", reason: "not for me" },
  };
  const shown = [PREDICATE, SCORE, CHOICE, REFUSAL];
  expect(readAnswers({ answers: array })).toEqual(shown);
  expect(readAnswers({ answers: keyed })).toEqual(shown);
});

test("a question is written in both shapes", () => {
  const choices = [newOption("yes", "it fits"), newOption("no")];
  const draft = {
    model: "sim/decider",
    input: "text",
    images: [],
    questions: [newQuestion({ type: "choice", name: "a", instructions: "Which?", choices })],
  };
  expect(decisionBody("decisions", draft)).toEqual({
    model: "sim/decider",
    input: "text",
    questions: [
      {
        type: "choice",
        name: "a",
        instructions: "Which?",
        choices: [{ value: "yes", description: "it fits" }, { value: "no" }],
      },
    ],
  });
  expect(decisionBody("systemone", draft)).toEqual({
    model: "sim/decider",
    state: "text",
    questions: { a: { type: "choice", instructions: "Which?", criteria: { yes: "it fits", no: null } } },
  });
});

test("two questions of one name are found, since the keyed shape would merge them", () => {
  expect(repeatedName([newQuestion({ name: "question_2" }), newQuestion()])).toBe("question_2");
  expect(repeatedName([newQuestion(), newQuestion()])).toBeNull();
});
