import type { RefusalsQuery } from "../../../../contract/refusals.ts";
import type { RequestsQuery } from "../../../../contract/requests.ts";
import { optionsOf } from "../../kit/options.ts";
import { MINUTE_MS, minuteText, readMinute, timeOfWall, wallTime } from "../../kit/wall-time.ts";
import { tagAsked } from "../keys/tag-words.ts";

const HOUR_MS = 3_600_000;

export const TIMES = [
  { value: "hour", label: "Last hour", hours: 1 },
  { value: "day", label: "Last 24 hours", hours: 24 },
  { value: "week", label: "Last 7 days", hours: 7 * 24 },
  { value: "month", label: "Last 30 days", hours: 30 * 24 },
] as const;

export const ENDPOINTS = optionsOf({
  "chat.completions": "Chat completions",
  responses: "Responses",
  "responses.compact": "Compactions",
  messages: "Messages",
  generateContent: "Gemini",
  embeddings: "Embeddings",
  "audio.speech": "Speech",
  "images.generations": "Images",
  "images.edits": "Edits of images",
  completions: "Completions",
  rerank: "Rerank",
  "audio.transcriptions": "Transcriptions",
  "audio.translations": "Translations",
  moderations: "Moderations",
  decisions: "Decisions",
  systemone: "System One",
}) satisfies readonly { value: NonNullable<RequestsQuery["endpoint"]>; label: string }[];

/** The words for how a request stands. Refused requests are another list: they have no receipt. */
export const STATUSES = optionsOf({
  running: "Running",
  answered: "Answered",
  failed: "Failed",
  left: "Client disconnected",
  refused: "Refused",
}) satisfies readonly { value: NonNullable<RequestsQuery["outcome"]> | "refused"; label: string }[];

/** The fields of the page's address that filter its list. `of`: one account of all, where all are shown. */
export const FILTERS = [
  "q",
  "of",
  "key",
  "project",
  "model",
  "tag",
  "status",
  "endpoint",
  "time",
  "from",
  "to",
] as const;
export type Filters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;

/** The filters that do not apply to refused requests. */
export const NOT_OF_REFUSED = ["project", "model", "tag", "endpoint"] as const satisfies readonly (keyof Filters)[];

/** Whether a text is long enough to search for ids that begin with it; shorter texts would fit too many requests. */
export function isSearchable(q: string): boolean {
  return /^(?=.{3,128}$)(?!req_.{0,5}$)[A-Za-z0-9._-]+$/.test(q);
}

/** The filters of an address as the API takes them. Invalid filters are left out. */
export function readFilters(filters: Filters, now_ms: number): Omit<RequestsQuery, "account"> {
  const { q = "", key, project, model, tag } = filters;
  const outcome = STATUSES.find(({ value }) => value === filters.status)?.value;
  const endpoint = ENDPOINTS.find(({ value }) => value === filters.endpoint)?.value;
  return {
    ...(key === undefined ? {} : { key }),
    ...(project !== undefined && /^(none|proj_[A-Za-z0-9]{1,60})$/.test(project) ? { project } : {}),
    ...(model === undefined ? {} : { model }),
    ...(tag === undefined || tagAsked(tag) === null ? {} : { tag }),
    ...(outcome === undefined || outcome === "refused" ? {} : { outcome }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(isSearchable(q.trim()) ? { q: q.trim() } : {}),
    ...readTimes(filters, now_ms),
  };
}

/** The filters of an address as the list of refused requests takes them. */
export function readRefusals(filters: Filters, now_ms: number): Omit<RefusalsQuery, "account"> {
  const { q = "", key } = filters;
  return {
    ...(key === undefined ? {} : { key }),
    ...(isSearchable(q.trim()) ? { q: q.trim() } : {}),
    ...readTimes(filters, now_ms),
  };
}

/** The times of a preset that ends now, to the minute, or of a range of minutes, the last one included. */
function readTimes(filters: Filters, now_ms: number): Pick<RequestsQuery, "from" | "to"> {
  if (filters.time === "custom") {
    const { from_ms, to_ms } = boundsOf(filters);
    if (isBackwards(filters)) return {};
    return {
      ...(from_ms === null ? {} : { from: new Date(from_ms).toISOString() }),
      ...(to_ms === null ? {} : { to: new Date(to_ms + MINUTE_MS).toISOString() }),
    };
  }
  const from_ms = beginOf(filters.time, now_ms);
  return from_ms === null ? {} : { from: new Date(from_ms).toISOString() };
}

/** The first and last minute of a range; null where it is open. */
function boundsOf({ from, to }: Filters): { readonly from_ms: number | null; readonly to_ms: number | null } {
  return { from_ms: readMinute(from), to_ms: readMinute(to, true) };
}

/** Whether a range ends before it begins. */
export function isBackwards(filters: Filters): boolean {
  const { from_ms, to_ms } = boundsOf(filters);
  return filters.time === "custom" && from_ms !== null && to_ms !== null && to_ms < from_ms;
}

/** Whether a range has an end that is set, which a filter of its own shows. */
export function hasEnds({ time, from, to }: Filters): boolean {
  return time === "custom" && (from !== undefined || to !== undefined);
}

/** When a preset's time begins, to the minute; null where no preset is chosen. */
function beginOf(time: string | undefined, now_ms: number): number | null {
  const hours = TIMES.find(({ value }) => value === time)?.hours;
  return hours === undefined ? null : now_ms - (now_ms % MINUTE_MS) - hours * HOUR_MS;
}

/**
 * The fields of the address for a choice of time. A range of one's own begins as the preset that was chosen before, else as the zone's
 * whole day: mostly only the hours are left to type.
 */
export function timeFields(
  chosen: string,
  { before, now_ms, zone }: { before: string | undefined; now_ms: number; zone: string },
): Pick<Filters, "from" | "to"> {
  if (chosen !== "custom") return { from: "", to: "" };
  const begin_ms = beginOf(before, now_ms);
  if (begin_ms !== null) return { from: minuteText(begin_ms), to: minuteText(now_ms) };
  const today = wallTime(zone, now_ms).slice(0, "2026-11-23".length);
  const [first_ms, last_ms] = ["00:00", "23:59"].map((time) => timeOfWall(zone, `${today}T${time}`));
  return { from: minuteText(first_ms ?? now_ms), to: minuteText(last_ms ?? now_ms) };
}
