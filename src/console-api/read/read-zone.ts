import { GatewayError } from "../../core/errors.ts";

/** Calendar days and months of a time zone, as times. */
export interface Zone {
  readonly name: string;
  /** The day `YYYY-MM-DD` in which a time lies. */
  dayOf(time_ms: number): string;
  /** The time at which a day begins. Days that do not exist are carried over: the 32nd is the next month's first. */
  startOf(year: number, month: number, day: number): number;
}

const zones = new Map<string, Zone>();
/** There are about 600 names. */
const MOST_ZONES = 1000;

/** The zone of a name. Throws a 400 for a name that is not known. */
export function readZone(name: string, param = "zone"): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = makeZone(name, param);
  if (zones.size < MOST_ZONES) zones.set(name, zone);
  return zone;
}

function makeZone(name: string, param: string): Zone {
  const clock = clockOf(name, param);
  /** The time that the zone's clocks show, as if it were UTC. */
  const shown = (time_ms: number): number => {
    const parts = Object.fromEntries(clock.formatToParts(time_ms).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
  const whole = (time_ms: number): number => Math.floor(time_ms / 1000) * 1000;
  return {
    name,
    dayOf: (time_ms) => new Date(shown(whole(time_ms))).toISOString().slice(0, 10),
    startOf(year, month, day) {
      const wanted = Date.UTC(year, month - 1, day);
      let time_ms = wanted;
      // Twice: the second time with the offset that holds at the day's beginning.
      for (let times = 0; times < 2; times += 1) time_ms += wanted - shown(time_ms);
      // Where clocks are put forward at midnight, the day begins after the gap.
      return shown(time_ms) < wanted ? time_ms + (wanted - shown(time_ms)) : time_ms;
    },
  };
}

function clockOf(name: string, param: string): Intl.DateTimeFormat {
  const clock = tryClock(name);
  if (clock !== null) return clock;
  const message = `'${param}' is ${JSON.stringify(name)}, which is no time zone; allowed: a name such as UTC or Europe/Berlin.`;
  throw new GatewayError("invalid_request", message, { param });
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
