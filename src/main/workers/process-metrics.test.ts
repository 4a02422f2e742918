import { expect, test } from "bun:test";
import type { ProcessReport } from "./messages.ts";
import { oneForEachPlace, processMetrics } from "./process-metrics.ts";

const VITALS = { in_flight: 0, active_streams: 0, queue_depth: 0, rss_bytes: 1000 };
const READY: ProcessReport = {
  ...{ number: 1, state: "ready", pid: 7, node_id: "node_1", started_ms: 5000, restarts: 2 },
  own: { metrics: "", vitals: VITALS },
};
const DRAINING: ProcessReport = { ...READY, state: "draining", pid: 6, started_ms: 1000 };
const DOWN: ProcessReport = {
  ...READY,
  number: 2,
  state: "down",
  pid: null,
  node_id: null,
  started_ms: null,
  own: null,
};
const LEDGER: ProcessReport = { ...READY, number: null, pid: 8, restarts: 0 };

test("a process that drains is shown only where nobody has its place", () => {
  expect(oneForEachPlace([DRAINING, READY, DOWN, LEDGER])).toEqual([READY, DOWN, LEDGER]);
  expect(oneForEachPlace([READY, DRAINING])).toEqual([READY]);
  expect(oneForEachPlace([DRAINING, LEDGER])).toEqual([DRAINING, LEDGER]);
});

test("the metrics of processes name each place once, and say what is not known by leaving it out", () => {
  const lines = processMetrics([READY, DOWN, LEDGER]).split("\n");
  expect(lines.filter((line) => line !== "" && !line.startsWith("#"))).toEqual([
    'camino_worker_up{worker="1"} 1',
    'camino_worker_up{worker="2"} 0',
    'camino_worker_up{worker="ledger"} 1',
    'camino_worker_restarts_total{worker="1"} 2',
    'camino_worker_restarts_total{worker="2"} 2',
    'camino_worker_restarts_total{worker="ledger"} 0',
    'camino_worker_start_time_seconds{worker="1"} 5',
    'camino_worker_start_time_seconds{worker="ledger"} 5',
    'camino_worker_resident_bytes{worker="1"} 1000',
    'camino_worker_resident_bytes{worker="ledger"} 1000',
  ]);
});

test("a process that serves and does not answer counts as down", () => {
  expect(processMetrics([{ ...READY, own: null }])).toContain('camino_worker_up{worker="1"} 0');
});
