import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { QuestionType } from "../../core/answer/decision.ts";
import { softmax } from "../softmax.ts";
import { FEWEST_EXAMPLES, fitCalibration } from "./fit-calibration.ts";
import { fitTemperature, GREATEST_TEMPERATURE, LEAST_TEMPERATURE, minimise } from "./fit-temperature.ts";
import { formatCalibration } from "./format-calibration.ts";
import { atTemperature, type LabelledAnswer, labelledAnswer } from "./labelled-answer.ts";
import { measureQuality } from "./measure-quality.ts";
import { reliabilityDiagram } from "./reliability-diagram.ts";

/** Pseudo-random numbers between 0 and 1, equal in every run (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Answers of a model that knows the true distribution and overstates its log-odds by the factor `sharpness`. */
function misjudged(
  type: QuestionType,
  classes: number,
  { sharpness, count, seed }: { readonly sharpness: number; readonly count: number; readonly seed: number },
) {
  const draw = numbers(seed);
  return Array.from({ length: count }, (): LabelledAnswer => {
    const scores = Array.from({ length: classes }, () => 4 * (draw() - 0.5));
    const real = softmax(scores);
    return { type, probabilities: softmax(scores, 1 / sharpness), truth: drawFrom(real, draw()) };
  });
}

/** The index of the answer whose share of the unit interval contains the number. */
function drawFrom(probabilities: readonly number[], number: number): number {
  let passed = 0;
  for (const [index, probability] of probabilities.entries()) {
    passed += probability;
    if (number < passed) return index;
  }
  return probabilities.length - 1;
}

const TYPES = [
  ["predicate", 2],
  ["choice", 6],
  ["score", 5],
] as const;

describe("a temperature", () => {
  test.each(TYPES)("is found for %ss whose log-odds are three times too large", (type, classes) => {
    expect(fitTemperature(misjudged(type, classes, { sharpness: 3, count: 4000, seed: 1 }))).toBeCloseTo(3, 0);
  });

  test.each(TYPES)("is found for %ss whose log-odds are half as large as they should be", (type, classes) => {
    expect(fitTemperature(misjudged(type, classes, { sharpness: 0.5, count: 4000, seed: 2 }))).toBeCloseTo(0.5, 1);
  });

  test("is 1 for a calibrated model", () => {
    expect(fitTemperature(misjudged("choice", 4, { sharpness: 1, count: 4000, seed: 3 }))).toBeCloseTo(1, 1);
  });

  test("stays within its limits and is finite, for any examples", () => {
    const probabilities = fc
      .array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 5 })
      .map((weights) => weights.map((weight) => weight / (weights.reduce((sum, value) => sum + value, 0) || 1)));
    const answer = fc.record({ type: fc.constant("choice" as const), probabilities, truth: fc.constant(0) });
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 30 }), (answers) => {
        const temperature = fitTemperature(answers);
        return temperature >= LEAST_TEMPERATURE - 1e-9 && temperature <= GREATEST_TEMPERATURE + 1e-9;
      }),
    );
  });

  test("does not run to its limit for a few answers that are all right", () => {
    const right = Array.from({ length: 25 }, () => ({ type: "choice", probabilities: [0.9, 0.1], truth: 0 }) as const);
    expect(fitTemperature(right)).toBeGreaterThan(0.15);
  });
});

test("the deeper of two minima is found", () => {
  const cost = (x: number) => Math.min((x - 2) ** 2, (x + 1.5) ** 2 - 0.5);
  expect(minimise(cost, -3, 3)).toBeCloseTo(-1.5, 4);
});

