import { useState } from "react";
import { CALM_MS, useApi } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { FilterBar, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { AccountSums } from "./account-sums.tsx";
import { AccountTable } from "./account-table.tsx";
import { CreateAccountDialog } from "./create-account-dialog.tsx";
import { useAccountRows } from "./use-account-rows.ts";

/** The list of accounts, with balance and spend. */
export function AccountsPage() {
  const [{ q = "", status }] = useUrlState("q", "status");
  const [creating, setCreating] = useState(false);
  const accounts = useApi("GET /accounts", {}, { refresh_ms: CALM_MS });
  const rows = useAccountRows(accounts.data);
  useShortcuts([{ keys: "n", label: "New account", run: () => setCreating(true) }]);
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter(({ account }) => {
    const text = `${account.email} ${account.name} ${account.id}`.toLowerCase();
    return (status === undefined || account.status === status) && words.every((word) => text.includes(word));
  });
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      Create account
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Accounts"
        description="Who uses this gateway. An account has a balance, keys that draw on it, and the people who may see it."
        actions={create}
      />
      <AccountSums rows={rows} loaded={accounts.data !== undefined} />
      <FilterBar names={["q", "status"]}>
        <FilterText name="q" label="E-mail, name or id" />
        <FilterSelect
          name="status"
          label="Status"
          all="Any status"
          options={[
            { value: "active", label: "Active" },
            { value: "disabled", label: "Disabled" },
          ]}
        />
      </FilterBar>
      <Card flush>
        <Loaded query={accounts}>
          {() =>
            found.length > 0 ? (
              <AccountTable rows={found} />
            ) : rows.length === 0 ? (
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
