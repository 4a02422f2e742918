import { MS_PER_DAY } from "../core/clock.ts";
import type { BudgetWindow } from "../core/people/principal.ts";
import type { TimeZone } from "../core/time-zone.ts";

/**
 * Calendar windows: days, ISO weeks (from Monday) and months (docs/api.md 4.8), of whatever calendar the days are; `once` begins with day 0.
 * A day is counted from 1970-01-01, which is day 0 and a Thursday.
 */

/** The days from Monday to day 0, which is a Thursday. */
const THURSDAY = 3;

/** The UTC day of a time. */
export function dayOf(time_ms: number): number {
  return Math.floor(time_ms / MS_PER_DAY);
}

/** The first day of the window that a day is in. */
export function windowStart(window: BudgetWindow, day: number): number {
  switch (window) {
    case "once":
      return 0;
    case "day":
      return day;
    case "week":
      return day - ((((day + THURSDAY) % 7) + 7) % 7);
    case "month": {
      const date = new Date(day * MS_PER_DAY);
      return day - date.getUTCDate() + 1;
    }
  }
}

/** The first day after the window that a day is in; null where it never ends. */
export function windowEnd(window: BudgetWindow, day: number): number | null {
  switch (window) {
    case "once":
      return null;
    case "day":
      return day + 1;
    case "week":
      return windowStart("week", day) + 7;
    case "month":
      // The longest month has 31 days, so this day is in the next one.
      return windowStart("month", windowStart("month", day) + 31);
  }
}

/** When a window renews: as a time, and in RFC 3339 with the offset of a time zone, which is named beside it. */
export interface Renewal {
  readonly at_ms: number;
  readonly at: string;
  readonly time_zone: string;
}

/** When a window of a time zone's days (docs/rulings.md 179) renews next; null where it never does. */
export function renewalOf(window: BudgetWindow, zone: TimeZone, now_ms: number): Renewal | null {
  const end_day = windowEnd(window, zone.dayAt(now_ms));
  if (end_day === null) return null;
  const at_ms = zone.startOf(end_day);
  return { at_ms, at: zone.write(at_ms), time_zone: zone.name };
}

/** A window behind an amount: `a day`, `once`. */
export function perWindow(window: BudgetWindow): string {
  return window === "once" ? window : `a ${window}`;
}

/** A window's first day as people read it; null for one that never renews. */
export function sinceOf(window: BudgetWindow, start_day: number): string | null {
  return window === "once" ? null : formatDay(start_day);
}

/** `YYYY-MM-DD`. */
export function formatDay(day: number): string {
  return new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Reads `YYYY-MM-DD`. Null when it is not a day of the calendar. */
export function parseDay(text: string): number | null {
  if (!DAY.test(text)) return null;
  const time_ms = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(time_ms)) return null;
  const day = dayOf(time_ms);
  return formatDay(day) === text ? day : null;
}
