const MILLISECONDS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const BYTES = { B: 1, kB: 1e3, KB: 1e3, KiB: 2 ** 10, MB: 1e6, MiB: 2 ** 20, GB: 1e9, GiB: 2 ** 30 } as const;

/**
 * A duration such as `500ms`, `3s`, `30m`, `1h` in milliseconds; null when the text is no duration. Fractions are not
 * allowed.
 */
export function parseDuration(text: string): number | null {
  return withUnit(text, MILLISECONDS);
}

/** A duration that may also be in days, such as `30d`, in milliseconds; null when the text is no duration. */
export function parseLongDuration(text: string): number | null {
  return withUnit(text, { ...MILLISECONDS, d: 86_400_000 });
}

/** A size such as `32MiB`, `10MB`, `4096` (bytes) in bytes; null when the text is no size. */
export function parseSize(text: string): number | null {
  return withUnit(/^\d+$/.test(text) ? `${text}B` : text, BYTES);
}

function withUnit(text: string, units: Readonly<Record<string, number>>): number | null {
  const match = /^(\d{1,12}) ?([A-Za-z]{1,3})$/.exec(text);
  const factor = Object.hasOwn(units, match?.[2] ?? "") ? units[match?.[2] ?? ""] : undefined;
  if (match === null || factor === undefined) return null;
  const value = Number(match[1]) * factor;
  return Number.isSafeInteger(value) ? value : null;
}

const DATE = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * A day (`2026-09-01`, its first moment in UTC) or an RFC 3339 time, in milliseconds since the epoch; null otherwise.
 */
export function parseDate(text: string): number | null {
  const match = DATE.exec(text);
  const day = match?.[1];
  if (match === null || day === undefined) return null;
  const day_ms = Date.parse(`${day}T00:00:00Z`);
  // Some engines read 30 February as 2 March, so the parsed day must print as the day that was written.
  if (Number.isNaN(day_ms) || !new Date(day_ms).toISOString().startsWith(day)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