describe("a calibration of an overconfident model", () => {
  test.each(TYPES)(
    "makes the calibration error of %ss at least five times smaller on unseen answers",
    (type, classes) => {
      const { calibration } = fitCalibration(misjudged(type, classes, { sharpness: 4, count: 4000, seed: 10 }), "1");
      const unseen = misjudged(type, classes, { sharpness: 4, count: 20_000, seed: 11 });
      const temperature = calibration.temperatures[type] ?? 1;
      const before = measureQuality(unseen);
      const after = measureQuality(unseen.map((answer) => atTemperature(answer, temperature)));
      expect(before.ece_equal_width / after.ece_equal_width).toBeGreaterThan(5);
      expect(before.ece_equal_mass / after.ece_equal_mass).toBeGreaterThan(5);
      expect(after.brier).toBeLessThan(before.brier);
      expect(after.accuracy).toBe(before.accuracy);
    },
  );

  test("reports its effect on answers that each fit had not seen", () => {
    const answers = misjudged("choice", 4, { sharpness: 4, count: 3000, seed: 12 });
    const { reports } = fitCalibration(answers, "1");
    expect(reports.map(({ type }) => type)).toEqual(["choice"]);
    const [report] = reports;
    expect(report?.after.negative_log_likelihood).toBeLessThan(report?.before.negative_log_likelihood ?? 0);
    expect(report?.after.examples).toBe(3000);
  });

  test("fits nothing for a type with too few examples", () => {
    const answers = misjudged("score", 5, { sharpness: 4, count: FEWEST_EXAMPLES - 1, seed: 13 });
    const { calibration, reports } = fitCalibration(answers, "1");
    expect(calibration.temperatures).toEqual({ predicate: null, choice: null, score: null });
    expect(reports[0]?.after).toEqual(reports[0]?.before ?? measureQuality([]));
  });

  test("is deterministic", () => {
    const answers = misjudged("predicate", 2, { sharpness: 2, count: 500, seed: 14 });
    expect(fitCalibration(answers, "1")).toEqual(fitCalibration(answers, "1"));
  });
});

describe("the measures", () => {
  const said = (probability: number, truth: number): LabelledAnswer => ({
    type: "predicate",
    probabilities: [probability, 1 - probability],
    truth,
  });

  test("of predicates are computed as their definitions say", () => {
    const quality = measureQuality([said(0.9, 0), said(0.9, 1), said(0.2, 1), said(0.2, 1)]);
    // In the bin of 0.9 half of the answers are true, in the bin of 0.2 none.
    expect(quality.ece_equal_width).toBeCloseTo((0.4 + 0.2) / 2, 12);
    expect(quality.brier).toBeCloseTo((0.01 + 0.81 + 0.04 + 0.04) / 4, 12);
    expect(quality.accuracy).toBe(0.75);
    expect(quality.negative_log_likelihood).toBeCloseTo(-(Math.log(0.9) + Math.log(0.1) + 2 * Math.log(0.8)) / 4, 12);
  });

  test("of choices use the likeliest answer, and the Brier score uses all answers", () => {
    const quality = measureQuality([{ type: "choice", probabilities: [0.5, 0.3, 0.2], truth: 1 }]);
    expect(quality.ece_equal_width).toBeCloseTo(0.5, 12);
    expect(quality.brier).toBeCloseTo(0.25 + 0.49 + 0.04, 12);
  });

  test("accept a certain answer and an empty list", () => {
    expect(measureQuality([said(1, 0)]).ece_equal_width).toBe(0);
    expect(measureQuality([said(0, 0)]).negative_log_likelihood).toBeCloseTo(-Math.log(1e-12), 6);
    expect(measureQuality([]).brier).toBe(0);
  });
});

describe("the written calibration", () => {
  const fit = fitCalibration(
    [
      ...misjudged("predicate", 2, { sharpness: 3, count: 400, seed: 20 }),
      ...misjudged("score", 4, { sharpness: 3, count: 30, seed: 21 }),
    ],
    "2026-11-21",
  );

  test("is a file with the temperatures, their model and their quality", () => {
    const written: unknown = JSON.parse(formatCalibration(fit, { model: "local/llama", debias: "all" }));
    expect(written).toMatchObject({
      version: "2026-11-21",
      model: "local/llama",
      debias: "all",
      temperatures: { choice: null },
      report: { predicate: { examples: 400 } },
    });
  });

  test("comes with a diagram that has a panel for each type and a dot for each bin", () => {
    const svg = reliabilityDiagram(fit.reports, "local/llama <1>");
    expect(svg).toContain("predicate: 400 examples");
    expect(svg).toContain("score: 30 examples");
    expect(svg).toContain("<title>local/llama &lt;1&gt;</title>");
    const bins = fit.reports.flatMap(({ before, after }) => [...before.bins, ...after.bins]).length;
    expect(svg.match(/<circle class="dot \w+" cx="[\d.]+" cy="[\d.]+" r="[\d.]+"><title>/g)).toHaveLength(bins);
    expect(svg).not.toContain("NaN");
  });
});

test("a refusal is not a labelled answer", () => {
  expect(labelledAnswer({ type: "refusal", reason: null }, 0)).toBeNull();
  expect(labelledAnswer({ type: "predicate", probability: 0.7 }, 1)?.probabilities[0]).toBe(0.7);
});
