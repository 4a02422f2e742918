import type { Traffic, TrafficCounts, TrafficFigures, TrafficGroup, TrafficRow } from "../../../../contract/traffic.ts";
import { formatCompact, formatDuration, formatMoney, formatShare } from "../../kit/format.ts";
import { type Series, withoutNothing } from "../../kit/series.ts";

export type TrafficMeasure = "charge" | "margin" | "requests" | "errors" | "tokens" | "first_byte" | "total" | "speed";

interface MeasureRow {
  readonly value: TrafficMeasure;
  readonly label: string;
  /** Whether parts add up to a whole; otherwise the chart shows the whole, and a second one the groups beside each other. */
  readonly adds_up: boolean;
}

const MEASURES: readonly MeasureRow[] = [
  { value: "charge", label: "Spend", adds_up: true },
  { value: "margin", label: "Margin", adds_up: true },
  { value: "requests", label: "Requests", adds_up: true },
  { value: "errors", label: "Failed and refused", adds_up: true },
  { value: "tokens", label: "Tokens", adds_up: true },
  { value: "first_byte", label: "Time to first byte", adds_up: false },
  { value: "total", label: "Total time", adds_up: false },
  { value: "speed", label: "Tokens per second", adds_up: false },
];

/** The measures that somebody sees: the margin is the operator's. */
export function measuresFor(administrator: boolean): readonly MeasureRow[] {
  return administrator ? MEASURES : MEASURES.filter(({ value }) => value !== "margin");
}

export function readMeasure(text: string | undefined, measures: readonly MeasureRow[]): MeasureRow {
  return measures.find(({ value }) => value === text) ?? (measures[0] as MeasureRow);
}

export function isMoney(measure: TrafficMeasure): boolean {
  return measure === "charge" || measure === "margin";
}

export function measureFormat(measure: TrafficMeasure, currency: string): (value: number) => string {
  if (isMoney(measure)) return (micro) => formatMoney(micro, currency);
  if (measure === "first_byte" || measure === "total") return formatDuration;
  return formatCompact;
}

const SUMMED: Readonly<Partial<Record<TrafficMeasure, (counts: TrafficCounts) => number>>> = {
  charge: ({ charge_micro }) => charge_micro,
  margin: ({ margin_micro }) => margin_micro ?? 0,
  requests: ({ requests }) => requests,
  errors: ({ failed, refused }) => failed + refused,
  tokens: ({ total_tokens }) => total_tokens,
};

/** The report as a chart's series: stacked groups, or lines of what does not add up: the median and the 95th percentile of latencies, and speeds. */
export function seriesOf(traffic: Traffic, measure: MeasureRow): Series[] {
  const summed = SUMMED[measure.value];
  if (summed === undefined) return wholeSeries(traffic, measure.value);
  if (traffic.by === null) return [{ name: "all", values: traffic.periods.map(summed) }];
  return withoutNothing(seriesByGroup(traffic, summed, 0));
}

/** What each row of a report has of what does not add up. */
const EACH: Readonly<Partial<Record<TrafficMeasure, (row: TrafficRow) => number | null>>> = {
  first_byte: ({ first_byte_mean_ms }) => first_byte_mean_ms,
  total: ({ total_mean_ms }) => total_mean_ms,
  speed: ({ tokens_per_s }) => tokens_per_s,
};

/**
 * Latencies (on average) and speeds of each group over time. None where fewer than two groups have any: the whole shows all there is. The
 * others together are no group.
 */
export function eachSeries(traffic: Traffic, measure: MeasureRow): Series[] {
  const each = EACH[measure.value];
  if (each === undefined || traffic.by === null) return [];
  const groups = traffic.groups.filter(({ others }) => !others);
  const series = seriesByGroup({ ...traffic, groups }, each, null);
  const measured = series.filter(({ values }) => values.some((value) => value !== null));
  return measured.length < 2 ? [] : measured;
}

/** A series for each group; `nothing` is the value of a time in which a group has no row. */
function seriesByGroup<Value extends number | null>(
  { periods, groups, data, by }: Traffic,
  readValue: (row: TrafficRow) => Value,
  nothing: Value,
): Series[] {
  const places = new Map(periods.map(({ start }, at) => [start, at]));
  const marks = groups.map((group) => markOf(group));
  const values = new Map(marks.map((mark) => [mark, periods.map(() => nothing)]));
  for (const row of data) {
    const line = values.get(markOf({ id: row.group, others: row.others }));
    const place = places.get(row.start);
    if (line !== undefined && place !== undefined) line[place] = readValue(row);
  }
  return groups.map((group, at) => ({
    name: groupName(group, by),
    ...filtersOf(group, by),
    values: values.get(marks[at] ?? "") ?? [],
  }));
}

/** The fields of the page of requests that choose what a report is grouped by; vendors, routes and errors are none of them. */
const REQUESTS_BY: Readonly<Partial<Record<NonNullable<Traffic["by"]>, string>>> = {
  account: "of",
  key: "key",
  model: "model",
  status: "status",
};

function filtersOf({ id, others }: Pick<TrafficGroup, "id" | "others">, by: Traffic["by"]): Pick<Series, "filters"> {
  const field = by === null ? undefined : REQUESTS_BY[by];
  return others || !id || field === undefined ? {} : { filters: { [field]: id } };
}

function wholeSeries({ periods }: Traffic, measure: TrafficMeasure): Series[] {
  if (measure === "speed") return [{ name: "all", values: periods.map(({ tokens_per_s }) => tokens_per_s) }];
  const latencies = periods.map((period) => (measure === "total" ? period.total_ms : period.first_byte_ms));
  if (latencies.every(({ p50 }) => p50 === null)) return [{ name: "mean", values: latencies.map(({ mean }) => mean) }];
  return [
    { name: "p50", values: latencies.map(({ p50 }) => p50) },
    { name: "p95", values: latencies.map(({ p95 }) => p95) },
  ];
}

function markOf({ id, others }: { readonly id: string | null; readonly others: boolean }): string {
  return others ? "others" : `=${id}`;
}

/**
 * A group's name for people: "no vendor" for what has none. The API marks the code of a refusal by an exclamation mark, since failures may
 * have the same code.
 */
export function groupName(
  { id, name, others }: Pick<TrafficGroup, "id" | "name" | "others">,
  by: Traffic["by"] = null,
): string {
  if (others) return "others";
  if (!name && id?.startsWith("!")) return `${id.slice(1)}, refused`;
  return name || id || (by === null ? "none" : `no ${by}`);
}

/** The share of the requests that failed or were refused; null without requests. */
export function errorShare({ requests, failed, refused }: TrafficCounts): number | null {
  return requests === 0 ? null : (failed + refused) / requests;
}

/** A change against the time before in words: "+12%", "no change", "new". */
export function changeOf(now: number, before: number): string {
  if (now === before) return "no change";
  if (before === 0) return "new";
  const change = (now - before) / Math.abs(before);
  return `${change > 0 ? "+" : "−"}${formatShare(Math.abs(change))}`;
}

export function errorsIn({ failed, refused }: TrafficFigures): number {
  return failed + refused;
}

/** The time right before a report's, which is as long: "the previous 24 hours", "the previous 7 days". */
export function previousPeriod({ since, until, step }: Pick<Traffic, "since" | "until" | "step">): string {
  const hours = Math.round((Date.parse(until) - Date.parse(since)) / 3_600_000);
  if (step === "hour" && hours <= 72) return `the previous ${hours} hours`;
  const days = Math.round(hours / 24);
  return days === 1 ? "the previous day" : `the previous ${days} days`;
}
