import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Calibration, QuestionType } from "../../core/answer/decision.ts";
import type { DecideWith } from "../../core/catalog/decide-with.ts";
import { type NamedAt, openDocument, report, type YamlPlace } from "./place.ts";
import { isMapping, readFields, type YamlFields } from "./read-fields.ts";
import { readOneOf, readParsed, readText } from "./read-scalar.ts";

/** A document's `decide_with`: complete except for the model, whose existence is checked later. */
export interface DecideWithDraft extends Omit<DecideWith, "engine" | "model"> {
  readonly model: NamedAt;
}

/** The engine's settings where the file gives none (docs/rulings.md 39). */
export const ENGINE_DEFAULTS = { debias: "all", min_label_mass: 0.05, calibration: null } as const;

/** Reads how decisions are made of a chat model. Null, with the problems reported, when the settings have a mistake. */
export function readDecideWith(place: YamlPlace | null): DecideWithDraft | null {
  const fields = readFields(place, ["engine", "model", "debias", "min_label_mass", "calibration"]);
  if (fields === null) return null;
  readOneOf(fields.require("engine", "logprobs"), ["logprobs"]);
  const model = fields.require("model", "the id of the chat model whose token probabilities decide");
  const name = readText(model, "a model id");
  const settings = {
    debias: readOneOf(fields.get("debias"), ["none", "two", "all"]) ?? ENGINE_DEFAULTS.debias,
    min_label_mass: readShare(fields.get("min_label_mass")) ?? ENGINE_DEFAULTS.min_label_mass,
    calibration: readCalibrationAt(fields.get("calibration")),
  };
  return model === null || name === null ? null : { model: { name, place: model }, ...settings };
}

function readShare(place: YamlPlace | null): number | null {
  return readParsed(place, "a decimal from 0 to 1, such as 0.05", (text) =>
    /^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(text) ? Number(text) : null,
  );
}

/** A calibration, written out; or, in the configuration file alone, the path of a file that has it: paths mean nothing on other nodes. */
function readCalibrationAt(place: YamlPlace | null): Calibration | null {
  if (place !== null && isMapping(place)) return readCalibrationDocument(place);
  if (place?.source.layer === "console") {
    return report(place, "the calibration itself, a map with version and temperatures: a path is for the file alone");
  }
  const path = readText(place, "the path of a file that camino calibrate wrote");
  return place === null || path === null ? null : readCalibration(path, place);
}

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
function readCalibration(path: string, place: YamlPlace): Calibration | null {
  const { source } = place;
  const file = resolve(dirname(source.file), path);
  const text = readTextFile(file, place);
  if (text === null) return null;
  const document = openDocument(text, file, {});
  const calibration = document.root === null ? null : readCalibrationDocument(document.root);
  source.problems.push(...document.source.problems);
  return document.source.problems.length > 0 ? null : calibration;
}

function readTextFile(file: string, place: YamlPlace): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    const reason = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown reason";
    const allowed = "the path of a calibration file, relative to this file";
    return report(place, allowed, `${JSON.stringify(file)}, which cannot be read (${reason})`);
  }
}

/** Reads a calibration where it stands. */
function readCalibrationDocument(root: YamlPlace): Calibration | null {
  const fields = readFields(root, ["version", "temperatures", ...NOTES]);
  if (fields === null) return null;
  const version = readText(fields.require("version", "a text that names the fit"), "a text that names the fit");
  const temperatures = fields.require("temperatures", `a map with ${TYPES.join(", ")}`);
  const by_type = readFields(temperatures, TYPES);
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

function readTemperature(fields: YamlFields<QuestionType>, type: QuestionType): number | null {
  const allowed = `a number from ${LEAST_TEMPERATURE} to ${GREATEST_TEMPERATURE}, or null`;
  return readParsed(fields.get(type), allowed, (text) => {
    const value = /^\d{1,3}(\.\d{1,17})?$/.test(text) ? Number(text) : 0;
    return value >= LEAST_TEMPERATURE && value <= GREATEST_TEMPERATURE ? value : null;
  });
}
