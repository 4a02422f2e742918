import { DEFAULT_UPKEEP, type UpkeepSettings } from "../../core/upkeep.ts";
import { type Place, report } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readSize, readText } from "./read-scalar.ts";

const HOURS = "an hour of the day in UTC, 0 to 23, or off";
const KEPT = "days or months such as 90d or 13mo, at least 2d and at most 120mo, or forever";
const DAYS_PER_MONTH = 30.4375;
const MOST_DAYS = 3660;

/** Reads when the books are audited and how long requests and answers are kept (docs/adr/0024). */
export function readUpkeep(audit: Place | null, retention: Place | null): UpkeepSettings {
  const audit_fields = audit === null ? null : readFields(audit, ["hour"]);
  const kept = retention === null ? null : readFields(retention, ["requests", "answers"]);
  return {
    audit_hour: readHour(audit_fields?.get("hour") ?? null),
    request_days: readDays(kept?.get("requests") ?? null),
    answer_bytes: readSize(kept?.get("answers") ?? null) ?? DEFAULT_UPKEEP.answer_bytes,
  };
}

function readHour(place: Place | null): number | null {
  const text = readText(place, HOURS);
  if (place === null || text === null) return DEFAULT_UPKEEP.audit_hour;
  if (text === "off") return null;
  return /^(\d|1\d|2[0-3])$/.test(text) ? Number(text) : report(place, HOURS);
}

/** Months are rounded up to whole days. */
function readDays(place: Place | null): number | null {
  const text = readText(place, KEPT);
  if (place === null || text === null) return DEFAULT_UPKEEP.request_days;
  if (text === "forever") return null;
  const [, count = "", unit] = /^(\d{1,5}) ?(d|mo)$/.exec(text) ?? [];
  const days = unit === "mo" ? Math.ceil(Number(count) * DAYS_PER_MONTH) : Number(count || Number.NaN);
  return days >= 2 && days <= MOST_DAYS ? days : report(place, KEPT);
}
