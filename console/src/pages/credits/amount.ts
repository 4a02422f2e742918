/** Amounts of the ledger, in whole micro units. Typed amounts are read digit by digit, since floats would round. */

const MICRO_DIGITS = 6;

/** "25", "0.000001" → micro units; null for a text that the API would refuse. A minus only where allowed. */
export function parseAmount(text: string, may_be_negative = false): number | null {
  const match = /^(-?)(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text.trim());
  if (match === null) return null;
  const [, sign = "", units = "", decimals = ""] = match;
  if (sign !== "" && !may_be_negative) return null;
  const micro = BigInt(`${units}${decimals.padEnd(MICRO_DIGITS, "0")}`);
  return Number(sign === "" ? micro : -micro);
}

/** Micro units as the API takes amounts: "25", "0.5". */
export function amountText(micro: number): string {
  const digits = String(Math.abs(micro)).padStart(MICRO_DIGITS + 1, "0");
  const decimals = digits.slice(-MICRO_DIGITS).replace(/0+$/, "");
  const units = digits.slice(0, -MICRO_DIGITS);
  return `${micro < 0 ? "-" : ""}${units}${decimals === "" ? "" : `.${decimals}`}`;
}

/**
 * An amount with all of its digits, in the reader's locale: "$9.995769". `signed` writes a plus before positive
 * amounts, `aligned` all zeros too, for columns. The formatter gets the number as text, so no float rounds it.
 */
export function formatAllDigits(
  micro: number,
  currency: string,
  { signed = false, aligned = false, locale }: { signed?: boolean; aligned?: boolean; locale?: string } = {},
): string {
  const format = new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: aligned ? MICRO_DIGITS : 2,
    maximumFractionDigits: MICRO_DIGITS,
    ...(signed ? { signDisplay: "exceptZero" } : {}),
  });
  return format.format(amountText(micro) as Intl.StringNumericLiteral);
}
