export interface Series {
  readonly name: string;
  /** One value per label. */
  readonly values: readonly number[];
}

export interface TimeChartProps {
  /** What the chart shows, in a sentence: its name for screen readers and the caption of its table. */
  readonly caption: string;
  /** One label per bar, such as a day. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly formatLabel?: (label: string) => string;
}
