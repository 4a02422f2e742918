import type { UsageExploration } from "../../../../contract/usage.ts";
import { formatColumnMoney, formatCompact, formatMoney, moneyDecimals } from "../../kit/format.ts";
import { optionsOf } from "../../kit/options.ts";
import { daysBetween } from "../../kit/scale.ts";
import { type Series, withoutNothing } from "../../kit/series.ts";

export type Measure = "cost" | "tokens" | "requests";

export const MEASURES = optionsOf<Measure>({ cost: "Spend", tokens: "Tokens", requests: "Requests" });

const FIELDS = { cost: "cost_micro", tokens: "total_tokens", requests: "request_count" } as const;

/** A measure from the address; spend where the text is not a measure. */
export function readMeasure(text: string | undefined): Measure {
  return MEASURES.find(({ value }) => value === text)?.value ?? "cost";
}

export function measureFormat(measure: Measure, currency: string): (value: number) => string {
  return measure === "cost" ? (micro) => formatMoney(micro, currency) : (count) => formatCompact(count);
}

/** As `measureFormat`, for values that stand below each other: amounts have the same decimals. */
export function columnFormat(measure: Measure, currency: string, values: readonly number[]): (value: number) => string {
  if (measure !== "cost") return measureFormat(measure, currency);
  const decimals = moneyDecimals(values);
  return (micro) => formatColumnMoney(micro, currency, decimals);
}

interface Group {
  readonly id: string | null;
  readonly others: boolean;
}

/** A group's name: a model's id, the others, or requests whose model was never known. */
export function groupName({ id, others }: Group): string {
  return others ? "others" : id || "no model";
}

/** A usage report by day and model as the series of a chart, every day of its range included. */
export function chartSeries(usage: UsageExploration, measure: Measure): { days: string[]; series: Series[] } {
  const days = daysBetween(usage.since, usage.until);
  const places = new Map(days.map((day, index) => [day, index]));
  const series = usage.groups.map(({ id, others }) => ({
    name: groupName({ id, others }),
    ...(others || !id ? {} : { filters: { model: id } }),
    values: days.map(() => 0),
  }));
  const numbers = new Map(usage.groups.map((group, index) => [groupName(group), index]));
  for (const row of usage.data) {
    const values = series[numbers.get(groupName({ id: row.group, others: row.others })) ?? -1]?.values;
    const place = places.get(row.day ?? "");
    if (values !== undefined && place !== undefined) values[place] = row[FIELDS[measure]];
  }
  return { days, series: withoutNothing(series) };
}

/** A group's total in a measure. */
export function measured(totals: Readonly<Record<(typeof FIELDS)[Measure], number>>, measure: Measure): number {
  return totals[FIELDS[measure]];
}
