import type { RefusalsQuery } from "../../../../contract/refusals.ts";
import type { RequestsQuery } from "../../../../contract/requests.ts";

const HOUR_MS = 3_600_000;

export const TIMES = [
  { value: "hour", label: "Last hour", hours: 1 },
  { value: "day", label: "Last 24 hours", hours: 24 },
  { value: "week", label: "Last 7 days", hours: 7 * 24 },
  { value: "month", label: "Last 30 days", hours: 30 * 24 },
] as const;

export const ENDPOINTS = [
  { value: "chat.completions", label: "Chat completions" },
  { value: "responses", label: "Responses" },
  { value: "messages", label: "Messages" },
  { value: "decisions", label: "Decisions" },
  { value: "systemone", label: "System One" },
] as const satisfies readonly { value: NonNullable<RequestsQuery["endpoint"]>; label: string }[];

/** The words for how a request stands. Refused requests are another list: they have no receipt. */
export const STATUSES = [
  { value: "running", label: "Running" },
  { value: "answered", label: "Answered" },
  { value: "failed", label: "Failed" },
  { value: "left", label: "Left" },
  { value: "refused", label: "Refused" },
] as const satisfies readonly { value: NonNullable<RequestsQuery["outcome"]> | "refused"; label: string }[];

/** The fields of the page's address that filter its list. */
export const FILTERS = ["q", "key", "project", "model", "status", "endpoint", "time", "from", "to"] as const;
export type Filters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;

/** Whether a text is long enough to search for ids that begin with it; shorter texts would fit too many requests. */
export function isSearchable(q: string): boolean {
  return /^(?=.{3,128}$)(?!req_.{0,5}$)[A-Za-z0-9._-]+$/.test(q);
}

/** The filters of an address as the API takes them. Invalid filters are left out. */
export function readFilters(filters: Filters, now_ms: number): Omit<RequestsQuery, "account"> {
  const { q = "", key, project, model } = filters;
  const outcome = STATUSES.find(({ value }) => value === filters.status)?.value;
  const endpoint = ENDPOINTS.find(({ value }) => value === filters.endpoint)?.value;
  return {
    ...(key === undefined ? {} : { key }),
    ...(project !== undefined && /^(none|proj_[A-Za-z0-9]{1,60})$/.test(project) ? { project } : {}),
    ...(model === undefined ? {} : { model }),
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

/** The times of a preset that ends now, to the minute, or of a range of days, the last day included. */
function readTimes({ time, from, to }: Filters, now_ms: number): Pick<RequestsQuery, "from" | "to"> {
  if (time === "custom") {
    const after = dayAfter(to);
    return { ...(from === undefined ? {} : { from }), ...(after === null ? {} : { to: after }) };
  }
  const hours = TIMES.find(({ value }) => value === time)?.hours;
  if (hours === undefined) return {};
  const minute_ms = now_ms - (now_ms % 60_000);
  return { from: new Date(minute_ms - hours * HOUR_MS).toISOString() };
}

function dayAfter(day: string | undefined): string | null {
  const day_ms = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(day_ms) ? null : new Date(day_ms + 24 * HOUR_MS).toISOString().slice(0, 10);
}
