/** Milliseconds since the epoch at which a UTC day `YYYY-MM-DD` begins; null for a day that does not exist. */
export function startOfDay(day: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return null;
  const time_ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time_ms) && new Date(time_ms).toISOString().startsWith(day) ? time_ms : null;
}

/** Milliseconds since the epoch of a day (its beginning, UTC) or an RFC 3339 time; null where it does not exist. */
export function parseTime(text: string): number | null {
  const day_ms = startOfDay(text.slice(0, 10));
  if (day_ms === null || text.length === 10) return day_ms;
  const time_ms = Date.parse(text);
  return Number.isNaN(time_ms) ? null : time_ms;
}
