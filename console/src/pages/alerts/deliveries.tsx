import type { Delivery } from "../../../../contract/alerts.ts";
import type { OfAccount } from "../../../../contract/common.ts";
import { useApiPages, useChange } from "../../api/use-api.ts";
import { StatusBadge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { actionsColumn, type Column, DataTable } from "../../kit/data-table.tsx";
import { fileOfPages } from "../../kit/file-of-pages.ts";
import { ShowOlder } from "../../kit/pagination.tsx";
import { Loaded } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { Time } from "../../kit/values.tsx";

const REFRESH_MS = 30_000;
const STATUS = { waiting: "running", delivered: "active", failed: "failed" } as const;

/** What was told, newest first; absent before the first. */
export function Deliveries({ query, may_change }: { query: OfAccount; may_change: boolean }) {
  const deliveries = useApiPages("GET /deliveries", { query }, { refresh_ms: REFRESH_MS });
  const resend = useChange("POST /deliveries/{delivery}/resend", ["GET /deliveries"]);
  const sendAgain = ({ id }: Delivery) =>
    resend.mutate(
      { path: { delivery: id } },
      { onSuccess: () => toast("It is sent again"), onError: ({ message }) => toast(message) },
    );
  if (deliveries.rows.length === 0) return null;
  return (
    <Card title="Told" description="What was told in the last 30 days, and what became of it." flush>
      <Loaded query={deliveries}>
        {() => (
          <DataTable
            caption="Told alerts and usage events"
            columns={columnsFor(may_change, sendAgain)}
            rows={deliveries.rows}
            file={fileOfPages("alerts", deliveries)}
            rowKey={({ id }) => id}
          />
        )}
      </Loaded>
      <ShowOlder pages={deliveries} />
    </Card>
  );
}

function columnsFor(may_change: boolean, onResend: (delivery: Delivery) => void): readonly Column<Delivery>[] {
  const shown: Column<Delivery>[] = [
    { key: "created", header: "When", cell: ({ created_at }) => <Time at={created_at} /> },
    {
      key: "title",
      header: "Told",
      heading: true,
      cell: ({ title, type, channel }) => (
        <span className="block min-w-0">
          <span className="block break-words">{title}</span>
          <span className="block font-mono text-[0.8rem] font-normal text-ink-soft">
            {type}, {channel}
          </span>
        </span>
      ),
    },
    {
      key: "state",
      header: "State",
      cell: ({ state, reason, due_at }) => (
        <span>
          <StatusBadge status={STATUS[state]} label={state} {...(reason !== null && { hint: reason })} />
          {reason !== null && due_at !== null && (
            <span className="block text-ink-soft">
              next try <Time at={due_at} />
            </span>
          )}
        </span>
      ),
    },
    { key: "attempts", header: "Tries", numeric: true, cell: ({ attempts }) => attempts },
  ];
  if (!may_change) return shown;
  return [
    ...shown,
    actionsColumn((delivery) => (
      <Button size="small" onClick={() => onResend(delivery)}>
        Send again
      </Button>
    )),
  ];
}
