import type { TrafficQuery, TrafficStep } from "../../../contract/traffic.ts";
import { type GatewayError, invalidRequest } from "../../core/errors.ts";
import type { HourSpan } from "../../core/operations/traffic.ts";
import { HOURS_ANSWERED_DAYS } from "../../core/operations/upkeep.ts";
import { readTime, requireDay } from "./read-time.ts";
import { readZone, type Zone } from "./read-zone.ts";

const MS_PER_HOUR = 3_600_000;
const HOURS_PER_DAY = 24;
/** The longest time that sums by the hour answer for; beyond it sums by UTC day do. */
const MOST_HOURLY_HOURS = 35 * HOURS_PER_DAY;
/** The bound for reports by account or key, which have a row for each account or key that was used in an hour. */
const MOST_HOURLY_HOURS_APART = 3 * HOURS_PER_DAY;
const HOURS_ANSWERED_MS = HOURS_ANSWERED_DAYS * HOURS_PER_DAY * MS_PER_HOUR;
const MOST_PERIODS: Readonly<Record<TrafficStep, number>> = { hour: 31 * HOURS_PER_DAY, day: 400, month: 60 };
const USUAL_PERIODS: Readonly<Record<TrafficStep, number>> = { hour: 24, day: 30, month: 12 };

export interface Periods {
  readonly step: TrafficStep;
  readonly zone: Zone;
  readonly spans: readonly HourSpan[];
  /** The time of the same length right before. */
  readonly before: HourSpan;
  readonly by_day: boolean;
  /** The sums by UTC day answer for another zone's days. */
  readonly is_utc_instead: boolean;
  /** The zone's days do not begin with an hour. */
  readonly is_off_hours: boolean;
}

/**
 * The periods of a query: whole hours, days or months of the zone. `apart`: many accounts or keys are told apart. Throws a 400 for a
 * range that ends before it begins, or has more periods than can be shown.
 */
export function readPeriods(query: TrafficQuery, { now_ms, apart }: { now_ms: number; apart: boolean }): Periods {
  const { step = "day" } = query;
  const asked_zone = readZone(query.zone ?? "UTC");
  const asked = edgesIn(query, step, asked_zone, now_ms);
  const first_ms = asked[0] ?? 0;
  const hours = ((asked.at(-1) ?? 0) - first_ms) / MS_PER_HOUR;
  const is_too_long = hours > (apart ? MOST_HOURLY_HOURS_APART : MOST_HOURLY_HOURS);
  const is_old = first_ms - hours * MS_PER_HOUR < now_ms - HOURS_ANSWERED_MS;
  const is_whole = asked.every((time_ms) => time_ms % (HOURS_PER_DAY * MS_PER_HOUR) === 0);
  if (step === "hour" && (is_too_long || is_old)) throw hoursGone(apart);
  const is_utc_instead = step !== "hour" && (is_too_long || is_old) && !is_whole;
  const edges = is_utc_instead ? edgesIn(utcQuery(query), step, readZone("UTC"), now_ms) : asked;
  return periodsOf(edges, {
    step,
    zone: asked_zone,
    by_day: step !== "hour" && (is_whole || is_utc_instead),
    is_utc_instead,
    now_ms,
  });
}

/** The query for the same days in UTC: times become the days in which they lie. */
function utcQuery(query: TrafficQuery): TrafficQuery {
  const { since, until, ...rest } = query;
  return {
    ...rest,
    ...(since === undefined ? {} : { since: since.slice(0, 10) }),
    ...(until === undefined ? {} : { until: until.slice(0, 10) }),
  };
}

function periodsOf(
  edges: readonly number[],
  facts: Pick<Periods, "step" | "zone" | "by_day" | "is_utc_instead"> & { readonly now_ms: number },
): Periods {
  const { now_ms, ...told } = facts;
  const hours = edges.map((time_ms) => Math.floor(time_ms / MS_PER_HOUR));
  // Time that has not come yet is left out, so that spans of equal length are compared.
  const end = told.by_day ? Number.POSITIVE_INFINITY : Math.floor(now_ms / MS_PER_HOUR) + 1;
  const spans = hours.slice(0, -1).map((from, at): HourSpan => {
    const to = hours[at + 1] ?? from;
    return [from, Math.max(from, Math.min(to, end))];
  });
  const first = hours[0] ?? 0;
  const last = Math.min(hours.at(-1) ?? 0, Math.max(end, first + 1));
  const is_off_hours = !told.is_utc_instead && edges.some((time_ms) => time_ms % MS_PER_HOUR !== 0);
  return { ...told, spans, before: [first - (last - first), first], is_off_hours };
}

/** The times at which periods begin, and the end of the last. */
function edgesIn(query: TrafficQuery, step: TrafficStep, zone: Zone, now_ms: number): number[] {
  const until_ms = endOf(query.until, zone, now_ms);
  const since_ms = beginOf(query.since, step, zone, until_ms);
  if (since_ms >= until_ms) {
    const found = `'since' (${query.since ?? "the default"}) is after 'until' (${query.until ?? "now"})`;
    throw invalidRequest(`${found}; allowed: a time that ends after it begins.`, "since");
  }
  const edges: number[] = [];
  for (const edge of walk(since_ms, step, zone)) {
    edges.push(edge);
    if (edge >= until_ms) return edges;
    if (edges.length > MOST_PERIODS[step]) break;
  }
  const message = `'since' to 'until' has more than ${MOST_PERIODS[step]} periods by ${step}; ask for less time, or for a longer step.`;
  throw invalidRequest(message, "since");
}

function* walk(since_ms: number, step: TrafficStep, zone: Zone): Generator<number> {
  if (step === "hour") {
    for (let at = Math.floor(since_ms / MS_PER_HOUR); ; at += 1) yield at * MS_PER_HOUR;
  }
  const [year = 0, month = 1, day = 1] = zone.dayOf(since_ms).split("-").map(Number);
  for (let at = 0; ; at += 1)
    yield step === "day" ? zone.startOf(year, month, day + at) : zone.startOf(year, month + at, 1);
}

/** A day is meant with all of its hours. */
function endOf(until: string | undefined, zone: Zone, now_ms: number): number {
  if (until === undefined) return now_ms;
  if (until.length > 10) return readTime(until, "until") ?? now_ms;
  const [year = 0, month = 1, day = 1] = realDay(until, "until");
  return zone.startOf(year, month, day + 1);
}

function beginOf(since: string | undefined, step: TrafficStep, zone: Zone, until_ms: number): number {
  if (since !== undefined && since.length > 10) return readTime(since, "since") ?? 0;
  if (since !== undefined) {
    const [year = 0, month = 1, day = 1] = realDay(since, "since");
    return zone.startOf(year, month, day);
  }
  const count = USUAL_PERIODS[step];
  if (step === "hour") return until_ms - count * MS_PER_HOUR;
  const [year = 0, month = 1, day = 1] = zone
    .dayOf(until_ms - 1)
    .split("-")
    .map(Number);
  return step === "day" ? zone.startOf(year, month, day - count + 1) : zone.startOf(year, month - count + 1, 1);
}

function realDay(day: string, param: string): number[] {
  requireDay(day, param);
  return day.split("-").map(Number);
}

function hoursGone(apart: boolean): GatewayError {
  const most = (apart ? MOST_HOURLY_HOURS_APART : MOST_HOURLY_HOURS) / HOURS_PER_DAY;
  const message = `By the hour there are figures of at most ${most} days, of the last ${HOURS_ANSWERED_DAYS}${apart ? ", where accounts or keys are told apart" : ""}; ask for step=day.`;
  return invalidRequest(message, "step");
}
