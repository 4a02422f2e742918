import { isScalar } from "yaml";
import { roundedDecimal, scaleDecimal } from "./decimal.ts";
import { expandAt } from "./expand-environment.ts";
import { report, type YamlPlace } from "./place.ts";
import { isList, readList } from "./read-fields.ts";
import { parseDate, parseDuration, parseSize } from "./units.ts";

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

export function readBoolean(place: YamlPlace | null): boolean | null {
  const text = readText(place, "true or false");
  if (place === null || text === null) return null;
  if (/^(true|True|TRUE)$/.test(text)) return true;
  if (/^(false|False|FALSE)$/.test(text)) return false;
  return report(place, "true or false");
}

export function readOneOf<const Word extends string>(place: YamlPlace | null, words: readonly Word[]): Word | null {
  const allowed = words.join(", ");
  const text = readText(place, allowed);
  if (place === null || text === null) return null;
  return words.find((word) => word === text) ?? report(place, allowed);
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
  const allowed = `a whole number of at least ${least}`;
  const text = readText(place, allowed);
  if (place === null || text === null) return null;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  return value >= least ? value : report(place, allowed);
}

/** A share of traffic: any decimal above 0. */
export function readWeight(place: YamlPlace | null): number | null {
  const allowed = "a number above 0 (leave the route out to give it no traffic)";
  const text = readText(place, allowed);
  if (place === null || text === null) return null;
  const value = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  return value > 0 ? value : report(place, allowed);
}

/** A duration in milliseconds, at least 1. */
export function readDuration(place: YamlPlace | null): number | null {
  const allowed = "a duration such as 500ms, 3s, 30m, 1h";
  const text = readText(place, allowed);
  if (place === null || text === null) return null;
  return parseDuration(text) || report(place, allowed);
}

/** A size in bytes, at least 1. */
export function readSize(place: YamlPlace | null): number | null {
  const allowed = "a size such as 512KiB, 32MiB, 1GiB";
  const text = readText(place, allowed);
  if (place === null || text === null) return null;
  return parseSize(text) || report(place, allowed);
}

/** A day or a time, in milliseconds since the epoch. */
export function readDate(place: YamlPlace | null): number | null {
  const allowed = "a day such as 2026-09-01, or a time such as 2026-09-01T12:00:00Z";
  const text = readText(place, allowed);
  if (place === null || text === null) return null;
  return parseDate(text) ?? report(place, allowed);
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
  const allowed = "a decimal of at least 0, such as 3.00";
  const text = readText(place, allowed);
  if (place === null || text === null) return null;
  const price = roundedDecimal(text, MICRO_DECIMALS);
  if (price === null || price < 0n || price > MAX_PRICE_MICRO) return report(place, allowed);
  return Number(price);
}

/** A factor on prices, in millionths. */
export function readFactor(place: YamlPlace | null): number | null {
  const allowed = "a decimal above 0 and at most 100 with at most six decimals, such as 1.1";
  const text = readText(place, allowed);
  if (place === null || text === null) return null;
  const decimal = scaleDecimal(text, MICRO_DECIMALS);
  if (decimal.kind !== "whole" || decimal.value <= 0n || decimal.value > 100_000_000n) return report(place, allowed);
  return Number(decimal.value);
}
