import type { LinkProps } from "@tanstack/react-router";

export interface Series {
  readonly name: string;
  /** The filters of the page of requests that show this series alone; absent where none do. */
  readonly filters?: Readonly<Record<string, string>>;
  /** One value per label; null where nothing was measured, such as a latency where nothing was answered. */
  readonly values: readonly (number | null)[];
}

export interface TimeChartProps {
  /** What the chart shows, in a sentence: its name for screen readers and the caption of its table. */
  readonly caption: string;
  /** A day or an RFC 3339 time for each bar or point. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly formatLabel?: (label: string) => string;
  /** Where a click on a time leads, at the place of its label and on a series of it. Default: nowhere. */
  readonly linkTo?: ((place: number, series: Series | null) => LinkProps) | null;
  /** Bars stand on each other, for values that add up to a whole; lines are for values that do not. Default: bars. */
  readonly shape?: "bars" | "lines";
  /** The currency where the values are amounts in micro units, which then have the same decimals along an axis, a time and a table. Null: plain numbers. */
  readonly currency?: string | null;
}

/**
 * The series that have anything: refusals, which cost nothing, take no colour among what was spent. All of them where none has, so that a chart of
 * nothing says of what.
 */
export function withoutNothing<Each extends Series>(series: readonly Each[]): Each[] {
  const something = series.filter(({ values }) => values.some((value) => value !== null && value !== 0));
  return something.length === 0 ? [...series] : something;
}
