import type { LimitedAccount } from "../../../../contract/limits.ts";
import { StatusBadge } from "../../kit/badge.tsx";
import { type Column, DataTable, columnsOf as sortable } from "../../kit/data-table.tsx";
import { fileOfPages } from "../../kit/file-of-pages.ts";
import { BeneathName, LongName } from "../../kit/long-name.tsx";
import { type PagesOf, Pagination } from "../../kit/pagination.tsx";
import { RowLink } from "../../kit/row-link.tsx";
import { limitColumns } from "./own-limit.tsx";

const NONE = "no account limit";
const OTHERWISE = { rpm: NONE, tpm: NONE, concurrent: NONE };

function columnsOf(currency: string): Column<LimitedAccount>[] {
  return [
    {
      key: "account",
      header: "Account",
      heading: true,
      sortBy: ({ email }) => email,
      cell: ({ account, name, email, status }) => (
        <div className="min-w-0 text-left">
          <span className="flex flex-wrap items-center gap-x-2">
            <RowLink to="/admin/accounts/$id" params={{ id: account }}>
              <LongName>{name || email}</LongName>
            </RowLink>
            {status !== "active" && <StatusBadge status={status} />}
          </span>
          {name !== "" && <BeneathName>{email}</BeneathName>}
        </div>
      ),
    },
    ...limitColumns<LimitedAccount>({ limitsOf: ({ limits }) => limits, currency, otherwise: OTHERWISE }),
  ];
}

export function AccountTable({ pages, currency }: { pages: PagesOf<LimitedAccount>; currency: string }) {
  return (
    <DataTable
      caption="Accounts with limits"
      columns={sortable(columnsOf(currency), !pages.hasNextPage)}
      rows={pages.rows}
      file={fileOfPages("accounts-with-limits", pages)}
      rowKey={({ account }) => account}
      sort_param="accounts"
      footer={<Pagination pages={pages} noun={pages.rows.length === 1 ? "account" : "accounts"} />}
    />
  );
}
