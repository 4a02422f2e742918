import type { ClassMargin, PricedModel, PriceMarkup } from "../../../../contract/prices.ts";
import { LANGUAGE } from "../../kit/language.ts";

export const CLASSES = [
  { key: "input", label: "Input" },
  { key: "output", label: "Output" },
  { key: "cache_read", label: "Cache read" },
  { key: "cache_write", label: "Cache write" },
] as const;

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

/** "plus 12.5% and 0.05 a million tokens", "at cost". */
export function markupWords({ percent, add_input, add_output }: PriceMarkup): string {
  const same = add_input.micro_per_mtok === add_output.micro_per_mtok;
  const fixed = same ? add_input.decimal : `${add_input.decimal} (input) or ${add_output.decimal} (output)`;
  const parts = [
    ...(percent === "0" ? [] : [formatPercent(Number(percent))]),
    ...(same && add_input.micro_per_mtok === 0 ? [] : [`${fixed} a million tokens`]),
  ];
  return parts.length === 0 ? "at cost" : `plus ${parts.join(" and ")}`;
}

/** "12.5%", in the console's language. */
export function formatPercent(percent: number, locale?: string): string {
  return new Intl.NumberFormat(locale ?? LANGUAGE, { style: "percent", maximumFractionDigits: 4 }).format(
    percent / 100,
  );
}
