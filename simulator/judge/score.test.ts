import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { drawLabel, GAIN, NOISE, optionLogits, optionProbabilities, statementLogit, yesProbability } from "./score.ts";

const STATE = "The customer wants a refund for the broken lamp.";

describe("the judge's opinion of options", () => {
  test("follows the share of an option's content words that the state has, with a little noise", () => {
    const options = ["a refund", "refund or praise", "praise"];
    const shares = [1, 0.5, 0];
    for (const [index, logit] of optionLogits(STATE, options).entries()) {
      expect(Math.abs(logit - GAIN * (shares[index] ?? 0))).toBeLessThanOrEqual(NOISE);
    }
    expect(new Set(optionLogits("", ["calm", "angry", "sad"])).size).toBe(3);
  });

  test("is a distribution in which each option keeps its probability in any order", () => {
    const options = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(fc.string(), options, (state, listed) => {
        const probabilities = optionProbabilities(state, listed);
        const reversed = optionProbabilities(state, listed.toReversed()).toReversed();
        expect(probabilities.reduce((sum, probability) => sum + probability, 0)).toBeCloseTo(1, 12);
        for (const [index, probability] of probabilities.entries())
          expect(probability).toBeCloseTo(reversed[index] ?? -1, 12);
      }),
    );
  });
});

describe("the judge's opinion of statements", () => {
  test.each([
    ["The customer wants a refund", "The customer does not want a refund"],
    ["The lamp is broken", "The lamp isn't broken"],
    ["Anyone is happy", "It is false that anyone is happy"],
  ])("%p and %p are each other's opposite", (statement, negation) => {
    const wants = statement.replace("wants", "want");
    expect(yesProbability(STATE, wants) + yesProbability(STATE, negation)).toBeCloseTo(1, 12);
    expect(statementLogit(STATE, wants)).not.toBeCloseTo(0, 2);
  });

  test("counts the meanings of yes and no", () => {
    const statement = "What is it about?";
    const plain = statementLogit(STATE, statement);
    const meant = statementLogit(STATE, statement, { when_true: "a refund", when_false: "praise" });
    expect(meant - plain).toBeCloseTo(GAIN, 12);
  });
});

describe("labels drawn from a distribution", () => {
  test("come as often as the distribution says, and equally for equal seeds", () => {
    const drawn = Array.from({ length: 4000 }, (_, index) => drawLabel([0.7, 0.2, 0.1], `case ${index}`));
    for (const [label, share] of [0.7, 0.2, 0.1].entries()) {
      expect(Math.abs(drawn.filter((drew) => drew === label).length / drawn.length - share)).toBeLessThan(0.03);
    }
    expect(drawLabel([0.5, 0.5], "again")).toBe(drawLabel([0.5, 0.5], "again"));
  });
});
