import { CALM_MS, useApi } from "../../api/use-api.ts";
import { Stat } from "../../kit/card.tsx";
import { Skeleton } from "../../kit/states.tsx";
import { Count, Money } from "../../kit/values.tsx";

/** The sums of all accounts' balances and spend, which the server adds up. */
export function AccountSums() {
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
