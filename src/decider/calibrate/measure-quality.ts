import { modeOf } from "../../core/answer/decision-confidence.ts";
import type { LabelledAnswer } from "./labelled-answer.ts";

/** The quality of probabilities, measured on labelled answers of one type. */
export interface Quality {
  readonly examples: number;
  /** The share of examples whose likeliest answer is right. */
  readonly accuracy: number;
  /** Mean of −ln of the right answer's probability. */
  readonly negative_log_likelihood: number;
  /** Mean of (p − y)² for predicates, from 0 to 1; of Σ (pᵢ − yᵢ)² over all answers for the others, from 0 to 2. */
  readonly brier: number;
  /** Expected calibration error over 15 bins of equal width. */
  readonly ece_equal_width: number;
  /** Expected calibration error over 15 bins with equally many examples. */
  readonly ece_equal_mass: number;
  /** The bins of equal width that are not empty, for the reliability diagram. */
  readonly bins: readonly Bin[];
}

/** Examples with about equal stated probabilities, and how often their statements were true. */
export interface Bin {
  readonly examples: number;
  /** Mean of the stated probabilities. */
  readonly stated: number;
  /** The share of true statements. */
  readonly observed: number;
}

/** A stated probability, and whether the statement was true. */
interface StatedChance {
  readonly stated: number;
  readonly came_true: boolean;
}

export const BINS = 15;
const LEAST = 1e-12;

/** Measures answers of one type; without answers every number is 0. */
export function measureQuality(answers: readonly LabelledAnswer[]): Quality {
  const statements = answers.map(statementOf);
  const bins = equalWidthBins(statements);
  return {
    examples: answers.length,
    accuracy: meanOver(answers, ({ probabilities, truth }) => (modeOf(probabilities) === truth ? 1 : 0)),
    negative_log_likelihood: meanOver(
      answers,
      ({ probabilities, truth }) => -Math.log(Math.max(probabilities[truth] ?? 0, LEAST)),
    ),
    brier: meanOver(answers, brierOf),
    ece_equal_width: calibrationError(bins),
    ece_equal_mass: calibrationError(equalMassBins(statements)),
    bins,
  };
}

/** A predicate states the probability of yes; other types state that of their likeliest answer. */
function statementOf({ type, probabilities, truth }: LabelledAnswer): StatedChance {
  const stated = type === "predicate" ? 0 : modeOf(probabilities);
  return { stated: probabilities[stated] ?? 0, came_true: stated === truth };
}

function brierOf({ type, probabilities, truth }: LabelledAnswer): number {
  const sum = probabilities.reduce((total, value, index) => total + (value - (index === truth ? 1 : 0)) ** 2, 0);
  // The errors of yes and no are equal and count once.
  return type === "predicate" ? sum / 2 : sum;
}

function equalWidthBins(statements: readonly StatedChance[]): Bin[] {
  const members: StatedChance[][] = Array.from({ length: BINS }, () => []);
  for (const statement of statements) members[Math.min(Math.floor(statement.stated * BINS), BINS - 1)]?.push(statement);
  return members.filter(({ length }) => length > 0).map(binOf);
}

function equalMassBins(statements: readonly StatedChance[]): Bin[] {
  const sorted = statements.toSorted((a, b) => a.stated - b.stated);
  return Array.from({ length: BINS }, (_, index) =>
    sorted.slice(Math.floor((index * sorted.length) / BINS), Math.floor(((index + 1) * sorted.length) / BINS)),
  )
    .filter(({ length }) => length > 0)
    .map(binOf);
}

function binOf(members: readonly StatedChance[]): Bin {
  return {
    examples: members.length,
    stated: meanOver(members, ({ stated }) => stated),
    observed: meanOver(members, ({ came_true }) => (came_true ? 1 : 0)),
  };
}

/** The mean distance between stated and observed, weighted by each bin's share of the examples. */
function calibrationError(bins: readonly Bin[]): number {
  const examples = bins.reduce((sum, bin) => sum + bin.examples, 0);
  const distance = bins.reduce((sum, bin) => sum + bin.examples * Math.abs(bin.stated - bin.observed), 0);
  return examples === 0 ? 0 : distance / examples;
}

function meanOver<Item>(items: readonly Item[], measure: (item: Item) => number): number {
  return items.length === 0 ? 0 : items.reduce((sum, item) => sum + measure(item), 0) / items.length;
}
