import type { BudgetUse } from "../../../../contract/budgets.ts";
import { Money, Time } from "../../kit/values.tsx";
import { perWindow } from "./key-state.ts";

/** The used part of a budget, with the holds of running requests in a lighter colour. */
export function BudgetMeter({ use, currency, focusable }: { use: BudgetUse; currency: string; focusable?: boolean }) {
  const { spent_micro, held_micro, window, raise, renews } = use;
  const amount_micro = use.amount_micro + (raise?.amount_micro ?? 0);
  const share = (micro: number) => `${Math.min(100, (100 * micro) / Math.max(1, amount_micro))}%`;
  const full = spent_micro + held_micro >= amount_micro;
  return (
    <div className="w-36 text-start">
      <p className="text-[0.88rem] leading-snug">
        <Money focusable={focusable ?? false} micro={spent_micro} currency={currency} />
        <span className="text-ink-soft">
          {" of "}
          <Money micro={amount_micro} currency={currency} />{" "}
          <span className="whitespace-nowrap">{perWindow(window)}</span>
        </span>
      </p>
      {raise && (
        <p className="text-[0.8rem] leading-snug text-ink-soft">
          raised until <Time clock at={raise.until} />
        </p>
      )}
      {renews && <p className="text-[0.8rem] leading-snug text-ink-soft">renews {renewalText(renews)}</p>}
      <div aria-hidden="true" className="mt-1 flex h-1.5 overflow-hidden rounded-full bg-sunken">
        <div className={full ? "bg-danger" : "bg-accent"} style={{ width: share(spent_micro) }} />
        <div className="bg-line-strong" style={{ width: share(held_micro) }} />
      </div>
    </div>
  );
}

/** A renewal as it is written: `2026-12-01 00:00 +01:00, Europe/Berlin`. */
function renewalText({ at, time_zone }: NonNullable<BudgetUse["renews"]>): string {
  const offset = at.slice(19);
  return `${at.slice(0, 10)} ${at.slice(11, 16)}${offset === "Z" ? "" : ` ${offset}`}, ${time_zone}`;
}
