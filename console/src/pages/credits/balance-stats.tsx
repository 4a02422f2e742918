import type { Account } from "../../../../contract/accounts.ts";
import { Stat } from "../../kit/card.tsx";
import { Money } from "../../kit/values.tsx";

/** The balance, the holds of running requests, and their sum, which is the sum of the ledger's entries. */
export function BalanceStats({ account, running }: { account: Account; running: number }) {
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
