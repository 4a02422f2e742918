import type { WorkerHealth } from "../../../../contract/health.ts";
import { Badge, StatusBadge } from "../../kit/badge.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { formatCount } from "../../kit/format.ts";
import { None } from "../../kit/values.tsx";
import { formatBytes } from "../admin-parts/format-bytes.ts";
import { formatUptime } from "./format-uptime.ts";

const TONES = { starting: "pending", ready: "ready", draining: "degraded", down: "down" } as const;

const count = (value: number | null) => (value === null ? <None /> : formatCount(value));

const COLUMNS: readonly Column<WorkerHealth>[] = [
  {
    key: "worker",
    header: "Process",
    heading: true,
    cell: ({ worker, pid, this: is_this }) => (
      <span className="flex flex-wrap items-center gap-2">
        {worker === null ? "Ledger" : `Worker ${worker}`}
        {pid !== null && <span className="font-normal text-ink-soft">process {pid}</span>}
        {is_this && <Badge tone="accent">this one</Badge>}
      </span>
    ),
  },
  { key: "state", header: "State", cell: ({ state }) => <StatusBadge status={TONES[state]} label={state} /> },
  {
    key: "uptime",
    header: "Uptime",
    numeric: true,
    cell: ({ uptime_s }) => (uptime_s === null ? <None /> : formatUptime(uptime_s)),
  },
  { key: "restarts", header: "Restarts", numeric: true, cell: ({ restarts }) => formatCount(restarts) },
  { key: "in_flight", header: "Running", numeric: true, cell: ({ in_flight }) => count(in_flight) },
  { key: "streams", header: "Streams", numeric: true, cell: ({ active_streams }) => count(active_streams) },
  {
    key: "memory",
    header: "Memory",
    numeric: true,
    cell: ({ rss_bytes }) => (rss_bytes === null ? <None /> : formatBytes(rss_bytes)),
  },
];

/** The processes of this gateway, where it runs as several. */
export function Workers({ workers }: { workers: readonly WorkerHealth[] }) {
  return (
    <Card title="Processes of this gateway" flush>
      <DataTable
        caption="Processes of this gateway"
        columns={COLUMNS}
        rows={workers}
        file={{ name: "processes" }}
        rowKey={({ worker, pid }) => `${worker} ${pid}`}
      />
    </Card>
  );
}
