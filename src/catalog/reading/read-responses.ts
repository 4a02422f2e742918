import type { Configuration } from "../../core/catalog/catalog.ts";
import type { YamlPlace } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readParsed } from "./read-scalar.ts";
import { parseDuration } from "./units.ts";

export const DEFAULT_RESPONSES: Configuration["responses"] = { keep_ms: 3_600_000 };

const MOST_MS = 720 * 3_600_000;
const ALLOWED = "a duration such as 1h, at most 720h, or 0 to keep none";

/** Reads how long responses are stored for later requests that refer to them (docs/adr/0017). */
export function readResponses(place: YamlPlace | null): Configuration["responses"] {
  const fields = readFields(place, ["keep"]);
  const keep_ms = fields === null ? null : readKeep(fields.get("keep"));
  return keep_ms === null ? DEFAULT_RESPONSES : { keep_ms };
}

function readKeep(place: YamlPlace | null): number | null {
  return readParsed(place, ALLOWED, (text) => {
    const keep_ms = text === "0" ? 0 : parseDuration(text);
    return keep_ms === null || keep_ms > MOST_MS ? null : keep_ms;
  });
}
