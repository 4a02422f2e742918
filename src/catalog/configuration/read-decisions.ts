import type { Configuration } from "../../core/catalog.ts";
import type { Place } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readOneOf } from "./read-scalar.ts";

/** Reads what the decision endpoints take; null where the file does not say (docs/rulings.md 174). */
export function readDecisions(place: Place | null): NonNullable<Configuration["decisions"]> | null {
  const fields = place === null ? null : readFields(place, ["surface"]);
  const surface = fields === null ? null : readOneOf(fields.get("surface"), ["specification", "vendor"]);
  return surface === null ? null : { surface };
}
