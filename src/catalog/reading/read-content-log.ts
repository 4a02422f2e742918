import { type ContentMask, type ContentSettings, DEFAULT_CONTENT } from "../../core/catalog/content-settings.ts";
import { report, type YamlPlace } from "./place.ts";
import { readFields, readList } from "./read-fields.ts";
import { readText } from "./read-scalar.ts";
import { parseDuration, parseSize } from "./units.ts";

const KEEP = "a duration such as 12h or 30d, at most 3650d";
const MOST = "a size such as 10GiB";
const MASK = "email, card, phone or regex:PATTERN";
const DAY_MS = 86_400_000;
const MOST_DAYS = 3650;

/** Reads how contents are kept (docs/rulings.md 184); null where the file does not say. */
export function readContentLog(place: YamlPlace | null): ContentSettings | null {
  const fields = place === null ? null : readFields(place, ["keep", "most", "mask"]);
  if (fields === null) return null;
  return {
    keep_ms: readKeep(fields.get("keep")) ?? DEFAULT_CONTENT.keep_ms,
    most_bytes: readMost(fields.get("most")) ?? DEFAULT_CONTENT.most_bytes,
    masks: readMasks(fields.get("mask")),
  };
}

function readKeep(place: YamlPlace | null): number | null {
  const text = readText(place, KEEP);
  if (place === null || text === null) return null;
  const days = /^(\d{1,4}) ?d$/.exec(text);
  const ms = days === null ? parseDuration(text) : Number(days[1]) * DAY_MS;
  return ms !== null && ms > 0 && ms <= MOST_DAYS * DAY_MS ? ms : report(place, KEEP);
}

function readMost(place: YamlPlace | null): number | null {
  const text = readText(place, MOST);
  if (place === null || text === null) return null;
  return parseSize(text) || report(place, MOST);
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
