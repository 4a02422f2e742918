import { isScalar } from "yaml";
import { roundedDecimal, scaleDecimal } from "./decimal.ts";
import { expandAt } from "./expand-environment.ts";
import { report, type YamlPlace } from "./place.ts";
import { isList, readList } from "./read-fields.ts";
import { parseDate, parseDuration, parseLongDuration, parseSize } from "./units.ts";

/**
 * Readers of single values. Each returns null for an absent place, and null with a problem reported for a wrong value.
 */

export function readText(place: YamlPlace | null, allowed = "a text"): string | null {
  if (place === null) return null;
  if (!isScalar(place.node)) return report(place, allowed);
  const text = expandAt(place, String(place.node.value));
  if (text === null) return null;
  // Neither can be part of a URL, and databases store no NUL.
  if (!text.isWellFormed() || text.includes("\0")) return report(place, allowed, "a NUL, or half of a character");
  return text.trim() === "" ? report(place, allowed) : text;
}

/** The value that a text stands for by `parse`, which returns null for a wrong text. */
export function readParsed<Value>(
  place: YamlPlace | null,
  allowed: string,
  parse: (text: string) => Value | null | undefined,
): Value | null {
  const text = readText(place, allowed);
  if (place === null || text === null) return null;
  return parse(text) ?? report(place, allowed);
}

export function readBoolean(place: YamlPlace | null): boolean | null {
  return readParsed(place, "true or false", (text) => {
    if (/^(true|True|TRUE)$/.test(text)) return true;
    return /^(false|False|FALSE)$/.test(text) ? false : null;
  });
}

export function readOneOf<const Word extends string>(place: YamlPlace | null, words: readonly Word[]): Word | null {
  return readParsed(place, words.join(", "), (text) => words.find((word) => word === text));
}

export function readTexts(place: YamlPlace | null, allowed: string): string[] | null {
  if (place === null) return null;
  const items = readList(place, allowed)?.map((item) => readText(item, allowed));
  return items === undefined || items.includes(null) ? null : items.filter((item) => item !== null);
}

export function readTextOrList(place: YamlPlace | null, allowed: string): string[] | null {
  if (place === null) return null;
  if (isList(place)) return readTexts(place, allowed);
  const text = readText(place, allowed);
  return text === null ? null : [text];
}

/** A whole number, at least `least`. */
export function readCount(place: YamlPlace | null, least: number): number | null {
  return readParsed(place, `a whole number of at least ${least}`, (text) =>
    /^\d{1,15}$/.test(text) && Number(text) >= least ? Number(text) : null,
  );
}

/** A share of traffic: any decimal above 0. */
export function readWeight(place: YamlPlace | null): number | null {
  return readParsed(place, "a number above 0 (leave the route out to give it no traffic)", (text) =>
    /^\d{1,9}(\.\d{1,6})?$/.test(text) && Number(text) > 0 ? Number(text) : null,
  );
}

/** A duration in milliseconds, at least 1. */
export function readDuration(place: YamlPlace | null): number | null {
  return readParsed(place, "a duration such as 500ms, 3s, 30m, 1h", (text) => parseDuration(text) || null);
}

/** A duration in milliseconds that may be in days, at least 1 and at most `most_ms`. */
export function readLongDuration(place: YamlPlace | null, allowed: string, most_ms: number): number | null {
  return readParsed(place, allowed, (text) => {
    const ms = parseLongDuration(text) ?? 0;
    return ms > 0 && ms <= most_ms ? ms : null;
  });
}

/** A size in bytes, at least 1. */
export function readSize(place: YamlPlace | null): number | null {
  return readParsed(place, "a size such as 512KiB, 32MiB, 1GiB", (text) => parseSize(text) || null);
}

/** A day or a time, in milliseconds since the epoch. */
export function readDate(place: YamlPlace | null): number | null {
  return readParsed(place, "a day such as 2026-09-01, or a time such as 2026-09-01T12:00:00Z", parseDate);
}

const MICRO_DECIMALS = 6;
/**
 * A thousand million currency units: far above any real price, and still exact as a JavaScript number of micro units.
 */
export const MAX_PRICE_MICRO = 1_000_000_000_000_000n;

/**
 * A price in currency units per million tokens or per thousand calls, as whole micro units. A price finer than a micro
 * unit is rounded to the nearest (docs/adr/0018): published prices have such decimals where they result from a
 * division.
 */
export function readPriceNumber(place: YamlPlace | null): number | null {
  return readParsed(place, "a decimal of at least 0, such as 3.00", (text) => {
    const price = roundedDecimal(text, MICRO_DECIMALS);
    return price === null || price < 0n || price > MAX_PRICE_MICRO ? null : Number(price);
  });
}

/** A factor on prices, in millionths. */
export function readFactor(place: YamlPlace | null): number | null {
  return readParsed(place, "a decimal above 0 and at most 100 with at most six decimals, such as 1.1", (text) => {
    const decimal = scaleDecimal(text, MICRO_DECIMALS);
    return decimal.kind === "whole" && decimal.value > 0n && decimal.value <= 100_000_000n
      ? Number(decimal.value)
      : null;
  });
}
