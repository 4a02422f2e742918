import { formatAmount, micro, parseAmount } from "../src/core/money/money.ts";

/**
 * Amounts as people type and read them, for the console and the command line: the only reader of typed amounts, and
 * the only writer of their text (docs/rulings.md 65).
 */

/** An amount as it was understood, or why it was not. */
export type ReadAmount =
  | {
      /** Whole micro units; below zero where a minus was written. */
      readonly micro: number;
      /** The decimal as the console API takes it, and as `amountText` writes it: "25.00", "-1.50". */
      readonly text: string;
    }
  | {
      /** A sentence with the form to write instead. */
      readonly problem: string;
    };

/** An amount in units of the currency, with two to six decimals: "25.00", "0.000001". `readAmount` reads it back. */
export function amountText(amount_micro: number): string {
  return formatAmount(micro(amount_micro));
}

const EXPECTED = "Write an amount such as 25 or 0.50, with at most six decimals.";
/** Amounts with separators between thousands: comma, point, apostrophe, and spaces. */
const GROUPED = /^(\d{1,3})((?:([.,'’ \u00a0\u202f])\d{3})(?:\3\d{3})*)([.,]\d{1,6})?$/;
const TWO_MEANINGS = /^[1-9]\d{0,2},\d{3}$/;

/**
 * Reads a typed amount. A point is always before decimals. A comma is too, where it can be nothing else: "1,5" is 1.50, and
 * "1,000" is refused, as it may be a thousand. Separators between thousands are refused, with the amount to write instead.
 */
export function readAmount(typed: string): ReadAmount {
  const text = typed.trim().replace(/^−/, "-");
  const minus = text.startsWith("-") ? "-" : "";
  const size = text.slice(minus.length);
  if (TWO_MEANINGS.test(size)) {
    const [units = "", decimals = ""] = size.split(",");
    const [thousands, fraction] = [`${minus}${units}${decimals}`, `${minus}${shortest(units, decimals)}`];
    return { problem: `${text} may mean ${thousands} or ${fraction}: write one of them.` };
  }
  const [, units = "", decimals = ""] = /^(\d+)(?:[.,](\d+))?$/.exec(size) ?? [];
  if (units === "") return { problem: withoutGroups(size, minus) ?? EXPECTED };
  if (decimals.length > 6) return { problem: `${text} has ${decimals.length} decimals: an amount has at most six.` };
  const amount = parseAmount(decimals === "" ? units : `${units}.${decimals}`);
  if (amount === null) return { problem: `${text} is too large: an amount is at most 999999999.999999.` };
  const signed = minus === "" ? amount : micro(-amount);
  return { micro: Number(signed), text: formatAmount(signed) };
}

function withoutGroups(size: string, minus: string): string | null {
  const [, first, rest = "", separator, decimals = ""] = GROUPED.exec(size) ?? [];
  if (first === undefined || decimals.startsWith(separator ?? "")) return null;
  const meant = `${minus}${first}${rest.replace(/\D/g, "")}${decimals.replace(",", ".")}`;
  const read = readAmount(meant);
  return "problem" in read ? read.problem : `Write ${meant}, without anything between thousands.`;
}

/** "1" and "000" → "1.00"; "1" and "250" → "1.25". */
function shortest(units: string, decimals: string): string {
  return `${units}.${decimals.slice(0, 2)}${decimals.slice(2).replace(/0+$/, "")}`;
}
