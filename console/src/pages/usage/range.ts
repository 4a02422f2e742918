const DAY_MS = 86_400_000;
/** The most days of a report. */
const MOST_DAYS = 366;

/** UTC days, both inclusive. */
export interface DayRange {
  readonly since: string;
  readonly until: string;
}

export const PRESETS = [
  { value: "today", label: "Today", days: 1 },
  { value: "yesterday", label: "Yesterday", days: 1, ends_days_ago: 1 },
  { value: "7d", label: "Last 7 days", days: 7 },
  { value: "30d", label: "Last 30 days", days: 30 },
  { value: "90d", label: "Last 90 days", days: 90 },
] as const;

type Preset = (typeof PRESETS)[number]["value"] | "custom";

export const DEFAULT_PRESET: Preset = "30d";

export function readPreset(text: string | undefined): Preset {
  if (text === "custom") return text;
  return PRESETS.find(({ value }) => value === text)?.value ?? DEFAULT_PRESET;
}

/** The UTC day of a time. */
function dayOf(time_ms: number): string {
  return new Date(time_ms).toISOString().slice(0, 10);
}

/** The days that an address asks for: a preset up to today, or a custom range; a missing day is today. */
export function readRange(
  asked: {
    readonly range?: string | undefined;
    readonly since?: string | undefined;
    readonly until?: string | undefined;
  },
  now_ms: number,
): DayRange {
  const today = dayOf(now_ms);
  const preset = readPreset(asked.range);
  if (preset === "custom") return { since: asked.since ?? asked.until ?? today, until: asked.until ?? today };
  const found = PRESETS.find(({ value }) => value === preset);
  const end_ms = now_ms - (found !== undefined && "ends_days_ago" in found ? found.ends_days_ago : 0) * DAY_MS;
  return { since: dayOf(end_ms - ((found?.days ?? 1) - 1) * DAY_MS), until: dayOf(end_ms) };
}

/** The error of a range as a sentence; null when the range is valid. */
export function rangeObjection({ since, until }: DayRange): string | null {
  const days = (Date.parse(until) - Date.parse(since)) / DAY_MS + 1;
  if (Number.isNaN(days)) return "Choose two valid dates.";
  if (days < 1) return "The first day is after the last one.";
  return days > MOST_DAYS ? `A report has at most ${MOST_DAYS} days.` : null;
}
