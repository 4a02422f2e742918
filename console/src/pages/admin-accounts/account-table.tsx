import { StatusBadge } from "../../kit/badge.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { RowLink } from "../../kit/row-link.tsx";
import { sortRows, useSort } from "../../kit/sort.ts";
import { Count, Money, None, Time } from "../../kit/values.tsx";
import { useShowMore } from "../admin-parts/show-more.tsx";
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
          {account.name || account.email}
        </RowLink>
        {account.name && <div className="text-[0.85rem] font-normal break-all text-ink-soft">{account.email}</div>}
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
    cell: ({ account, month_micro }) => <Money micro={month_micro} currency={account.currency} />,
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

const INITIAL = "-created";

export function AccountTable({ rows }: { rows: readonly AccountRow[] }) {
  const [sort] = useSort("sort", INITIAL);
  const sortBy = COLUMNS.find(({ key }) => key === sort?.key)?.sortBy;
  const ordered = sort === null || sortBy === undefined ? rows : sortRows(rows, sortBy, sort.descending);
  const { shown, footer } = useShowMore(ordered, "accounts");
  return (
    <DataTable
      caption="Accounts"
      columns={COLUMNS}
      rows={shown}
      rowKey={({ account }) => account.id}
      sort_param="sort"
      initial_sort={INITIAL}
      footer={footer}
    />
  );
}
