/** The text format of `/metrics`: Prometheus, version 0.0.4. */

export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** A metric that can be read, and write itself in this format. */
export interface Metric {
  readonly name: string;
  /** All lines of the metric, each with its line break. */
  write(): string;
  /** Its values at this moment, for other formats. */
  read(): MetricReading;
}

export type Labels = Readonly<Record<string, string>>;

export type MetricReading = {
  readonly name: string;
  readonly help: string;
} & (
  | { readonly type: "counter" | "gauge"; readonly points: readonly (readonly [labels: Labels, value: number])[] }
  | { readonly type: "histogram"; readonly bounds: readonly number[]; readonly points: readonly HistogramPoint[] }
);

/** The observations under one label value: hits of each bucket alone; the last entry counts those above all bounds. */
export interface HistogramPoint {
  readonly labels: Labels;
  readonly hits: readonly number[];
  readonly sum: number;
  readonly count: number;
}

/** The fields of every metric. `name` and label names are constants of the code and valid in the format. */
export interface MetricOptions {
  readonly name: string;
  readonly help: string;
}

/** The two lines before a metric's samples. */
export function writeHead({ name, help }: MetricOptions, type: "counter" | "gauge" | "histogram"): string {
  return `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;
}

/** A sample's line. `labels` are pairs of name and value, in the order in which they are written. */
export function writeSample(name: string, labels: readonly (readonly [string, string])[], value: number): string {
  if (labels.length === 0) return `${name} ${writeNumber(value)}\n`;
  const shown = labels.map(([label, text]) => `${label}="${escapeValue(text)}"`).join(",");
  return `${name}{${shown}} ${writeNumber(value)}\n`;
}

function escapeValue(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}

function writeNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return Number.isNaN(value) ? "Nan" : String(value);
}
