const DECIMAL = /^([+-]?)(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d{1,3}))?$/;

export type ExactDecimal =
  | { readonly kind: "whole"; readonly value: bigint }
  | { readonly kind: "not-a-decimal" }
  /** It has more decimals than the scale can hold. */
  | { readonly kind: "too-fine" };

/**
 * Reads a decimal as it is written (`3.00`, `.5`, `2.5e-06`) and multiplies it by 10^scale, digit by digit: no float is
 * involved, so what is written is what is charged.
 */
export function scaleDecimal(text: string, scale: number): ExactDecimal {
  const match = DECIMAL.exec(text);
  if (match === null) return { kind: "not-a-decimal" };
  const [, sign = "", digits = "", exponent = "0"] = match;
  const [whole = "", fraction = ""] = digits.split(".");
  const significant = (whole + fraction).replace(/0+$/, "");
  // Zeros that were cut off the end are decimal places won back.
  const cut = whole.length + fraction.length - significant.length;
  const shift = scale + Number(exponent) - fraction.length + cut;
  if (significant === "" || /^0*$/.test(significant)) return { kind: "whole", value: 0n };
  if (shift < 0) return { kind: "too-fine" };
  const size = BigInt(significant) * 10n ** BigInt(shift);
  return { kind: "whole", value: sign === "-" ? -size : size };
}
