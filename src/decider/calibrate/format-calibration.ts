import type { Debias } from "../../core/catalog/decide-with.ts";
import type { CalibrationFit, TypeReport } from "./fit-calibration.ts";
import type { Quality } from "./measure-quality.ts";

/** The file for `decide_with.calibration`: the temperatures for the engine, and the quality of the fit for people. */
export function formatCalibration(
  { calibration, reports }: CalibrationFit,
  made_for: { readonly model: string; readonly debias: Debias },
): string {
  const { version, temperatures } = calibration;
  const report = Object.fromEntries(reports.map((entry) => [entry.type, reportOf(entry)]));
  return `${JSON.stringify({ version, ...made_for, temperatures, report }, null, 2)}\n`;
}

function reportOf({ before, after }: TypeReport) {
  return { examples: before.examples, before: numbersOf(before), after: numbersOf(after) };
}

function numbersOf({ bins: _, examples: __, ...numbers }: Quality) {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value.toFixed(6))]));
}
