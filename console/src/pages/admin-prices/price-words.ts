import type { ClassMargin, PricedModel } from "../../../../contract/prices.ts";
import { LANGUAGE } from "../../kit/language.ts";

export const CLASSES = [
  { key: "input", label: "Input" },
  { key: "output", label: "Output" },
  { key: "cache_read", label: "Cache read" },
  { key: "cache_write", label: "Cache write" },
] as const;

export type ClassKey = (typeof CLASSES)[number]["key"];

/** The least and the greatest margin of any class by any route, in per cent; null where no cost is known. */
export function marginRange({ routes }: Pick<PricedModel, "routes">): { least: number; most: number } | null {
  const percents = routes
    .flatMap(({ margins }) => margins ?? [])
    .flatMap((row) => CLASSES.map(({ key }) => percentOf(row[key])))
    .filter((percent) => percent !== null);
  return percents.length === 0 ? null : { least: Math.min(...percents), most: Math.max(...percents) };
}

/** A margin in per cent. For a class that is sold for nothing: -100 where the class costs money, else null. */
function percentOf({ percent, micro_per_mtok }: ClassMargin): number | null {
  if (percent !== null) return percent;
  return micro_per_mtok < 0 ? -100 : null;
}

/** "12.5%", in the console's language. */
export function formatPercent(percent: number, locale?: string): string {
  return new Intl.NumberFormat(locale ?? LANGUAGE, { style: "percent", maximumFractionDigits: 2 }).format(
    percent / 100,
  );
}
