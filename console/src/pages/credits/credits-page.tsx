import { useState } from "react";
import type { Account } from "../../../../contract/accounts.ts";
import { useIsAdministrator } from "../../api/session.ts";
import { useApi } from "../../api/use-api.ts";
import { useLive } from "../../api/use-live.ts";
import { Button } from "../../kit/button.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { Loaded, Notice, Skeleton } from "../../kit/states.tsx";
import { useAccount } from "../../kit/use-account.ts";
import { AutoTopUpCard } from "./auto-top-up-card.tsx";
import { BalanceStats } from "./balance-stats.tsx";
import { CreditDialog } from "./credit-dialog.tsx";
import { Ledger } from "./ledger.tsx";
import { TopUpCard } from "./top-up-card.tsx";

/** An account's balance, its ledger, and the ways to add credit. */
export function CreditsPage() {
  const account = useAccount();
  const administrator = useIsAdministrator();
  const [adding, setAdding] = useState(false);
  const details = useApi("GET /accounts/{account}", { path: { account } });
  const live = useLive(account, [
    "GET /accounts/{account}",
    "GET /accounts/{account}/credits",
    "GET /credits/auto-top-up",
  ]);
  const shown = details.data && withLive(details.data, live.data);
  return (
    <>
      <PageHeader
        title="Credits"
        guide="billing"
        description="Every amount that came in and every charge, to the last digit."
        actions={
          administrator && (
            <Button kind="primary" icon="plus" disabled={shown === undefined} onClick={() => setAdding(true)}>
              Add credit
            </Button>
          )
        }
      />
      <Loaded query={{ ...details, data: shown }} skeleton={<CreditsSkeleton />}>
        {(data) => (
          <div className="space-y-5">
            {data.status === "disabled" && (
              <Notice tone="warn">This account is disabled: requests with its keys are refused.</Notice>
            )}
            <BalanceStats account={data} running={live.data?.running_count ?? 0} />
            <div className="grid items-start gap-5 min-[90rem]:grid-cols-[minmax(0,1fr)_22rem]">
              <Ledger account={data.id} />
              <div className="grid gap-5 max-[90rem]:row-start-1 md:max-[90rem]:grid-cols-2">
                <TopUpCard account={data} onAdd={() => setAdding(true)} />
                <AutoTopUpCard account={data.id} />
              </div>
            </div>
            <CreditDialog account={data} kind={adding ? "credit" : null} onClose={() => setAdding(false)} />
          </div>
        )}
      </Loaded>
    </>
  );
}

/** The account with its live balance. Live values of another account are ignored. */
function withLive(account: Account, live: ReturnType<typeof useLive>["data"]): Account {
  if (live?.account !== account.id) return account;
  const { balance_micro, uncollected_micro, status } = live;
  return { ...account, balance_micro, uncollected_micro, status };
}

function CreditsSkeleton() {
  return (
    <div role="status" className="space-y-5">
      <span className="sr-only">Loading</span>
      <div className="grid gap-3 sm:grid-cols-3">
        {["balance", "held", "sum"].map((stat) => (
          <Skeleton key={stat} className="h-25 rounded-xl" />
        ))}
      </div>
      <Skeleton className="h-96 rounded-xl" />
    </div>
  );
}
