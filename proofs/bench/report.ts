import { versionOf } from "../clients/install.ts";
import { goalOf, isKept, limitOf } from "./goals.ts";
import type { Row as LaneRow } from "./lanes/lane.ts";
import type { Direct } from "./measure.ts";
import { median } from "./median.ts";
import type { Peer } from "./peers/peer.ts";
import type { MeasuredLane } from "./run-lanes.ts";
import type { Summary } from "./summary.ts";

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
  { name: "of it the process's own, MB", of: "own_end_mb", decimals: 0, ratio: true },
];

/** The figures as a table: a row per measure, a column per candidate, and the gateway's ratio to each baseline. */
export function renderTable(summaries: Summaries, direct: Direct): string {
  const columns = Object.entries(summaries);
  const gateway = summaries.gateway;
  const baselines = gateway ? columns.filter(([name]) => ["bare", "billed", "nginx"].includes(name)) : [];
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

const LANE_COLUMNS = ["", "found", "goal", "", "noise", "of"];

/** The lanes' table: a line for each row with its goal, and how noisy the machine was meanwhile. */
export function renderRows(lanes: readonly MeasuredLane[]): string {
  const rows = lanes.flatMap((lane) => lane.rows).map(cellsOf);
  const times = lanes.map(({ lane, seconds }) => `${lane} ${seconds.toFixed(0)} s`);
  return `${align([LANE_COLUMNS, ...rows], [0, LANE_COLUMNS.length - 1])}\nmeasured in: ${times.join(", ")}`;
}

function cellsOf(row: LaneRow): string[] {
  const goal = goalOf(row);
  const noise = Number.isNaN(row.noise) ? "" : `${(row.noise * 100).toFixed(0)} %`;
  const verdict = goal === undefined ? "" : isKept(row, goal) ? "kept" : "missed";
  return [row.name, row.value.toFixed(2), goal === undefined ? "" : limitOf(goal), verdict, noise, row.from];
}

interface PeerColumn {
  readonly heading: string;
  readonly of: keyof Summary;
  readonly decimals: number;
}

const PEER_COLUMNS: readonly PeerColumn[] = [
  { heading: "unary, µs", of: "unary_cpu_us", decimals: 0 },
  { heading: "32 KB, µs", of: "long_cpu_us", decimals: 0 },
  { heading: "a chunk, µs", of: "chunk_cpu_us", decimals: 1 },
  { heading: "a translated chunk, µs", of: "translated_chunk_cpu_us", decimals: 1 },
  { heading: "calls a second at 32", of: "unary_per_s", decimals: 0 },
  { heading: "added p50 at 1, ms", of: "added_p50_ms", decimals: 2 },
  { heading: "memory, MB", of: "rss_end_mb", decimals: 0 },
];

/** A table for proofs/bench/README.md: each program a line, each figure with how many times the gateway's it is. */
export function renderPeers(summaries: Summaries, peers: readonly Peer[]): string {
  const own = summaries.gateway;
  const lines = Object.entries(summaries).map(([name, summary]) => {
    const peer = peers.find(({ id }) => id === name);
    const figures = PEER_COLUMNS.map(({ of, decimals }) => {
      const value = summary[of];
      if (!Number.isFinite(value)) return "–";
      const times = own === undefined || name === "gateway" ? "" : ` (${(value / own[of]).toFixed(2)})`;
      return `${value.toFixed(decimals)}${times}`;
    });
    return [peer === undefined ? name : `${name} ${versionOf(peer)}`, ...figures];
  });
  const header = ["", ...PEER_COLUMNS.map(({ heading }) => heading)];
  const table = [header, header.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  const does = peers.map((peer) => `${peer.id}: ${peer.does}`).join("\n");
  return `Processor time per call, and in brackets times the gateway's:\n\n${table}\n\n${does}`;
}

function translation(gateway: Summary | undefined): string {
  if (gateway === undefined) return "";
  const ratio = gateway.translated_chunk_cpu_us / gateway.chunk_cpu_us;
  return `\ntranslated ÷ relayed, processor time per chunk: ${ratio.toFixed(2)}`;
}

/** The cells in columns; `left`: the columns whose cells begin at the left, as words do. */
function align(rows: readonly (readonly string[])[], left: readonly number[] = [0]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const pad = (cell: string, column: number): string =>
    left.includes(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}
