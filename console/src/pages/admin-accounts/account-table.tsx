import type { ReactNode } from "react";
import { StatusBadge } from "../../kit/badge.tsx";
import { type Column, columnsOf, DataTable } from "../../kit/data-table.tsx";
import { countColumn, moneyColumn } from "../../kit/figure-columns.tsx";
import { BeneathName, LongName } from "../../kit/long-name.tsx";
import { RowLink } from "../../kit/row-link.tsx";
import { Time } from "../../kit/values.tsx";
import type { AccountRow } from "./use-account-rows.ts";

const COLUMNS: readonly Column<AccountRow>[] = [
  {
    key: "email",
    header: "Account",
    heading: true,
    sortBy: ({ account }) => account.email,
    cell: ({ account }) => (
      <div className="min-w-0 text-left">
        <RowLink to="/admin/accounts/$id" params={{ id: account.id }}>
          <LongName>{account.name || account.email}</LongName>
        </RowLink>
        {account.name && <BeneathName>{account.email}</BeneathName>}
      </div>
    ),
  },
  {
    key: "status",
    header: "Status",
    sortBy: ({ account }) => account.status,
    cell: ({ account }) => <StatusBadge status={account.status} />,
  },
  moneyColumn({
    key: "balance",
    header: "Balance",
    of: ({ account }) => account.balance_micro,
    currency: ({ account }) => account.currency,
    face: (micro) => (micro <= 0 ? "text-danger-ink" : ""),
  }),
  moneyColumn({
    key: "held",
    header: "Held",
    of: ({ account }) => account.uncollected_micro || null,
    currency: ({ account }) => account.currency,
  }),
  moneyColumn({
    key: "month",
    header: "This month",
    of: ({ month_micro }) => month_micro,
    currency: ({ account }) => account.currency,
  }),
  countColumn({ key: "keys", header: "Active keys", wide_only: true, of: ({ keys }) => keys }),
  {
    key: "created",
    header: "Created",
    numeric: true,
    wide_only: true,
    sortBy: ({ account }) => Date.parse(account.created_at),
    cell: ({ account }) => <Time at={account.created_at} />,
  },
];

/** A page after the other, the newest accounts first. Where all are loaded, they can be sorted. */
export function AccountTable({
  rows,
  footer,
  is_whole,
}: {
  rows: readonly AccountRow[];
  footer: ReactNode;
  is_whole: boolean;
}) {
  return (
    <DataTable
      caption="Accounts"
      columns={columnsOf(COLUMNS, is_whole)}
      rows={rows}
      file={null}
      rowKey={({ account }) => account.id}
      sort_param="sort"
      footer={footer}
    />
  );
}
