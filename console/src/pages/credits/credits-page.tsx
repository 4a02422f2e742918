import { useState } from "react";
import type { Account } from "../../../../contract/accounts.ts";
import { useIsAdministrator } from "../../api/session.ts";
import { useApi } from "../../api/use-api.ts";
import { useLive } from "../../api/use-live.ts";
import { Button } from "../../kit/button.tsx";
import { Card, Stat } from "../../kit/card.tsx";
import { Contact, useContact } from "../../kit/contact.tsx";
import { Copyable } from "../../kit/copy-button.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { Loaded, Notice, PageSkeleton } from "../../kit/states.tsx";
import { useAccount } from "../../kit/use-account.ts";
import { Money } from "../../kit/values.tsx";
import { AutoTopUpCard } from "./auto-top-up-card.tsx";
import { CreditDialog } from "./credit-dialog.tsx";
import { Ledger } from "./ledger.tsx";

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
      <Loaded
        query={{ ...details, data: shown }}
        skeleton={<PageSkeleton tiles={3} grid="sm:grid-cols-3" blocks={["h-96"]} />}
      >
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

/** The balance, the holds of running requests, and their sum, which is the sum of the ledger's entries. */
function BalanceStats({ account, running }: { account: Account; running: number }) {
  const { balance_micro, uncollected_micro, currency } = account;
  const requests = running === 1 ? "1 request is running" : `${running} requests are running`;
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <Stat label="Balance" note={balance_micro <= 0 ? "requests are refused until credit is added" : "available"}>
        <Money focusable all_digits micro={balance_micro} currency={currency} />
      </Stat>
      <Stat label="Held now" note={running === 0 ? "nothing is running" : requests}>
        <Money focusable all_digits micro={uncollected_micro} currency={currency} />
      </Stat>
      <Stat label="Booked" note="the ledger's sum">
        <Money focusable all_digits micro={balance_micro + uncollected_micro} currency={currency} />
      </Stat>
    </div>
  );
}

/** How an account gets credit: administrators book it; members see whom to ask, and what to say. */
function TopUpCard({ account, onAdd }: { account: Account; onAdd: () => void }) {
  const administrator = useIsAdministrator();
  const contact = useContact();
  return (
    <Card title="Top up">
      {administrator ? (
        <div className="space-y-3">
          <p className="text-ink-soft">
            Book a credit for <span className="break-words text-ink">{account.name || account.email}</span>. It is
            available at once, and the ledger keeps your note.
          </p>
          <Button icon="plus" onClick={onAdd}>
            Add credit or correct
          </Button>
        </div>
      ) : (
        <div className="space-y-3">
          <p className="text-ink-soft">
            {contact === null ? (
              "An administrator of this gateway adds credit. Tell them"
            ) : (
              <>
                For credit, ask <Contact words={contact} />. Tell them
              </>
            )}{" "}
            the amount and this account; it is available at once.
          </p>
          <Copyable value={account.id} />
        </div>
      )}
    </Card>
  );
}
