const WRITTEN = /^([-−]?)(\d{1,9})(?:[.,](\d{1,6}))?$/;

/** A typed amount, as the API takes it ("-1.5") and in micro units; null when the text is no amount. */
export function readAmount(text: string): { decimal: string; micro: number } | null {
  const [, minus, units, decimals = ""] = WRITTEN.exec(text.trim()) ?? [];
  if (units === undefined) return null;
  const sign = minus ? "-" : "";
  const micro = Number(`${sign}${units}${decimals.padEnd(6, "0")}`);
  return { decimal: `${sign}${units}${decimals === "" ? "" : `.${decimals}`}`, micro: micro === 0 ? 0 : micro };
}
