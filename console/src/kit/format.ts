import { amountText } from "../../../contract/amounts.ts";
import { LANGUAGE } from "./language.ts";

/** Numbers, amounts and times for reading. `locale` is for tests; the default is the console's language (language.ts). */

const MICRO = 1_000_000;
/** The decimals of a micro unit, below which nothing is charged. */
export const MICRO_DIGITS = 6;

/** Formatters by their options: a formatter is slow to make, and a table formats a thousand values. */
const numbers = new Map<string, Intl.NumberFormat>();

function numberFormat(locale: string | undefined, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale}${JSON.stringify(options)}`;
  let format = numbers.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat(locale ?? LANGUAGE, options);
    numbers.set(key, format);
  }
  return format;
}

const times = new Map<string, Intl.DateTimeFormat>();

function dateTimeFormat(locale: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale}${JSON.stringify(options)}`;
  let format = times.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(locale ?? LANGUAGE, options);
    times.set(key, format);
  }
  return format;
}

/**
 * An amount for reading: two decimals from one unit on, and below one unit enough decimals to show the amount
 * ("$0.0042"). An amount too small for that is shown as less than the smallest, never as zero.
 */
export function formatMoney(micro: number, currency: string, locale?: string): string {
  const size = Math.abs(micro);
  const decimals = size === 0 || size >= MICRO ? 2 : size >= 10_000 ? 4 : 6;
  const options = { style: "currency", currency, minimumFractionDigits: 2, maximumFractionDigits: decimals } as const;
  return numberFormat(locale, options).format(decimalOf(micro));
}

/** Decimals that a column can have, with the size in micro units from which its largest amount needs no more. */
const COLUMN_DECIMALS = [
  [2, 100 * MICRO],
  [4, MICRO / 10],
  [MICRO_DIGITS, 0],
] as const;

/** How many decimals all amounts of a column have: as few as write each of them exactly, or else by the largest of them. */
export function moneyDecimals(column: readonly (number | null)[]): number {
  const sizes = column.map((micro) => Math.abs(micro ?? 0));
  const most = sizes.reduce((before, size) => Math.max(before, size), 0);
  const found = COLUMN_DECIMALS.find(
    ([decimals, from]) => most >= from || sizes.every((size) => size % 10 ** (MICRO_DIGITS - decimals) === 0),
  );
  return found?.[0] ?? MICRO_DIGITS;
}

/** An amount with its column's decimals, so that the points stand below each other. What rounds to nothing is "<$0.01" or ">-$0.01". */
export function formatColumnMoney(micro: number, currency: string, decimals: number, locale?: string): string {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const format = numberFormat(locale, { style: "currency", currency, ...digits });
  const least = 10 ** (MICRO_DIGITS - decimals);
  if (micro > 0 && micro * 2 < least) return `<${format.format(decimalOf(least))}`;
  if (micro < 0 && micro * -2 < least) return `>${format.format(decimalOf(-least))}`;
  return format.format(decimalOf(micro));
}

/** An amount as text, so that no float rounds it on its way to the formatter. */
function decimalOf(micro: number): Intl.StringNumericLiteral {
  return amountText(micro) as Intl.StringNumericLiteral;
}

/**
 * An amount or a price with all of its digits: "$9.995769". `signed` writes a plus before positive amounts, `aligned` all
 * zeros too, for columns and for bills that a reader adds up.
 */
export function formatAllDigits(
  micro: number,
  currency: string,
  { signed = false, aligned = false, locale }: { signed?: boolean; aligned?: boolean; locale?: string } = {},
): string {
  return numberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: aligned ? MICRO_DIGITS : 2,
    maximumFractionDigits: MICRO_DIGITS,
    ...(signed ? { signDisplay: "exceptZero" } : {}),
  }).format(decimalOf(micro));
}

/**
 * An amount of less than micro units, such as a line of a bill: `exact_micro` is a decimal of micro units ("2.4"). All of its digits, and at least
 * `decimals` of them behind the point: "$0.0000024".
 */
export function formatExact(exact_micro: string, currency: string, decimals: number, locale?: string): string {
  const [whole = "0", fraction = ""] = exact_micro.split(".");
  const digits = whole.padStart(MICRO_DIGITS + 1, "0");
  const decimal = `${digits.slice(0, -MICRO_DIGITS)}.${digits.slice(-MICRO_DIGITS)}${fraction}`;
  return numberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: Math.max(decimals, MICRO_DIGITS + fraction.length),
  }).format(decimal as Intl.StringNumericLiteral);
}

/** How many decimals the exact amounts of a bill's lines have: six, or as many as the longest. */
export function decimalsOf(exact_micro: readonly string[]): number {
  return MICRO_DIGITS + Math.max(0, ...exact_micro.map((each) => each.split(".")[1]?.length ?? 0));
}

/** The amount to the last micro unit, as text that no float has rounded: "12.345678 USD · 12,345,678 micro". */
export function exactMoney(micro: number, currency: string, locale?: string): string {
  const options = { minimumFractionDigits: MICRO_DIGITS, maximumFractionDigits: MICRO_DIGITS } as const;
  const units = numberFormat(locale, options).format(decimalOf(micro));
  return `${units} ${currency} · ${formatCount(micro, locale)} micro`;
}

