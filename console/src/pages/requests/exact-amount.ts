/**
 * An amount with all six decimals, in the reader's locale, so that a reader can add up the lines of a bill. Exact: the
 * digits are formatted as text, so no float rounds them.
 */
export function exactAmount(micro: number, currency: string, locale?: string): string {
  return format(micro, currency, 6, locale);
}

/** A price with all decimals but no needless zeros: "$3.125", "$15.00". */
export function exactPrice(micro: number, currency: string, locale?: string): string {
  return format(micro, currency, 2, locale);
}

function format(micro: number, currency: string, minimumFractionDigits: number, locale: string | undefined): string {
  const digits = String(Math.abs(micro)).padStart(7, "0");
  const decimal = `${micro < 0 ? "-" : ""}${digits.slice(0, -6)}.${digits.slice(-6)}` as Intl.StringNumericLiteral;
  const options = { style: "currency", currency, minimumFractionDigits, maximumFractionDigits: 6 } as const;
  return new Intl.NumberFormat(locale, options).format(decimal);
}
