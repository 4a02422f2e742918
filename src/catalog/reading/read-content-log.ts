import { type ContentMask, type ContentSettings, DEFAULT_CONTENT } from "../../core/catalog/content-settings.ts";
import { report, type YamlPlace } from "./place.ts";
import { readFields, readList } from "./read-fields.ts";
import { readLongDuration, readParsed, readText } from "./read-scalar.ts";
import { parseSize } from "./units.ts";

const KEEP = "a duration such as 12h or 30d, at most 3650d";
const MOST = "a size such as 10GiB";
const MASK = "email, card, phone or regex:PATTERN";
const MOST_MS = 3650 * 86_400_000;

/** Reads how contents are kept (docs/rulings.md 184); null where the file does not say. */
export function readContentLog(place: YamlPlace | null): ContentSettings | null {
  const fields = readFields(place, ["keep", "most", "mask"]);
  if (fields === null) return null;
  return {
    keep_ms: readLongDuration(fields.get("keep"), KEEP, MOST_MS) ?? DEFAULT_CONTENT.keep_ms,
    most_bytes: readParsed(fields.get("most"), MOST, (text) => parseSize(text) || null) ?? DEFAULT_CONTENT.most_bytes,
    masks: readMasks(fields.get("mask")),
  };
}

function readMasks(place: YamlPlace | null): readonly ContentMask[] {
  if (place === null) return [];
  const items = readList(place, `a list of ${MASK}`, "may-be-empty") ?? [];
  return items.flatMap((item) => readMask(item) ?? []);
}

function readMask(place: YamlPlace): ContentMask | null {
  const text = readText(place, MASK);
  if (text === null) return null;
  if (text === "email" || text === "card" || text === "phone") return { kind: text };
  if (!text.startsWith("regex:")) return report(place, MASK);
  try {
    const pattern = new RegExp(text.slice("regex:".length), "gu");
    // It would stand between any two characters.
    return pattern.test("") ? report(place, `${MASK} that matches no empty text`) : { kind: "regex", pattern };
  } catch {
    return report(place, `${MASK} in JavaScript's syntax`);
  }
}
