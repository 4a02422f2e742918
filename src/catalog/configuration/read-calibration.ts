import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Calibration, QuestionType } from "../../core/decision.ts";
import { isEmpty, openDocument, type Place, report } from "./place.ts";
import { type Fields, readFields } from "./read-fields.ts";
import { readText } from "./read-scalar.ts";

/** The bounds of a calibration's temperatures; a temperature outside them means that the fit went wrong. */
const LEAST_TEMPERATURE = 0.05;
const GREATEST_TEMPERATURE = 20;

const TYPES = ["predicate", "choice", "score"] as const satisfies readonly QuestionType[];

/** Members that `camino calibrate` writes into the file for people; they are not read. */
const NOTES = ["model", "debias", "report"] as const;

/**
 * Reads a calibration file, whose path is relative to the configuration file that names it at `place`. A mistake in
 * the calibration file is reported at its own line there, together with the problems of the configuration.
 */
export function readCalibration(path: string, place: Place): Calibration | null {
  const { source } = place;
  const file = resolve(dirname(source.file), path);
  const text = readTextFile(file, place);
  if (text === null) return null;
  const document = openDocument(text, file, {});
  const calibration = document.root === null ? null : readCalibrationDocument(document.root);
  source.problems.push(...document.source.problems);
  return document.source.problems.length > 0 ? null : calibration;
}

function readTextFile(file: string, place: Place): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    const reason = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown reason";
    const allowed = "the path of a calibration file, relative to this file";
    return report(place, allowed, `${JSON.stringify(file)}, which cannot be read (${reason})`);
  }
}

/** Reads a calibration where it stands. */
export function readCalibrationDocument(root: Place): Calibration | null {
  const fields = readFields(root, ["version", "temperatures", ...NOTES]);
  if (fields === null) return null;
  const version = readText(fields.require("version", "a text that names the fit"), "a text that names the fit");
  const temperatures = fields.require("temperatures", `a map with ${TYPES.join(", ")}`);
  const by_type = temperatures === null ? null : readFields(temperatures, TYPES);
  if (version === null || by_type === null) return null;
  return {
    version,
    temperatures: {
      predicate: readTemperature(by_type, "predicate"),
      choice: readTemperature(by_type, "choice"),
      score: readTemperature(by_type, "score"),
    },
  };
}

function readTemperature(fields: Fields<QuestionType>, type: QuestionType): number | null {
  const place = fields.get(type);
  if (place === null || isEmpty(place.node)) return null;
  const allowed = `a number from ${LEAST_TEMPERATURE} to ${GREATEST_TEMPERATURE}, or null`;
  const text = readText(place, allowed);
  if (text === null) return null;
  const value = /^\d{1,3}(\.\d{1,17})?$/.test(text) ? Number(text) : 0;
  return value >= LEAST_TEMPERATURE && value <= GREATEST_TEMPERATURE ? value : report(place, allowed);
}
