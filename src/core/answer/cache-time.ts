/** How old an answer may be that is given again, as headers, keys and projects say it (docs/rulings.md 183). */

const TIME = /^(\d{1,9})(s|m|h|d)$/;
const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 } as const;

/** `90s`, `10m`, `12h`, `7d` in milliseconds; null for what is no such time. */
export function parseCacheTime(text: string): number | null {
  const [, count, unit] = TIME.exec(text) ?? [];
  if (unit === undefined) return null;
  const ms = Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  return Number.isSafeInteger(ms) && ms > 0 ? ms : null;
}

/** A time in the largest unit in which it is whole. */
export function cacheTimeText(ms: number): string {
  for (const [unit, unit_ms] of Object.entries(UNITS_MS)) if (ms % unit_ms === 0) return `${ms / unit_ms}${unit}`;
  return `${Math.ceil(ms / UNITS_MS.s)}s`;
}
