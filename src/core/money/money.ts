/**
 * Money: whole micro units (1 unit of currency = 1,000,000 micro) in a branded bigint that only this file makes, so a
 * plain number or a float can never be taken for an amount.
 */

declare const unit: unique symbol;

/** An amount of money in micro units. Signed: ledger entries may be negative, balances never are. */
export type Micro = bigint & { readonly [unit]: "micro" };

const MICRO_PER_UNIT = 1_000_000n;

/** The largest amount the API can show as an exact JSON number. */
export const MAX_MICRO = micro(BigInt(Number.MAX_SAFE_INTEGER));

export const ZERO = micro(0n);

/** Brands a whole number of micro units. Throws a RangeError on a fraction: amounts are never rounded on entry. */
export function micro(amount: bigint | number): Micro {
  return (typeof amount === "bigint" ? amount : BigInt(amount)) as Micro;
}

export function add(a: Micro, b: Micro): Micro {
  return (a + b) as Micro;
}

export function subtract(a: Micro, b: Micro): Micro {
  return (a - b) as Micro;
}

export function min(a: Micro, b: Micro): Micro {
  return a < b ? a : b;
}

export function max(a: Micro, b: Micro): Micro {
  return a > b ? a : b;
}

/** Divides and rounds up: the one rounding rule of charges (docs/rulings.md 23). Both operands must be non-negative. */
export function divideRoundingUp(dividend: bigint, divisor: bigint): Micro {
  return ((dividend + divisor - 1n) / divisor) as Micro;
}

/** How many times an amount is within another, rounded down; no more than a number is exact for. */
export function timesWithin(dividend: bigint, divisor: bigint): number {
  const times = dividend / divisor;
  return times > MAX_MICRO ? Number(MAX_MICRO) : Number(times);
}

/**
 * An amount as a JSON number. Throws when the amount is beyond what a JSON number holds exactly: the API never shows an
 * inexact amount.
 */
export function toJsonNumber(amount: Micro): number {
  if (amount > MAX_MICRO || amount < -MAX_MICRO) throw new RangeError(`amount ${amount} is too large for JSON`);
  return Number(amount);
}

/** A decimal amount without a sign, as the APIs take it: at most 999999999.999999. */
export const AMOUNT = /^(\d{1,9})(?:\.(\d{1,6}))?$/;

/** Reads a decimal amount in currency units ("25", "0.000001"), without floats. Null when the text is not an amount. */
export function parseAmount(text: string): Micro | null {
  const match = AMOUNT.exec(text);
  if (!match) return null;
  const whole = BigInt(match[1] ?? "0") * MICRO_PER_UNIT;
  const fraction = BigInt((match[2] ?? "").padEnd(6, "0"));
  return micro(whole + fraction);
}

/** An amount in currency units as the shortest text of a JSON number, to the last micro: "25", "0.1", "0.000001", "0". */
export function unitsText(amount: Micro): string {
  // With fifteen digits the shortest text of the nearest double is the decimal itself.
  if (amount >= 0n && amount < FIFTEEN_DIGITS) return String(Number(amount) / UNIT);
  const sign = amount < 0n ? "-" : "";
  const digits = (amount < 0n ? -amount : amount).toString().padStart(DECIMALS + 1, "0");
  const point = digits.length - DECIMALS;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === DIGIT_ZERO) end--;
  return end === point
    ? `${sign}${digits.slice(0, point)}`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point, end)}`;
}

const FIFTEEN_DIGITS = 1_000_000_000_000_000n;
const UNIT = 1_000_000;
const DECIMALS = 6;
const DIGIT_ZERO = 48;

/** Writes an amount as a decimal in currency units, with at least two and at most six decimals: "25.00", "0.000001". */
export function formatAmount(amount: Micro): string {
  const sign = amount < 0n ? "-" : "";
  const size = amount < 0n ? -amount : amount;
  const decimals = (size % MICRO_PER_UNIT)
    .toString()
    .padStart(6, "0")
    .replace(/0{1,4}$/, "");
  return `${sign}${size / MICRO_PER_UNIT}.${decimals}`;
}
