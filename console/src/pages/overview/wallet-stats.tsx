import type { Live, Overview, SpendWindow } from "../../../../contract/overview.ts";
import { Stat } from "../../kit/card.tsx";
import { formatMoney, formatShare } from "../../kit/format.ts";
import { Money } from "../../kit/values.tsx";

/** The account's balance and spend. `live` is newer than the overview, so values that both have come from `live`. */
export function WalletStats({ overview, live }: { overview: Overview; live: Live | undefined }) {
  const { currency, account, spend } = overview;
  const running = live?.running_count ?? overview.running_count;
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-3 xl:grid-cols-5 max-xl:[&>:first-child]:col-span-2">
      <Stat label="Balance" note="available">
        <Money focusable all_digits micro={live?.balance_micro ?? account.balance_micro} currency={currency} />
      </Stat>
      <Stat
        label="Held now"
        note={
          running === 0
            ? "nothing is running"
            : running === 1
              ? "1 request is running"
              : `${running} requests are running`
        }
      >
        <Money focusable all_digits micro={live?.uncollected_micro ?? account.uncollected_micro} currency={currency} />
      </Stat>
      <Stat label="Today" note={<Compared window={spend.day} to="yesterday" currency={currency} />}>
        <Money focusable micro={spend.day.current.cost_micro} currency={currency} />
      </Stat>
      <Stat label="This week" note={<Compared window={spend.week} to="last week so far" currency={currency} />}>
        <Money focusable micro={spend.week.current.cost_micro} currency={currency} />
      </Stat>
      <Stat label="This month" note={<Compared window={spend.month} to="last month so far" currency={currency} />}>
        <Money focusable micro={spend.month.current.cost_micro} currency={currency} />
      </Stat>
    </div>
  );
}

/** The spend compared with that of as many days of the window before. */
function Compared({ window, to, currency }: { window: SpendWindow; to: string; currency: string }) {
  const before = window.previous_so_far.cost_micro;
  const now = window.current.cost_micro;
  if (before === 0) return <>{`${formatMoney(0, currency)} ${to.replace(" so far", "")}`}</>;
  const change = (now - before) / before;
  if (change === 0) return <>{`same as ${to}`}</>;
  return <>{`${change > 0 ? "+" : "−"}${formatShare(Math.abs(change))} on ${to}`}</>;
}
