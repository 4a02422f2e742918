/**
 * An amount with all its six decimals, in the reader's locale: on a bill every line must be seen to add up. Exact: the digits are
 * formatted as text, so no float rounds them.
 */
export function exactAmount(micro: number, currency: string, locale?: string): string {
  const digits = String(Math.abs(micro)).padStart(7, "0");
  const decimal = `${micro < 0 ? "-" : ""}${digits.slice(0, -6)}.${digits.slice(-6)}` as Intl.StringNumericLiteral;
  const options = { style: "currency", currency, minimumFractionDigits: 6, maximumFractionDigits: 6 } as const;
  return new Intl.NumberFormat(locale, options).format(decimal);
}
