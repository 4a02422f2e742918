import type { QuestionType } from "../../core/answer/decision.ts";
import type { Calibration } from "../../core/catalog/decide-with.ts";
import { fitTemperature } from "./fit-temperature.ts";
import { atTemperature, type LabelledAnswer } from "./labelled-answer.ts";
import { measureQuality, type Quality } from "./measure-quality.ts";

/** The result of a fit for one type of question. */
export interface TypeReport {
  readonly type: QuestionType;
  /** Null where there are too few examples for a fit. */
  readonly temperature: number | null;
  readonly before: Quality;
  /** Measured on examples that were not part of the fit: each fifth is measured with a fit to the other four. */
  readonly after: Quality;
}

export interface CalibrationFit {
  readonly calibration: Calibration;
  readonly reports: readonly TypeReport[];
}

/** With fewer examples of a type, its temperature is not fitted. */
export const FEWEST_EXAMPLES = 20;
const FOLDS = 5;
const TYPES = ["predicate", "choice", "score"] as const satisfies readonly QuestionType[];

/**
 * Fits a temperature for each type of question to answers that the engine gave without a calibration (docs/rulings.md
 * 102).
 */
export function fitCalibration(answers: readonly LabelledAnswer[], version: string): CalibrationFit {
  const reports = TYPES.map((type) => reportOf(type, answers));
  const [predicate = null, choice = null, score = null] = reports.map(({ temperature }) => temperature);
  return {
    calibration: { version, temperatures: { predicate, choice, score } },
    reports: reports.filter(({ before }) => before.examples > 0),
  };
}

function reportOf(type: QuestionType, all: readonly LabelledAnswer[]): TypeReport {
  const answers = all.filter((answer) => answer.type === type);
  const before = measureQuality(answers);
  if (answers.length < FEWEST_EXAMPLES) return { type, temperature: null, before, after: before };
  const temperature = Number(fitTemperature(answers).toPrecision(6));
  return { type, temperature, before, after: measureQuality(crossFitted(answers)) };
}

/** Every answer at a temperature that was fitted without it. A fold is every fifth answer, in the order of the file. */
function crossFitted(answers: readonly LabelledAnswer[]): LabelledAnswer[] {
  const temperatures = Array.from({ length: FOLDS }, (_, fold) =>
    fitTemperature(answers.filter((_answer, index) => index % FOLDS !== fold)),
  );
  return answers.map((answer, index) => atTemperature(answer, temperatures[index % FOLDS] ?? 1));
}
