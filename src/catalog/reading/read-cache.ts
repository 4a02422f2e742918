import { type CacheSettings, DEFAULT_CACHE } from "../../core/catalog/catalog.ts";
import { report, type YamlPlace } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readText } from "./read-scalar.ts";
import { parseDuration, parseSize } from "./units.ts";

const CHARGE = "a whole percentage from 0 to 100, such as 10";
const KEEP = "a size such as 256MiB, or 0 to keep no answers";
const LONGEST = "a duration such as 12h or 7d, at most 30d";
const DAY_MS = 86_400_000;
const MOST_MS = 30 * DAY_MS;

/** Reads how answers are given again (docs/rulings.md 183); null where the file does not say. */
export function readCache(place: YamlPlace | null): CacheSettings | null {
  const fields = place === null ? null : readFields(place, ["charge", "keep", "longest"]);
  if (fields === null) return null;
  return {
    charge_percent: readCharge(fields.get("charge")) ?? DEFAULT_CACHE.charge_percent,
    keep_bytes: readKeep(fields.get("keep")) ?? DEFAULT_CACHE.keep_bytes,
    longest_ms: readLongest(fields.get("longest")) ?? DEFAULT_CACHE.longest_ms,
  };
}

function readCharge(place: YamlPlace | null): number | null {
  const text = readText(place, CHARGE);
  if (place === null || text === null) return null;
  return /^(\d{1,2}|100)$/.test(text) ? Number(text) : report(place, CHARGE);
}

function readKeep(place: YamlPlace | null): number | null {
  const text = readText(place, KEEP);
  if (place === null || text === null) return null;
  return parseSize(text) ?? report(place, KEEP);
}

function readLongest(place: YamlPlace | null): number | null {
  const text = readText(place, LONGEST);
  if (place === null || text === null) return null;
  const days = /^(\d{1,3}) ?d$/.exec(text);
  const ms = days === null ? parseDuration(text) : Number(days[1]) * DAY_MS;
  return ms !== null && ms > 0 && ms <= MOST_MS ? ms : report(place, LONGEST);
}
