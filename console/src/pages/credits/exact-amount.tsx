import { cx } from "../../kit/cx.ts";
import { exactMoney, formatAllDigits } from "../../kit/format.ts";

/** An entry's amount with all of its digits, since people add ledgers up. Positive ones are green and have a plus. */
export function ExactAmount({
  micro,
  currency,
  signed = false,
}: {
  micro: number;
  currency: string;
  signed?: boolean;
}) {
  return (
    <data
      value={micro}
      data-micro=""
      data-hint={exactMoney(micro, currency)}
      className={cx("whitespace-nowrap tabular-nums", signed && micro > 0 && "text-good-ink")}
    >
      {formatAllDigits(micro, currency, { signed, aligned: true })}
    </data>
  );
}
