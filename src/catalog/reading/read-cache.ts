import { type CacheSettings, DEFAULT_CACHE } from "../../core/catalog/catalog.ts";
import type { YamlPlace } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readLongDuration, readParsed } from "./read-scalar.ts";
import { parseSize } from "./units.ts";

const CHARGE = "a whole percentage from 0 to 100, such as 10";
const KEEP = "a size such as 256MiB, or 0 to keep no answers";
const LONGEST = "a duration such as 12h or 7d, at most 30d";
const MOST_MS = 30 * 86_400_000;

/** Reads how answers are given again (docs/rulings.md 183); null where the file does not say. */
export function readCache(place: YamlPlace | null): CacheSettings | null {
  const fields = readFields(place, ["charge", "keep", "longest"]);
  if (fields === null) return null;
  return {
    charge_percent:
      readParsed(fields.get("charge"), CHARGE, (text) => (/^(\d{1,2}|100)$/.test(text) ? Number(text) : null)) ??
      DEFAULT_CACHE.charge_percent,
    keep_bytes: readParsed(fields.get("keep"), KEEP, parseSize) ?? DEFAULT_CACHE.keep_bytes,
    longest_ms: readLongDuration(fields.get("longest"), LONGEST, MOST_MS) ?? DEFAULT_CACHE.longest_ms,
  };
}
