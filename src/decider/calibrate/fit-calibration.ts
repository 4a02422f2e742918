import type { Calibration } from "../../core/decide-with.ts";
import type { QuestionType } from "../../core/decision.ts";
import { fitTemperature } from "./fit-temperature.ts";
import { atTemperature, type LabelledAnswer } from "./labelled-answer.ts";
import { measureQuality, type Quality } from "./measure-quality.ts";

/** What a fit did for one type of question. */
export interface TypeReport {
  readonly type: QuestionType;
  /** Null where there are too few examples to fit one. */
  readonly temperature: number | null;
  readonly before: Quality;
  /** On examples that the temperature was not fitted to: each fifth is judged with a fit to the other four. */
  readonly after: Quality;
}

export interface CalibrationFit {
  readonly calibration: Calibration;
  /** The types of which there were examples. */
  readonly reports: readonly TypeReport[];
}

/** With fewer examples of a type its temperature is left alone. */
export const FEWEST_EXAMPLES = 20;
const FOLDS = 5;
const TYPES = ["predicate", "choice", "score"] as const satisfies readonly QuestionType[];

/** Fits a temperature for each type of question to answers that the engine gave without a calibration. */
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

/** Every answer at a temperature that was fitted without it. Every fifth in the order of the file is one fold. */
function crossFitted(answers: readonly LabelledAnswer[]): LabelledAnswer[] {
  const temperatures = Array.from({ length: FOLDS }, (_, fold) =>
    fitTemperature(answers.filter((_answer, index) => index % FOLDS !== fold)),
  );
  return answers.map((answer, index) => atTemperature(answer, temperatures[index % FOLDS] ?? 1));
}
