import type { Overview } from "../../../../contract/overview.ts";
import type { Receipt } from "../../../../contract/requests.ts";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { LongName } from "../../kit/long-name.tsx";
import { RowLink, TextLink } from "../../kit/row-link.tsx";
import { accountColumn, FIGURES, RequestStatus } from "../requests/request-columns.tsx";

const COLUMNS: readonly [Column<Receipt>, ...Column<Receipt>[]] = [
  {
    key: "model",
    header: "Model",
    heading: true,
    cell: ({ id, model, requested_model }) => (
      <RowLink to="/requests/$id" params={{ id }}>
        <LongName>{model || requested_model || "no model"}</LongName>
      </RowLink>
    ),
  },
  {
    key: "status",
    header: "Status",
    cell: (request) => <RequestStatus of={request} />,
  },
  ...FIGURES,
];

/** The newest requests, running ones included, updated live. */
export function LatestRequests({ overview }: { overview: Overview }) {
  return (
    <Card title="Latest requests" actions={<TextLink to="/requests">All requests</TextLink>} flush>
      <RequestTable requests={overview.latest} />
    </Card>
  );
}

/** `accountNames`: e-mail addresses of accounts by their ids, with a column of accounts. */
export function RequestTable({
  requests,
  accountNames,
}: {
  requests: readonly Receipt[];
  accountNames?: ReadonlyMap<string, string>;
}) {
  const [model, ...others] = COLUMNS;
  const columns = accountNames === undefined ? COLUMNS : [model, accountColumn(accountNames), ...others];
  return <DataTable caption="Latest requests" columns={columns} rows={requests} file={null} rowKey={({ id }) => id} />;
}
