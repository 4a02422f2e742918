import { writeHead, writeSample } from "../../observe/exposition.ts";
import type { ProcessReport } from "./messages.ts";

interface ProcessMetric {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  readonly of: (report: ProcessReport) => number | null;
}

const METRICS: readonly ProcessMetric[] = [
  {
    name: "camino_worker_up",
    help: "Whether a process of the gateway serves: workers by number, and the ledger's.",
    type: "gauge",
    of: ({ state, own }) => (state === "ready" && own !== null ? 1 : 0),
  },
  {
    name: "camino_worker_restarts_total",
    help: "How often the process in this place has ended without having been told to.",
    type: "counter",
    of: ({ restarts }) => restarts,
  },
  {
    name: "camino_worker_start_time_seconds",
    help: "When the process in this place was started, Unix time.",
    type: "gauge",
    of: ({ started_ms }) => (started_ms === null ? null : Math.round(started_ms / 1000)),
  },
  {
    name: "camino_worker_resident_bytes",
    help: "The resident memory of the process in this place.",
    type: "gauge",
    of: ({ own }) => own?.vitals.rss_bytes ?? null,
  },
];

/** The names of these metrics, which only a gateway of several processes has. */
export const PROCESS_METRICS = METRICS.map(({ name }) => name);

/** The label value of a process: the worker's number, or `ledger`. */
export function labelOf({ number }: ProcessReport): string {
  return number === null ? "ledger" : String(number);
}

/** One process for each place: where one drains and another has its place, the other. */
export function oneForEachPlace(reports: readonly ProcessReport[]): ProcessReport[] {
  const shown = new Map<number | null, ProcessReport>();
  for (const report of reports) {
    const known = shown.get(report.number);
    if (known === undefined || known.state === "draining" || known.state === "down") shown.set(report.number, report);
  }
  return [...shown.values()];
}

/** The supervisor's metrics of the gateway's processes, one for each place. */
export function processMetrics(processes: readonly ProcessReport[]): string {
  return METRICS.map(({ name, help, type, of }) => {
    const samples = processes.flatMap((report) => {
      const value = of(report);
      return value === null ? [] : [writeSample(name, [["worker", labelOf(report)]], value)];
    });
    return writeHead({ name, help }, type) + samples.join("");
  }).join("\n");
}
