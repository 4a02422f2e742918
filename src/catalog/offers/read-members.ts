import { MS_PER_DAY } from "../../core/clock.ts";
import { isRecord, type JsonRecord, NumberText } from "../configuration/json-source.ts";

/** Readers of single members of a vendor's list. A path with a dot leads into an object: `top_provider.context_length`. */

function memberAt(record: JsonRecord, path: string): unknown {
  let found: unknown = record;
  for (const name of path.split(".")) {
    if (!isRecord(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

const LONGEST_TEXT = 200;

/**
 * The first of the members that is a text, in one line and cut at 200 characters. A text with `${` is left out: a
 * configuration would put a variable of the environment in its place, and a vendor's list must not choose which.
 */
export function titleIn(record: JsonRecord, names: readonly string[]): string | null {
  for (const name of names) {
    const found = record[name];
    if (typeof found !== "string" || found.includes("${")) continue;
    const text = found.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
    if (text !== "") return text.slice(0, LONGEST_TEXT).toWellFormed();
  }
  return null;
}

/** The first of the members that is a whole number above 0: lists write 0 for what they do not know. */
export function countOf(record: JsonRecord, paths: readonly string[]): number | null {
  for (const path of paths) {
    const found = memberAt(record, path);
    const count = found instanceof NumberText ? Number(found.text) : Number.NaN;
    if (Number.isSafeInteger(count) && count > 0) return count;
  }
  return null;
}

export function flagOf(record: JsonRecord, paths: readonly string[]): boolean | null {
  for (const path of paths) {
    const found = memberAt(record, path);
    if (typeof found === "boolean") return found;
  }
  return null;
}

const MOST_TEXTS = 64;

/** The first of the members that is a list of texts: short words such as `text` and `tools`. */
export function textsOf(record: JsonRecord, paths: readonly string[]): string[] | null {
  for (const path of paths) {
    const found = memberAt(record, path);
    if (!Array.isArray(found)) continue;
    const words = found.filter(
      (item): item is string => typeof item === "string" && /^[A-Za-z0-9_-]{1,40}$/.test(item),
    );
    if (words.length > 0) return [...new Set(words.slice(0, MOST_TEXTS))];
  }
  return null;
}

/** A day of a Unix time in seconds or of a date's text, `2026-09-01`; null for the epoch, which stands for unknown. */
export function dayOf(value: unknown): string | null {
  const time_ms =
    value instanceof NumberText
      ? Number(value.text) * 1000
      : typeof value === "string"
        ? Date.parse(value)
        : Number.NaN;
  if (!Number.isFinite(time_ms) || time_ms < MS_PER_DAY || time_ms > Date.UTC(2200, 0)) return null;
  return new Date(time_ms).toISOString().slice(0, 10);
}
