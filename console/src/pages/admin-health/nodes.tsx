import type { GatewayNode, SystemHealth } from "../../../../contract/health.ts";
import { Badge, StatusBadge } from "../../kit/badge.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { EmptyState } from "../../kit/states.tsx";
import { Time } from "../../kit/values.tsx";

const COLUMNS: readonly Column<GatewayNode>[] = [
  {
    key: "id",
    header: "Node",
    heading: true,
    cell: ({ id, this: is_this }) => (
      <span className="flex flex-wrap items-center gap-2">
        <code className="font-mono text-[0.85rem] font-normal break-all">{id}</code>
        {is_this && <Badge tone="accent">this one</Badge>}
      </span>
    ),
  },
  {
    key: "state",
    header: "State",
    cell: ({ alive }) => <StatusBadge status={alive ? "active" : "down"} label={alive ? "alive" : "gone"} />,
  },
  { key: "seen", header: "Last seen", numeric: true, cell: ({ seen_at }) => <Time past at={seen_at} /> },
];

/** The processes that share the database. */
export function Nodes({ health: { nodes } }: { health: SystemHealth }) {
  return (
    <Card title="Nodes" flush>
      {nodes === null || nodes.length === 0 ? (
        <EmptyState icon="health" title={nodes === null ? "The database does not respond" : "No nodes yet"}>
          Processes on this database appear here.
        </EmptyState>
      ) : (
        <DataTable caption="Nodes" columns={COLUMNS} rows={nodes} file={{ name: "nodes" }} rowKey={({ id }) => id} />
      )}
    </Card>
  );
}
