import type { Overview } from "../../../../contract/overview.ts";
import type { Receipt } from "../../../../contract/requests.ts";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { formatDuration } from "../../kit/format.ts";
import { RowLink, TextLink } from "../../kit/row-link.tsx";
import { totalTokens } from "../../kit/total-tokens.ts";
import { Money, None, Time, Tokens } from "../../kit/values.tsx";
import { RequestStatus } from "../requests/request-columns.tsx";

const COLUMNS: readonly Column<Receipt>[] = [
  {
    key: "model",
    header: "Model",
    heading: true,
    cell: ({ id, model, requested_model }) => (
      <RowLink to="/requests/$id" params={{ id }}>
        {model || requested_model || "no model"}
      </RowLink>
    ),
  },
  {
    key: "status",
    header: "Status",
    cell: (request) => <RequestStatus of={request} />,
  },
  { key: "time", header: "Time", cell: ({ created_at }) => <Time at={created_at} /> },
  {
    key: "tokens",
    header: "Tokens",
    numeric: true,
    wide_only: true,
    cell: ({ usage }) => <Tokens count={usage && totalTokens(usage)} />,
  },
  {
    key: "duration",
    header: "Duration",
    numeric: true,
    wide_only: true,
    cell: ({ duration_ms }) => (duration_ms === null ? <None /> : formatDuration(duration_ms)),
  },
  {
    key: "charge",
    header: "Charge",
    numeric: true,
    cell: (request) =>
      request.status === "held" ? (
        <span className="text-ink-soft">
          <Money micro={request.hold_micro} currency={request.currency} /> held
        </span>
      ) : (
        <Money micro={request.charge_micro} currency={request.currency} />
      ),
  },
];

/** The newest requests, running ones included, updated live. */
export function LatestRequests({ overview }: { overview: Overview }) {
  return (
    <Card title="Latest requests" actions={<TextLink to="/requests">All requests</TextLink>} flush>
      <RequestTable requests={overview.latest} />
    </Card>
  );
}

export function RequestTable({ requests }: { requests: readonly Receipt[] }) {
  return <DataTable caption="Latest requests" columns={COLUMNS} rows={requests} rowKey={({ id }) => id} />;
}
