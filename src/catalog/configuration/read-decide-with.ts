import type { Calibration, DecideWith } from "../../core/decide-with.ts";
import { type NamedAt, type Place, report } from "./place.ts";
import { readCalibration, readCalibrationDocument } from "./read-calibration.ts";
import { isMapping, readFields } from "./read-fields.ts";
import { readOneOf, readText } from "./read-scalar.ts";

/** A document's `decide_with`: complete except for the model, whose existence is checked later. */
export interface DecideWithDraft extends Omit<DecideWith, "engine" | "model"> {
  readonly model: NamedAt;
}

/** The engine's settings where the file gives none (docs/rulings.md 39). */
export const ENGINE_DEFAULTS = { debias: "all", min_label_mass: 0.05, calibration: null } as const;

/** Reads how decisions are made of a chat model. Null, with the problems reported, when the settings have a mistake. */
export function readDecideWith(place: Place | null): DecideWithDraft | null {
  const fields =
    place === null ? null : readFields(place, ["engine", "model", "debias", "min_label_mass", "calibration"]);
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

function readShare(place: Place | null): number | null {
  const allowed = "a decimal from 0 to 1, such as 0.05";
  const text = readText(place, allowed);
  if (place === null || text === null) return null;
  return /^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(text) ? Number(text) : report(place, allowed);
}

/** A calibration itself, or in a file the path of its own file, which no other node and no administrator may name. */
function readCalibrationAt(place: Place | null): Calibration | null {
  if (place !== null && isMapping(place)) return readCalibrationDocument(place);
  if (place?.source.layer === "console") {
    return report(place, "the calibration itself, a map with version and temperatures: a path is for the file alone");
  }
  const path = readText(place, "the path of a file that camino calibrate wrote");
  return place === null || path === null ? null : readCalibration(path, place);
}
