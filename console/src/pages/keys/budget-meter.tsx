import type { BudgetUse } from "../../../../contract/budgets.ts";
import { formatShortDay } from "../../kit/format.ts";
import { Money, Time } from "../../kit/values.tsx";
import { perWindow } from "./key-state.ts";

interface Props {
  readonly use: BudgetUse;
  readonly currency: string;
  /** Whether the keyboard can stop at its values. */
  readonly focusable?: boolean;
  /** In a row of a list: the day of the renewal, whose instant is shown on hover and focus. Elsewhere the instant stands there. */
  readonly short?: boolean;
}

/** The used part of a budget, with the holds of running requests in a lighter colour. */
export function BudgetMeter({ use, currency, focusable = false, short = false }: Props) {
  const { spent_micro, held_micro, window, raise, renews } = use;
  const amount_micro = use.amount_micro + (raise?.amount_micro ?? 0);
  const share = (micro: number) => `${Math.min(100, (100 * micro) / Math.max(1, amount_micro))}%`;
  const full = spent_micro + held_micro >= amount_micro;
  return (
    <div className={short ? "w-max min-w-44 text-start" : "w-60 max-w-full text-start"}>
      <p className="text-[0.88rem] leading-snug">
        <Money focusable={focusable} micro={spent_micro} currency={currency} />
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
      {renews && <Renewal of={renews} short={short} focusable={focusable} />}
      <div aria-hidden="true" className="mt-1 flex h-1.5 overflow-hidden rounded-full bg-sunken">
        <div className={full ? "bg-danger" : "bg-accent"} style={{ width: share(spent_micro) }} />
        <div className="bg-line-strong" style={{ width: share(held_micro) }} />
      </div>
    </div>
  );
}

type Renews = NonNullable<BudgetUse["renews"]>;

function Renewal({ of, short, focusable }: { of: Renews; short: boolean; focusable: boolean }) {
  const text = renewalText(of);
  return (
    <p className="text-[0.8rem] leading-snug text-ink-soft">
      renews{" "}
      {short ? (
        <time dateTime={of.at} data-hint={text} className="rounded-sm" {...(focusable && { tabIndex: 0 })}>
          {formatShortDay(of.at.slice(0, 10))}
        </time>
      ) : (
        text
      )}
    </p>
  );
}

/** A renewal as it is written: `2026-12-01 00:00 +01:00, Europe/Berlin`. */
function renewalText({ at, time_zone }: Renews): string {
  const offset = at.slice(19);
  return `${at.slice(0, 10)} ${at.slice(11, 16)}${offset === "Z" ? "" : ` ${offset}`}, ${time_zone}`;
}
