import type { ReactNode } from "react";
import { StatusBadge } from "../../kit/badge.tsx";
import { type Column, columnsOf, DataTable } from "../../kit/data-table.tsx";
import { BeneathName, LongName } from "../../kit/long-name.tsx";
import { RowLink } from "../../kit/row-link.tsx";
import { Count, Money, None, Time } from "../../kit/values.tsx";
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
  {
    key: "balance",
    header: "Balance",
    numeric: true,
    sortBy: ({ account }) => account.balance_micro,
    cell: ({ account }) => (
      <Money
        micro={account.balance_micro}
        currency={account.currency}
        className={account.balance_micro <= 0 ? "text-danger-ink" : ""}
      />
    ),
  },
  {
    key: "held",
    header: "Held",
    numeric: true,
    sortBy: ({ account }) => account.uncollected_micro,
    cell: ({ account }) =>
      account.uncollected_micro === 0 ? (
        <None />
      ) : (
        <Money micro={account.uncollected_micro} currency={account.currency} />
      ),
  },
  {
    key: "month",
    header: "This month",
    numeric: true,
    sortBy: ({ month_micro }) => month_micro,
    cell: ({ account, month_micro }) =>
      month_micro === null ? <None /> : <Money micro={month_micro} currency={account.currency} />,
  },
  {
    key: "keys",
    header: "Active keys",
    numeric: true,
    wide_only: true,
    sortBy: ({ keys }) => keys,
    cell: ({ keys }) => (keys === null ? <None /> : <Count count={keys} />),
  },
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
