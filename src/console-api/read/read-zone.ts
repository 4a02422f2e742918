import { MS_PER_DAY } from "../../core/clock.ts";
import { invalidRequest } from "../../core/errors.ts";
import { findTimeZone, type TimeZone } from "../../core/time-zone.ts";
import { formatDay } from "../../limits/windows.ts";

/** Calendar days and months of a time zone, as times. */
export interface Zone {
  readonly name: string;
  /** The day `YYYY-MM-DD` in which a time lies. */
  dayOf(time_ms: number): string;
  /** The time at which a day begins. Days that do not exist are carried over: the 32nd is the next month's first. */
  startOf(year: number, month: number, day: number): number;
}

/** The zone of a name. Throws a 400 for a name that is not known. */
export function readZone(name: string, param = "zone"): Zone {
  const zone = readTimeZone(name, param);
  return {
    name,
    dayOf: (time_ms) => formatDay(zone.dayAt(time_ms)),
    startOf: (year, month, day) => zone.startOf(Date.UTC(year, month - 1, day) / MS_PER_DAY),
  };
}

/** The zone of an IANA name. Throws a 400 for a name that is not known. */
export function readTimeZone(name: string, param: string): TimeZone {
  const zone = findTimeZone(name);
  if (zone !== null) return zone;
  const message = `'${param}' is ${JSON.stringify(name)}, which is no time zone; allowed: a name such as UTC or Europe/Berlin.`;
  throw invalidRequest(message, param);
}
