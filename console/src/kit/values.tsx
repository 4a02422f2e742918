import { useEffect, useState } from "react";
import { cx } from "./cx.ts";
import {
  exactMoney,
  formatAgo,
  formatAllDigits,
  formatClock,
  formatColumnMoney,
  formatCompact,
  formatCount,
  formatExactTime,
  formatMoney,
  formatSince,
} from "./format.ts";

interface ValueProps {
  readonly className?: string;
  /** Whether the keyboard can stop at the value to show it exactly: true for important values, not in long tables. */
  readonly focusable?: boolean;
}

const stop = (focusable: boolean | undefined) => (focusable ? { tabIndex: 0 } : {});

/**
 * An amount in the console's language, exact to the micro unit on hover and focus. Null is shown as a dash. An amount that stands alone has as
 * many decimals as show it.
 */
export function Money({
  micro,
  currency,
  className,
  focusable,
  all_digits = false,
  decimals,
}: ValueProps & {
  micro: number | null;
  currency: string;
  /** Shows every digit: for balances, which a reader compares with the ledger. */
  all_digits?: boolean;
  /** Those of all amounts of its column (figure-columns.tsx). */
  decimals?: number | undefined;
}) {
  if (micro === null) return <None />;
  return (
    <data
      value={micro}
      data-micro=""
      data-hint={exactMoney(micro, currency)}
      {...stop(focusable)}
      className={cx("rounded-sm tabular-nums", className)}
    >
      {decimals !== undefined
        ? formatColumnMoney(micro, currency, decimals)
        : all_digits
          ? formatAllDigits(micro, currency)
          : formatMoney(micro, currency)}
    </data>
  );
}

/** A count of tokens, shortened when large; exact on hover. */
export function Tokens({ count, className, focusable }: ValueProps & { count: number | null }) {
  if (count === null) return <None />;
  return (
    <data
      value={count}
      data-hint={`${formatCount(count)} tokens`}
      {...stop(focusable)}
      className={cx("rounded-sm tabular-nums", className)}
    >
      {formatCompact(count)}
    </data>
  );
}

/** A count in the console's language, with all of its digits. Null is shown as a dash. */
export function Count({ count, className }: { count: number | null; className?: string }) {
  if (count === null) return <None />;
  return <span className={cx("tabular-nums", className)}>{formatCount(count)}</span>;
}

/** How long ago (or in how long), kept up to date; the exact time on hover. Takes RFC 3339 or Unix seconds; null: a dash. */
export function Time({
  at,
  className,
  none = "never",
  past = false,
  clock = false,
}: {
  at: string | number | null;
  /** Shows the day and the time of day in place of how long ago, for those who look for one. */
  clock?: boolean;
  /** Whether it has happened for sure, however much the clock that says so is ahead of the reader's. */
  past?: boolean;
  className?: string;
  none?: string;
}) {
  const now_ms = useMinute();
  if (at === null) return <span className="text-ink-soft">{none}</span>;
  const time_ms = typeof at === "number" ? at * 1000 : Date.parse(at);
  // A clock that is a few seconds behind must not show a new event as future.
  const ago = (past ? formatSince : formatAgo)(time_ms, time_ms > now_ms ? Date.now() : now_ms);
  return (
    <time
      dateTime={new Date(time_ms).toISOString()}
      data-hint={formatExactTime(time_ms)}
      className={cx("whitespace-nowrap", className)}
    >
      {clock ? formatClock(time_ms, now_ms) : ago}
    </time>
  );
}

/** A dash in place of an absent value. */
export function None() {
  return (
    <span className="text-ink-soft">
      <span aria-hidden="true">–</span>
      <span className="sr-only">none</span>
    </span>
  );
}

/** The current time, updated every ten seconds, which is exact enough for "3 minutes ago". */
function useMinute(): number {
  const [now_ms, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now_ms < Date.now() - 10_000 ? Date.now() : now_ms;
}
