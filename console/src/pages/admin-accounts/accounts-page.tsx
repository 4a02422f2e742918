import { useState } from "react";
import { urlOf } from "../../api/call.ts";
import { CALM_MS, useApi, useApiPages } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Card, Stat } from "../../kit/card.tsx";
import { DownloadLink } from "../../kit/download-link.tsx";
import { FilterBar, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { optionsOf } from "../../kit/options.ts";
import { PageHeader } from "../../kit/page-header.tsx";
import { Pagination } from "../../kit/pagination.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { EmptyState, Loaded, Skeleton } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { Count, Money } from "../../kit/values.tsx";
import { AccountTable } from "./account-table.tsx";
import { CreateAccountDialog } from "./create-account-dialog.tsx";
import { PAGE, useAccountRows } from "./use-account-rows.ts";

/** The list of accounts, with balance and spend: found and paged by the server. */
export function AccountsPage() {
  const [{ q = "", status }] = useUrlState("q", "status");
  const [creating, setCreating] = useState(false);
  const filters = { ...(q !== "" && { q }), ...(isStatus(status) && { status }) };
  const query = { limit: String(PAGE), ...filters };
  const accounts = useApiPages("GET /accounts", { query }, { refresh_ms: CALM_MS });
  const rows = useAccountRows(accounts.rows);
  const is_filtered = q !== "" || status !== undefined;
  useShortcuts([{ keys: "n", label: "New account", run: () => setCreating(true) }]);
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      Create account
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Accounts"
        guide="console#accounts-and-users"
        description="Who uses this gateway. Each account has a balance, keys that spend it, and members who can see it."
        actions={create}
      />
      <AccountSums />
      <FilterBar names={["q", "status"]}>
        <FilterText name="q" label="E-mail, name or id" />
        <FilterSelect
          name="status"
          label="Status"
          all="Any status"
          options={optionsOf({ active: "Active", disabled: "Disabled" })}
        />
      </FilterBar>
      <Card
        flush
        title="Accounts"
        actions={<DownloadLink href={urlOf("/accounts", { query: { ...filters, format: "csv" } })} />}
      >
        <Loaded query={accounts}>
          {() =>
            rows.length > 0 ? (
              <AccountTable
                rows={rows}
                is_whole={!accounts.hasNextPage}
                footer={<Pagination pages={accounts} noun={rows.length === 1 ? "account" : "accounts"} />}
              />
            ) : !is_filtered ? (
              <EmptyState icon="accounts" title="No accounts yet" action={create}>
                An account holds the credit that its keys spend.
              </EmptyState>
            ) : (
              <EmptyState icon="search" title="No account matches">
                Try a part of the e-mail, or clear the filters.
              </EmptyState>
            )
          }
        </Loaded>
      </Card>
      <CreateAccountDialog open={creating} onClose={() => setCreating(false)} />
    </>
  );
}

function isStatus(status: string | undefined): status is "active" | "disabled" {
  return status === "active" || status === "disabled";
}

/** The sums of all accounts' balances and spend, which the server adds up. */
function AccountSums() {
  const { data: sums, error } = useApi("GET /accounts/sums", {}, { refresh_ms: CALM_MS });
  if (sums === undefined)
    // The list below shows the error.
    return error ? null : (
      <div className="mb-5 grid grid-cols-2 gap-3 lg:grid-cols-4">
        {["accounts", "balances", "held", "month"].map((each) => (
          <Skeleton key={each} className="h-25 rounded-xl" />
        ))}
      </div>
    );
  const { accounts, disabled, balance_micro, held_micro, month_micro, currency } = sums;
  if (accounts === 0) return null;
  return (
    <div className="mb-5 grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat label="Accounts" note={disabled === 0 ? "all active" : `${disabled} disabled`}>
        <Count count={accounts} />
      </Stat>
      <Stat label="Total balance" note="available">
        <Money focusable micro={balance_micro} currency={currency} />
      </Stat>
      <Stat label="Held now" note="for running requests">
        <Money focusable micro={held_micro} currency={currency} />
      </Stat>
      <Stat label="Spent this month" note="charged, UTC">
        <Money focusable micro={month_micro} currency={currency} />
      </Stat>
    </div>
  );
}
