const DECIMAL = /^([+-]?)(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d{1,3}))?$/;

export type ExactDecimal =
  | { readonly kind: "whole"; readonly value: bigint }
  | { readonly kind: "not-a-decimal" }
  /** The number has more decimals than the scale can hold. */
  | { readonly kind: "too-fine" };

/**
 * Reads a decimal text (`3.00`, `.5`, `2.5e-06`) and multiplies the number by 10^scale, digit by digit: no float is
 * involved, so the price that is written is the price that is charged.
 */
export function scaleDecimal(text: string, scale: number): ExactDecimal {
  const match = DECIMAL.exec(text);
  if (match === null) return { kind: "not-a-decimal" };
  const [, sign = "", digits = "", exponent = "0"] = match;
  const [whole = "", fraction = ""] = digits.split(".");
  const significant = (whole + fraction).replace(/0+$/, "");
  // Each trailing zero that was cut off frees a decimal place.
  const cut = whole.length + fraction.length - significant.length;
  const shift = scale + Number(exponent) - fraction.length + cut;
  if (significant === "" || /^0*$/.test(significant)) return { kind: "whole", value: 0n };
  if (shift < 0) return { kind: "too-fine" };
  const size = BigInt(significant) * 10n ** BigInt(shift);
  return { kind: "whole", value: sign === "-" ? -size : size };
}

/** More decimals than any double is written with; a finer number is not accepted as a price. */
const FINEST = 24;

/**
 * A decimal times 10^scale, rounded to the nearest whole number, halves up. A result above 0 is at least 1, so that a
 * small price never becomes free. Null when the text is not a decimal.
 */
export function roundedDecimal(text: string, scale: number): bigint | null {
  const exact = scaleDecimal(text, scale);
  if (exact.kind === "whole") return exact.value;
  if (exact.kind === "not-a-decimal") return null;
  const finer = scaleDecimal(text, scale + FINEST);
  if (finer.kind !== "whole" || finer.value < 0n) return null;
  const unit = 10n ** BigInt(FINEST);
  const rounded = (2n * finer.value + unit) / (2n * unit);
  return rounded === 0n ? 1n : rounded;
}
