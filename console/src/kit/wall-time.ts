import { parseTime } from "../../../contract/day.ts";

/** Times as the clocks of a zone show them, `2026-11-23T14:05`, which is how a browser's field takes and gives them. */

export const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What the zone's clocks show at a time, to the minute. */
export function wallTime(zone: string, time_ms: number): string {
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone: zone, hourCycle: "h23" },
    ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
  });
  const parts = new Map(format.formatToParts(time_ms).map(({ type, value }) => [type, value]));
  const [year, month, day] = [parts.get("year"), parts.get("month"), parts.get("day")];
  return `${year}-${month}-${day}T${parts.get("hour")}:${parts.get("minute")}`;
}

/**
 * When the zone's clocks show this, in milliseconds since the epoch: the first of two times where they are put back. Where they are put
 * forward over it, as long after that as it says. Null for what is not a time since 1970, as a year is while it is typed.
 */
export function timeOfWall(zone: string, shown: string): number | null {
  const as_utc_ms = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(shown) ? Date.parse(`${shown}Z`) : Number.NaN;
  if (Number.isNaN(as_utc_ms) || as_utc_ms < DAY_MS) return null;
  // A zone changes its offset at most once within two days.
  const [before_ms, after_ms] = [as_utc_ms - DAY_MS, as_utc_ms + DAY_MS].map((time_ms) => offsetAt(zone, time_ms));
  const [first_ms = as_utc_ms, second_ms = as_utc_ms] = [as_utc_ms - (before_ms ?? 0), as_utc_ms - (after_ms ?? 0)];
  return wallTime(zone, first_ms) !== shown && wallTime(zone, second_ms) === shown ? second_ms : first_ms;
}

/** By how much the zone's clocks are ahead of UTC at a time that is a whole minute. */
function offsetAt(zone: string, time_ms: number): number {
  return Date.parse(`${wallTime(zone, time_ms)}Z`) - time_ms;
}

/** A time to the minute in UTC, as an address has it: `2026-11-23T13:05Z`. */
export function minuteText(time_ms: number): string {
  return `${new Date(time_ms).toISOString().slice(0, 16)}Z`;
}

/**
 * The minute that an address names by a time in RFC 3339, or by a UTC day: of a day the first minute, or with `last` its last. Null where it
 * names none.
 */
export function readMinute(text: string | undefined, last = false): number | null {
  const time_ms = text === undefined ? null : parseTime(text);
  if (text === undefined || time_ms === null) return null;
  if (text.length === "2026-11-23".length) return last ? time_ms + DAY_MS - MINUTE_MS : time_ms;
  return time_ms - (time_ms % MINUTE_MS);
}
