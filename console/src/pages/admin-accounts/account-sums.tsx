import { Stat } from "../../kit/card.tsx";
import { Skeleton } from "../../kit/states.tsx";
import { Count, Money } from "../../kit/values.tsx";
import type { AccountRow } from "./use-account-rows.ts";

/** The sums of all accounts' balances and spend, in whole micro units, which are exact far beyond any real sum. */
export function AccountSums({ rows, loaded }: { rows: readonly AccountRow[]; loaded: boolean }) {
  const currency = rows[0]?.account.currency;
  const sum = (of: (row: AccountRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const disabled = rows.filter(({ account }) => account.status === "disabled").length;
  if (!loaded)
    return (
      <div className="mb-5 grid grid-cols-2 gap-3 lg:grid-cols-4">
        {["accounts", "balances", "held", "month"].map((each) => (
          <Skeleton key={each} className="h-25 rounded-xl" />
        ))}
      </div>
    );
  if (currency === undefined) return null;
  return (
    <div className="mb-5 grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat label="Accounts" note={disabled === 0 ? "all active" : `${disabled} disabled`}>
        <Count count={rows.length} />
      </Stat>
      <Stat label="Balances together" note="can be spent now">
        <Money focusable micro={sum(({ account }) => account.balance_micro)} currency={currency} />
      </Stat>
      <Stat label="Held now" note="for running requests">
        <Money focusable micro={sum(({ account }) => account.uncollected_micro)} currency={currency} />
      </Stat>
      <Stat label="Spent this month" note="charged, UTC">
        <Money focusable micro={sum(({ month_micro }) => month_micro ?? 0)} currency={currency} />
      </Stat>
    </div>
  );
}
