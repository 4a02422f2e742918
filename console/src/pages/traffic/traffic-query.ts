import type { TrafficBy, TrafficQuery, TrafficStatus, TrafficStep } from "../../../../contract/traffic.ts";
import { optionsOf } from "../../kit/options.ts";

export const RANGES = [
  { value: "24h", label: "Last 24 hours", step: "hour", hours: 24 },
  { value: "yesterday", label: "Yesterday, by hour", step: "hour", days_ago: 1 },
  { value: "3d", label: "Last 3 days, by hour", step: "hour", hours: 72 },
  { value: "7d", label: "Last 7 days", step: "day", days: 7 },
  { value: "30d", label: "Last 30 days", step: "day", days: 30 },
  { value: "90d", label: "Last 90 days", step: "day", days: 90 },
  { value: "12m", label: "Last 12 months", step: "month", months: 12 },
] as const;
type RangeName = (typeof RANGES)[number]["value"] | "custom";

export const DEFAULT_RANGE: RangeName = "7d";

export const GROUPINGS = optionsOf<TrafficBy>({
  account: "Account",
  key: "Key",
  model: "Model",
  vendor: "Vendor",
  route: "Route",
  status: "Status",
  error: "Error",
});

export const STATUSES = optionsOf<TrafficStatus>({
  answered: "Answered",
  failed: "Failed",
  left: "Client disconnected",
  refused: "Refused",
});

/** The fields of the address that choose what the page shows. */
export const FIELDS = ["range", "since", "until", "by", "key", "model", "vendor", "route", "status"] as const;
export type Fields = Readonly<Partial<Record<(typeof FIELDS)[number], string>>>;

export function readRange(text: string | undefined): RangeName {
  if (text === "custom") return text;
  return RANGES.find(({ value }) => value === text)?.value ?? DEFAULT_RANGE;
}

export function readGrouping(text: string | undefined, fallback: TrafficBy): TrafficBy {
  return GROUPINGS.find(({ value }) => value === text)?.value ?? fallback;
}

const MS_PER_HOUR = 3_600_000;
/** A custom range of at least this many days is shown by month. */
const BY_MONTH_DAYS = 120;

/** The report that an address asks for, in the viewer's time zone. Invalid fields are left out. */
export function readQuery(
  fields: Fields,
  { now_ms, zone, by }: { now_ms: number; zone: string; by: TrafficBy },
): TrafficQuery {
  const { key, model, vendor, route } = fields;
  const status = STATUSES.find(({ value }) => value === fields.status)?.value;
  return {
    zone,
    by,
    ...timesOf(fields, now_ms, zone),
    ...(key === undefined ? {} : { key }),
    ...(model === undefined ? {} : { model }),
    ...(vendor === undefined ? {} : { vendor }),
    ...(route?.includes(" ") ? { route } : {}),
    ...(status === undefined ? {} : { status }),
  };
}

function timesOf(
  { range, since, until }: Fields,
  now_ms: number,
  zone: string,
): Pick<TrafficQuery, "since" | "until" | "step"> {
  const name = readRange(range);
  const preset = RANGES.find(({ value }) => value === name);
  const today = dayIn(zone, now_ms);
  if (preset === undefined) {
    const first = since ?? until ?? today;
    const last = until ?? today;
    return { since: first, until: last, step: stepFor(first, last) };
  }
  if ("days_ago" in preset) {
    const day = daysBefore(today, preset.days_ago);
    return { since: day, until: day, step: preset.step };
  }
  if ("hours" in preset) {
    // The end is rounded to the hour, so that all pages of a report cover the same time.
    const end_ms = Math.floor(now_ms / MS_PER_HOUR) * MS_PER_HOUR + MS_PER_HOUR;
    const times = [end_ms - preset.hours * MS_PER_HOUR, end_ms].map((time_ms) => new Date(time_ms).toISOString());
    return { since: times[0] ?? today, until: times[1] ?? today, step: "hour" };
  }
  if ("days" in preset) return { since: daysBefore(today, preset.days - 1), until: today, step: "day" };
  return { since: monthsBefore(today, preset.months - 1), until: today, step: "month" };
}

function stepFor(since: string, until: string): TrafficStep {
  const days = (Date.parse(until) - Date.parse(since)) / (24 * MS_PER_HOUR) + 1;
  if (days <= 2) return "hour";
  return days > BY_MONTH_DAYS ? "month" : "day";
}

/** The day that the zone's calendars show at a time. */
function dayIn(zone: string, time_ms: number): string {
  // Sweden writes days as ISO 8601 does.
  return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(time_ms);
}

function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - days * 24 * MS_PER_HOUR).toISOString().slice(0, 10);
}

function monthsBefore(day: string, months: number): string {
  const [year = 0, month = 1] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1 - months, 1)).toISOString().slice(0, 10);
}
