import type { CircuitHistory as History } from "../../../../contract/health.ts";
import { urlOf } from "../../api/call.ts";
import { useApi } from "../../api/use-api.ts";
import { Badge } from "../../kit/badge.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { DownloadLink } from "../../kit/download-link.tsx";
import { formatCount } from "../../kit/format.ts";
import { BeneathName } from "../../kit/long-name.tsx";
import { QuietLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded, SkeletonRows } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { Time } from "../../kit/values.tsx";

type Change = History["data"][number];

const REFRESH_MS = 30_000;

const REASONS: Readonly<Record<Change["reason"], (change: Change) => string>> = {
  unreachable: ({ failures }) => `${formatCount(failures)} connections in a row failed`,
  failures: ({ attempts, failures }) => `${formatCount(failures)} of ${formatCount(attempts)} attempts failed`,
  answered: () => "a call was answered",
  tested: () => "an administrator's test was answered",
  credential: () => "the vendor's credential was changed",
  for_everybody: () => "it opened for all accounts",
};

const COLUMNS: readonly Column<Change>[] = [
  {
    key: "route",
    header: "Route",
    heading: true,
    cell: ({ vendor, upstream_model }) => (
      <span className="block min-w-0 text-left">
        <QuietLink to="/admin/vendors/$id" params={{ id: vendor }}>
          {vendor}
        </QuietLink>
        <BeneathName code>{upstream_model}</BeneathName>
      </span>
    ),
  },
  {
    key: "state",
    header: "Circuit",
    cell: (change) => (
      <span>
        <Badge tone={change.state === "opened" ? "danger" : "good"}>{change.state}</Badge>{" "}
        {REASONS[change.reason](change)}
      </span>
    ),
  },
  {
    key: "for",
    header: "For",
    cell: ({ account, account_email }) => (account === null ? "all accounts" : (account_email ?? account)),
  },
  {
    key: "node",
    header: "Node",
    wide_only: true,
    cell: ({ node }) => <code className="font-mono whitespace-nowrap">…{node.slice(-6)}</code>,
  },
  { key: "at", header: "When", numeric: true, cell: ({ at }) => <Time clock at={at} /> },
];

/** When routes were left alone and used again, on all nodes; in the range that the vendors' strips have. */
export function CircuitHistory() {
  const [search] = useUrlState("vendors");
  const range = search.vendors === "week" ? "week" : "day";
  const history = useApi("GET /health/circuits", { query: { range } }, { refresh_ms: REFRESH_MS });
  return (
    <Card
      flush
      title="Circuits"
      description="When a node stopped using a route because its calls failed, and when it used it again. A node forgets its circuits when it stops."
      actions={<DownloadLink href={urlOf("/health/circuits", { query: { range, format: "csv" } })} />}
    >
      <Loaded query={history} skeleton={<SkeletonRows rows={2} />}>
        {({ data, has_more }) =>
          data.length === 0 ? (
            <EmptyState icon="check" title="No circuit opened in this period" />
          ) : (
            <DataTable
              caption="Circuits that opened and closed"
              columns={COLUMNS}
              rows={data}
              file={null}
              rowKey={({ at, node, vendor, upstream_model, account, state }) =>
                [at, node, vendor, upstream_model, account, state].join(" ")
              }
              first_rows={20}
              footer={has_more && <p className="px-5 py-3 text-ink-soft">The file also has earlier ones.</p>}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
