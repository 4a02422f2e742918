import { MS_PER_DAY } from "./clock.ts";

/** The calendar days of a time zone. A day is counted from 1970-01-01, which is day 0. */
export interface TimeZone {
  readonly name: string;
  dayAt(time_ms: number): number;
  /** The time at which a day begins: its first midnight, or the end of a gap that clocks leave at midnight. */
  startOf(day: number): number;
  /** A time in RFC 3339, with the offset that the zone's clocks have then: `2026-03-29T00:00:00+01:00`. */
  write(time_ms: number): string;
}

/** The days of budgets and reports where nobody has said otherwise. */
export const UTC: TimeZone = {
  name: "UTC",
  dayAt: (time_ms) => Math.floor(time_ms / MS_PER_DAY),
  startOf: (day) => day * MS_PER_DAY,
  write: (time_ms) => new Date(time_ms).toISOString().replace(/\.\d+Z$/, "Z"),
};

const zones = new Map<string, TimeZone>([["UTC", UTC]]);
/** There are about 600 names. */
const MOST_ZONES = 1000;

/** The zone of an IANA name; null for a name that is not known. */
export function findTimeZone(name: string): TimeZone | null {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const clock = tryClock(name);
  if (clock === null) return null;
  const zone = zoneBy(name, clock);
  if (zones.size < MOST_ZONES) zones.set(name, zone);
  return zone;
}

/** The zone of an account: UTC where it has none, or one that this runtime has never heard of. */
export function timeZoneOf(name: string | null | undefined): TimeZone {
  return name == null ? UTC : (findTimeZone(name) ?? UTC);
}

function zoneBy(name: string, clock: Intl.DateTimeFormat): TimeZone {
  /** The time that the zone's clocks show, as if it were UTC. */
  const shown = (time_ms: number): number => {
    const parts = Object.fromEntries(clock.formatToParts(time_ms).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
  const whole = (time_ms: number): number => Math.floor(time_ms / 1000) * 1000;
  const startOf = (day: number): number => {
    const wanted = day * MS_PER_DAY;
    let time_ms = wanted;
    // Twice: the second time with the offset that holds at the day's beginning.
    for (let times = 0; times < 2; times += 1) time_ms += wanted - shown(time_ms);
    // Where clocks are put forward at midnight, the day begins after the gap.
    return shown(time_ms) < wanted ? time_ms + (wanted - shown(time_ms)) : time_ms;
  };
  // A call asks for the day of now, which is nearly always the one of the call before.
  let known = { day: 0, from_ms: 0, until_ms: 0 };
  return {
    name,
    dayAt(time_ms) {
      if (time_ms >= known.from_ms && time_ms < known.until_ms) return known.day;
      const day = UTC.dayAt(shown(whole(time_ms)));
      known = { day, from_ms: startOf(day), until_ms: startOf(day + 1) };
      return day;
    },
    startOf,
    write(time_ms) {
      const at_ms = whole(time_ms);
      const minutes = Math.round((shown(at_ms) - at_ms) / 60_000);
      const two = (value: number): string => String(value).padStart(2, "0");
      const offset = `${minutes < 0 ? "-" : "+"}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
      return `${new Date(shown(at_ms)).toISOString().slice(0, 19)}${offset}`;
    },
  };
}

/** Null for a name that is no time zone. */
function tryClock(name: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat("en-GB", {
      timeZone: name,
      calendar: "gregory",
      hourCycle: "h23",
      ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" },
    });
  } catch {
    return null;
  }
}
