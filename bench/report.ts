import { median, type Summary } from "./summary.ts";
import type { Direct } from "./measure.ts";

export type Summaries = Readonly<Record<string, Summary>>;

interface Row {
  readonly name: string;
  readonly of: keyof Summary;
  readonly decimals: number;
  /** Whether the table shows ratios; differences (added latency) have no meaningful ratio. */
  readonly ratio: boolean;
}

const ROWS: readonly Row[] = [
  { name: "unary: processor time per call, µs", of: "unary_cpu_us", decimals: 1, ratio: true },
  { name: "unary, 32 KB of history: processor time per call, µs", of: "long_cpu_us", decimals: 1, ratio: true },
  { name: "stream: processor time per chunk, all in, µs", of: "chunk_cpu_us", decimals: 1, ratio: true },
  { name: "stream: processor time per further chunk, µs", of: "marginal_chunk_cpu_us", decimals: 1, ratio: true },
  { name: "stream without deltas: per call, µs", of: "empty_stream_cpu_us", decimals: 1, ratio: true },
  { name: "translated stream: per chunk, all in, µs", of: "translated_chunk_cpu_us", decimals: 1, ratio: false },
  { name: "stream: reads at the client per call", of: "reads_per_stream", decimals: 1, ratio: false },
  { name: "unary: calls a second at 32", of: "unary_per_s", decimals: 0, ratio: true },
  { name: "added latency at 1, p50, ms", of: "added_p50_ms", decimals: 3, ratio: false },
  { name: "added latency at 1, p99, ms", of: "added_p99_ms", decimals: 3, ratio: false },
  { name: "resident memory after start, MB", of: "rss_start_mb", decimals: 0, ratio: true },
  { name: "resident memory after the calls, MB", of: "rss_end_mb", decimals: 0, ratio: true },
];

/** The figures as a table: a row per measure, a column per candidate, and the gateway's ratio to each baseline. */
export function renderTable(summaries: Summaries, direct: Direct): string {
  const columns = Object.entries(summaries);
  const gateway = summaries.gateway;
  const baselines = gateway ? columns.filter(([name]) => name === "bare" || name === "nginx") : [];
  const header = ["", ...columns.map(([name]) => name), ...baselines.map(([name]) => `gateway ÷ ${name}`)];
  const rows = ROWS.map(({ name, of, decimals, ratio }) => [
    name,
    ...columns.map(([, summary]) => (Number.isNaN(summary[of]) ? "" : summary[of].toFixed(decimals))),
    ...baselines.map(([, baseline]) => (gateway && ratio ? (gateway[of] / baseline[of]).toFixed(2) : "")),
  ]);
  const ceiling = `vendor called directly: ${median(direct.per_s).toFixed(0)} calls a second at 32, p50 ${median(direct.p50_ms).toFixed(3)} ms at 1`;
  const disk = `a plain commit of the embedded database on this disk: ${Math.min(...direct.commit_ms).toFixed(3)} ms`;
  return `${align([header, ...rows])}${translation(gateway)}\n${ceiling}\n${disk}`;
}

function translation(gateway: Summary | undefined): string {
  if (gateway === undefined) return "";
  const ratio = gateway.translated_chunk_cpu_us / gateway.chunk_cpu_us;
  return `\ntranslated ÷ relayed, processor time per chunk: ${ratio.toFixed(2)}`;
}

function align(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const pad = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(pad).join("  ")).join("\n");
}
