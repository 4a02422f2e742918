import type { Micro } from "../../core/money/money.ts";
import type { BudgetUse } from "../../core/people/budgets.ts";
import type { Budget } from "../../core/people/principal.ts";
import { timeZoneOf } from "../../core/time-zone.ts";
import { renewalOf, sinceOf, windowStart } from "../../limits/windows.ts";
import { type KeptSumRow, type Spender, spentInWindow } from "../sql/spent-since.ts";
import type { Work } from "../sql/work.ts";
import { type RaiseRow, runningRaise } from "./raises.ts";

/** Now, and the day that it is in an account's time zone (null: UTC). */
export interface Calendar {
  readonly time_zone: string | null;
  readonly day: number;
  readonly now_ms: number;
}

export function calendarOf(time_zone: string | null, now_ms: number): Calendar {
  return { time_zone, day: timeZoneOf(time_zone).dayAt(now_ms), now_ms };
}

/** How much of a budget is used, by what its holder's row keeps of it. */
export function* budgetUseOf(
  kept: KeptSumRow & RaiseRow,
  spender: Spender,
  { window, amount_micro }: Budget,
  { held_micro, ...calendar }: Calendar & { readonly held_micro: Micro },
): Work<BudgetUse> {
  const { time_zone, day, now_ms } = calendar;
  const renewal = renewalOf(window, timeZoneOf(time_zone), now_ms);
  return {
    window,
    since: sinceOf(window, windowStart(window, day)),
    renews: renewal && { at: renewal.at, time_zone: renewal.time_zone },
    amount_micro,
    raise: runningRaise(kept, now_ms),
    spent_micro: yield* spentInWindow(kept, spender, window, calendar),
    held_micro,
  };
}
