import type { LimitOverride } from "../../../../contract/limits.ts";
import { StatusBadge } from "../../kit/badge.tsx";
import { type Column, DataTable, columnsOf as sortable } from "../../kit/data-table.tsx";
import { fileOfPages } from "../../kit/file-of-pages.ts";
import { BeneathName, LongName } from "../../kit/long-name.tsx";
import { type PagesOf, Pagination } from "../../kit/pagination.tsx";
import { RowLink } from "../../kit/row-link.tsx";
import { Time } from "../../kit/values.tsx";
import { limitColumns } from "./own-limit.tsx";

const OTHERWISE = { rpm: "default", tpm: "no limit", concurrent: "default" };

function columnsOf(currency: string): Column<LimitOverride>[] {
  return [
    {
      key: "key",
      header: "Key",
      heading: true,
      sortBy: ({ key_name }) => key_name,
      cell: ({ key, key_name, hint, account, account_email, status }) => (
        <div className="min-w-0 text-left">
          <span className="flex flex-wrap items-center gap-x-2">
            <RowLink to="/keys/$id" params={{ id: key }} search={{ account }}>
              <LongName>{key_name || `Key …${hint}`}</LongName>
            </RowLink>
            {status !== "active" && <StatusBadge status={status} />}
          </span>
          <BeneathName>{account_email}</BeneathName>
        </div>
      ),
    },
    ...limitColumns<LimitOverride>({ limitsOf: (row) => row, currency, otherwise: OTHERWISE }),
    {
      key: "expires",
      header: "Expires",
      numeric: true,
      sortBy: ({ expires_at }) => expires_at && Date.parse(expires_at),
      cell: ({ expires_at }) => <Time at={expires_at} none="never" />,
    },
  ];
}

export function OverrideTable({ pages, currency }: { pages: PagesOf<LimitOverride>; currency: string }) {
  return (
    <DataTable
      caption="Keys with their own limits"
      columns={sortable(columnsOf(currency), !pages.hasNextPage)}
      rows={pages.rows}
      file={fileOfPages("keys-with-limits", pages)}
      rowKey={({ key }) => key}
      sort_param="sort"
      footer={<Pagination pages={pages} noun={pages.rows.length === 1 ? "key" : "keys"} />}
    />
  );
}
