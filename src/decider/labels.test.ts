import { describe, expect, test } from "bun:test";
import { answerWith } from "../../proofs/support/scripted-judge.ts";
import { labelReader, lettersFor, MOST_LABELS, YES_NO } from "./labels.ts";
import { readLabels } from "./read-labels.ts";

describe("a token spells the label", () => {
  test.each([
    ...["A", " A", "a", " a", "A.", "A)", "(A", "(A)", '"A"', "**A", "A:", "ＡA".slice(0, 1), "▁A", "ĠA", "\nA", "[A]"],
  ])("A: %p", (token) => {
    expect(labelReader(lettersFor(3))(token)).toBe(0);
  });

  test.each(["Yes", "yes", " YES", "Yes.", "▁yes", "Ｙｅｓ"])("Yes: %p", (token) => {
    expect(labelReader(YES_NO)(token)).toBe(0);
  });

  test.each(["", " ", "\n", "**", "AB", "Answer", "D", "É", "10"])("of no answer: %p", (token) => {
    expect(labelReader(lettersFor(3))(token)).toBeNull();
  });

  test("in its own case alone where both cases are labels", () => {
    const read = labelReader(lettersFor(30));
    expect([read("A"), read(" a"), read("z"), read("Z")]).toEqual([0, 26, 25, 25]);
  });

  test("never where it could stand for two labels", () => {
    expect(labelReader(["Ja", "JA"])("ja")).toBeNull();
    expect(labelReader(["Ja", "JA"])("JA")).toBe(1);
  });

  test("where it is the label itself", () => {
    const labels = lettersFor(MOST_LABELS);
    expect(new Set(labels).size).toBe(62);
    expect(labels.map(labelReader(labels))).toEqual(labels.map((_, index) => index));
  });
});

describe("a label's probability", () => {
  const log = (probability: number) => Math.log(probability);
  const probabilities = (tokens: [string, number][], labels = ["A", "B", "C"]) => {
    const { log_probabilities, mass } = readLabels(
      answerWith(tokens.map(([token, probability]) => [token, log(probability)])),
      labels,
    );
    return { shown: log_probabilities.map((value) => Math.exp(value)), mass };
  };

  test("is the sum over its spellings", () => {
    const { shown, mass } = probabilities([
      ["A", 0.3],
      [" A", 0.2],
      ["a", 0.1],
      ["B", 0.2],
      ["C.", 0.1],
      ["The", 0.1],
    ]);
    expect(shown.map((value) => value.toFixed(9))).toEqual(["0.600000000", "0.200000000", "0.100000000"]);
    expect(mass).toBeCloseTo(0.9, 9);
  });

  test("counts a token once when the vendor shows it twice", () => {
    const { shown } = probabilities([
      ["A", 0.5],
      ["B", 0.3],
      ["C", 0.2],
      ["A", 0.5],
    ]);
    expect(shown[0]).toBeCloseTo(0.5, 9);
  });

  test("that is not shown is half of the smallest shown probability", () => {
    const { shown, mass } = probabilities([
      ["A", 0.6],
      ["B", 0.02],
    ]);
    expect(shown[2]).toBeCloseTo(0.01, 9);
    expect(mass).toBeCloseTo(0.62, 9);
  });

  test("that is not shown is at most its share of the remaining probability", () => {
    const { shown } = probabilities([
      ["A", 0.96],
      ["The", 0.02],
    ]);
    expect(shown.slice(1).map((value) => value.toFixed(9))).toEqual(["0.005000000", "0.005000000"]);
  });

  test("is never 0, so that every logarithm is finite", () => {
    const { log_probabilities } = readLabels(
      answerWith([
        ["A", 0],
        ["B", -9999],
      ]),
      ["A", "B", "C"],
    );
    expect(log_probabilities.every(Number.isFinite)).toBe(true);
    expect(log_probabilities[0]).toBe(0);
  });

  test("is 1 when rounding made the sum larger", () => {
    expect(readLabels(answerWith([["A", 1e-7]]), ["A", "B"]).mass).toBe(1);
  });
});