/** A price in micro units per million tokens, as people quote it: "$3.00". */
export function formatPrice(micro_per_mtok: number, currency: string, locale?: string): string {
  return formatMoney(micro_per_mtok, currency, locale);
}

export function formatCount(count: number, locale?: string): string {
  return numberFormat(locale, {}).format(count);
}

/** A short count, such as "1.2M", for places that show the exact number on hover. */
export function formatCompact(count: number, locale?: string): string {
  if (Math.abs(count) < 10_000) return formatCount(count, locale);
  return numberFormat(locale, { notation: "compact", maximumFractionDigits: 1 }).format(count);
}

/** A share from 0 to 1 in per cent; small shares have one more decimal. */
export function formatShare(share: number, locale?: string): string {
  const maximumFractionDigits = share > 0 && share < 0.1 ? 1 : 0;
  return numberFormat(locale, { style: "percent", maximumFractionDigits }).format(share);
}

/** A share with one decimal, as all of a column have: "4.2%", "12.0%". */
export function formatColumnShare(share: number, locale?: string): string {
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return numberFormat(locale, { style: "percent", ...digits }).format(share);
}

/** A duration in the unit and with the decimals of its column, whose longest decides: "840 ms", "0.84 s", "12.4 s". */
export function formatColumnDuration(duration_ms: number, longest_ms: number, locale?: string): string {
  if (longest_ms < 1000) return `${formatCount(Math.round(duration_ms), locale)} ms`;
  const decimals = longest_ms < 10_000 ? 2 : 1;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return `${numberFormat(locale, digits).format(duration_ms / 1000)} s`;
}

/** "840 ms", "2.3 s", "4 min 10 s". */
export function formatDuration(duration_ms: number, locale?: string): string {
  if (duration_ms < 1000) return `${formatCount(Math.round(duration_ms), locale)} ms`;
  if (duration_ms < 60_000) return `${numberFormat(locale, { maximumFractionDigits: 1 }).format(duration_ms / 1000)} s`;
  const seconds = Math.round(duration_ms / 1000);
  const parts = [`${formatCount(Math.floor(seconds / 60), locale)} min`, seconds % 60 === 0 ? "" : `${seconds % 60} s`];
  return parts.filter((part) => part !== "").join(" ");
}

const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** "3 minutes ago", "in 2 days"; beyond a month, the day itself. */
export function formatAgo(time_ms: number, now_ms: number, locale?: string): string {
  const seconds = Math.round((time_ms - now_ms) / 1000);
  if (Math.abs(seconds) >= 30 * 86_400) return formatDay(time_ms, locale);
  const relative = new Intl.RelativeTimeFormat(locale ?? LANGUAGE, { numeric: "auto" });
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? (["second", 1] as const);
  return relative.format(Math.trunc(seconds / size), unit);
}

/** The same for what has happened for sure: a clock that is ahead of the reader's does not make it future. */
export function formatSince(time_ms: number, now_ms: number, locale?: string): string {
  return formatAgo(Math.min(time_ms, now_ms), now_ms, locale);
}

export function formatDay(time_ms: number, locale?: string): string {
  return new Intl.DateTimeFormat(locale ?? LANGUAGE, { year: "numeric", month: "short", day: "numeric" }).format(
    time_ms,
  );
}

/** A UTC day `YYYY-MM-DD` as the axis of a chart names it: "Nov 21". */
export function formatShortDay(day: string, locale?: string): string {
  const options = { month: "short", day: "numeric", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(locale ?? LANGUAGE, options).format(Date.parse(`${day}T00:00:00Z`));
}

/** A time to the second, in the reader's time zone, with the zone's name. */
export function formatExactTime(time_ms: number, locale?: string): string {
  return new Intl.DateTimeFormat(locale ?? LANGUAGE, { dateStyle: "medium", timeStyle: "long" }).format(time_ms);
}

/** Day and time to the second in the reader's time zone: "Nov 23, 2:05:31 PM". The year is there where it is not that of `now_ms`. */
export function formatClock(time_ms: number, now_ms: number, locale?: string): string {
  const is_recent = new Date(time_ms).getFullYear() === new Date(now_ms).getFullYear();
  const day = { month: "short", day: "numeric", ...(is_recent ? {} : ({ year: "numeric" } as const)) } as const;
  const time = { hour: "numeric", minute: "2-digit", second: "2-digit" } as const;
  return dateTimeFormat(locale, { ...day, ...time }).format(time_ms);
}

/** The reader's time zone, such as Europe/Berlin. */
export function viewerZone(): string {
  return new Intl.DateTimeFormat(LANGUAGE).resolvedOptions().timeZone;
}

/** The beginning of an hour, a day or a month as the axis of a chart names it, in a time zone. */
export function formatPeriod(start: string, step: "hour" | "day" | "month", zone: string, locale?: string): string {
  const options: Intl.DateTimeFormatOptions =
    step === "hour"
      ? { weekday: "short", hour: "numeric" }
      : step === "day"
        ? { month: "short", day: "numeric" }
        : { month: "short", year: "numeric" };
  return new Intl.DateTimeFormat(locale ?? LANGUAGE, { ...options, timeZone: zone }).format(Date.parse(start));
}
