import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { choiceConfidence, expectedLevel, modeOf, scoreConfidence } from "./decision-confidence.ts";

const distribution = (most: number) =>
  fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 2, maxLength: most }).map((weights) => {
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
  });

describe("the confidence of a choice", () => {
  test.each([
    [[0.5, 0.5], 0],
    [[1, 0], 1],
    [[0.7, 0.2, 0.1], 0.55],
    [[0.25, 0.25, 0.25, 0.25], 0],
    [[0, 0, 1], 1],
    [[1], 1],
  ])("of %p is %p", (probabilities, confidence) => {
    expect(choiceConfidence(probabilities)).toBeCloseTo(confidence, 12);
  });

  test("is between 0 and 1 whatever the probabilities", () => {
    fc.assert(
      fc.property(distribution(255), (probabilities) => {
        const confidence = choiceConfidence(probabilities);
        return confidence >= 0 && confidence <= 1;
      }),
    );
  });
});

describe("the confidence of a score", () => {
  test.each([
    [[1, 0, 0], 1],
    // The distances from the middle of three levels are 1, 0, 1: their mean is 2/3.
    [[0.8, 0.2, 0], 0.7],
    [[0.5, 0, 0.5], 0],
    [[0.1, 0.8, 0.1], 0.7],
    // Two levels: the mean distance is 1/2.
    [[0.9, 0.1], 0.8],
    [[1], 1],
  ])("of %p is %p", (probabilities, confidence) => {
    expect(scoreConfidence(probabilities)).toBeCloseTo(confidence, 12);
  });

  test("is between 0 and 1, and does not change when the levels are reversed, unless two levels share the mode", () => {
    fc.assert(
      fc.property(distribution(10), (probabilities) => {
        const confidence = scoreConfidence(probabilities);
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(1);
        const largest = Math.max(...probabilities);
        fc.pre(probabilities.filter((probability) => probability === largest).length === 1);
        expect(scoreConfidence(probabilities.toReversed())).toBeCloseTo(confidence, 9);
      }),
    );
  });
});

describe("the score", () => {
  test.each([
    [[1, 0, 0], 0],
    [[0, 0, 1], 2],
    [[0.25, 0.5, 0.25], 1],
    [[0.1, 0.2, 0.7], 1.6],
  ])("of %p is %p", (probabilities, score) => {
    expect(expectedLevel(probabilities)).toBeCloseTo(score, 12);
  });

  test("of the last level is the last level, not a rounding above it", () => {
    expect(expectedLevel([0, 1 + 2 ** -52])).toBe(1);
  });
});

test("the mode is the first of several equal probabilities", () => {
  expect(modeOf([0.2, 0.4, 0.4])).toBe(1);
  expect(modeOf([0, 0])).toBe(0);
});
