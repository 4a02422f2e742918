import Type, { type Static } from "typebox";
import { AccountName, Currency, closed, DayOrTime, Micro, oneOf, orNull, Timestamp } from "./common.ts";

/** Traffic over time, of the whole gateway or an account: requests, money, errors, latencies, tokens a second. */

/** How a request ended; `refused`: before a vendor was asked. A request that has not ended is `running`, and is not counted yet. */
export const TrafficStatus = oneOf(["answered", "failed", "left", "refused"]);
export type TrafficStatus = Static<typeof TrafficStatus>;

/** A route is a vendor and its own name for the model, with a space between them. */
export const TrafficBy = oneOf(["account", "key", "model", "vendor", "route", "status", "error"]);
export type TrafficBy = Static<typeof TrafficBy>;

export const TrafficStep = oneOf(["hour", "day", "month"]);
export type TrafficStep = Static<typeof TrafficStep>;

const text = (what: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: what }));

export const TrafficQuery = closed({
  /** Administrators: all accounts without it. */
  account: Type.Optional(AccountName),
  key: text("a key id"),
  model: text("a model id"),
  vendor: text("a vendor id"),
  route: Type.Optional(
    Type.String({ pattern: "^[^ ]{1,100} .{1,256}$", description: "a vendor id, a space and the vendor's model name" }),
  ),
  status: Type.Optional(TrafficStatus),
  /**
   * Days of the zone, both inclusive, or times, which are widened to whole hours. Without `until`: now; without `since`: a day before
   * `until` by the hour, thirty days by the day, twelve months by the month.
   */
  since: Type.Optional(DayOrTime),
  until: Type.Optional(DayOrTime),
  /** Default: `day`. */
  step: Type.Optional(TrafficStep),
  /** The time zone whose days and months are meant. Default: UTC. */
  zone: Type.Optional(
    Type.String({ pattern: "^[A-Za-z0-9_+/-]{1,64}$", description: "a time zone such as UTC or Europe/Berlin" }),
  ),
  by: Type.Optional(TrafficBy),
  /** How many groups stand for themselves, those with the highest charge first. Default: 20, in a CSV file 5000. */
  top: Type.Optional(Type.String({ pattern: "^([1-9]\\d{0,2}|1000)$", description: "a whole number from 1 to 1000" })),
  /** `csv` answers `text/csv` as a download: a row for each group, or without groups for each period. */
  format: Type.Optional(oneOf(["json", "csv"])),
});
export type TrafficQuery = Static<typeof TrafficQuery>;

const nullableNumber = orNull(Type.Number());
const nullableText = orNull(Type.String());
const Latency = Type.Object({ mean: nullableNumber, p50: nullableNumber, p95: nullableNumber });

const counts = {
  requests: Type.Integer(),
  answered: Type.Integer(),
  failed: Type.Integer(),
  left: Type.Integer(),
  refused: Type.Integer(),
  charge_micro: Micro,
  /** The operator's loss: paid and not charged. */
  loss_micro: Micro,
  /**
   * The charge less what vendors charge the operator, of those requests whose cost at the vendor is known. Null for members, and where
   * none is known.
   */
  margin_micro: orNull(Micro),
  /** Which share of the charge the margin is about, 0 to 1; null where the margin is. */
  margin_of: nullableNumber,
  prompt_tokens: Type.Integer(),
  /** The part of the prompt tokens that was read from a cache. */
  cached_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  /** Output tokens a second while an answer was made, of all answers together; null where nothing was made. */
  tokens_per_s: nullableNumber,
};
export const TrafficCounts = Type.Object(counts);
export type TrafficCounts = Static<typeof TrafficCounts>;

const figures = {
  ...counts,
  /**
   * Of answers, from the request's arrival: to the first byte, and to the end. Percentiles are kept for the whole gateway, by model,
   * vendor, route and status, within an eighth of what was measured; they are null for accounts and keys.
   */
  first_byte_ms: Latency,
  total_ms: Latency,
};
export const TrafficFigures = Type.Object(figures);
export type TrafficFigures = Static<typeof TrafficFigures>;

export const TrafficPeriod = Type.Object({ start: Timestamp, ...figures });
export type TrafficPeriod = Static<typeof TrafficPeriod>;

export const TrafficGroup = Type.Object({
  /** Null for the others together. "" stands for requests of which it was never known: no vendor was asked. */
  id: nullableText,
  /** An account's e-mail address, a key's name; null where there is none. */
  name: nullableText,
  others: Type.Boolean(),
  ...figures,
  /** The time before. */
  before: TrafficFigures,
});
export type TrafficGroup = Static<typeof TrafficGroup>;

export const TrafficRow = Type.Object({
  start: Timestamp,
  group: nullableText,
  others: Type.Boolean(),
  ...counts,
  /** On average, of answers, as in the figures: to the first byte, and to the end. Null where nothing was answered. */
  first_byte_mean_ms: nullableNumber,
  total_mean_ms: nullableNumber,
});
export type TrafficRow = Static<typeof TrafficRow>;

/** `GET /usage/traffic`. Periods come in order, groups by charge (highest first), rows by period and in the order of the groups. */
export const Traffic = Type.Object({
  object: Type.Literal("traffic"),
  step: TrafficStep,
  by: orNull(TrafficBy),
  zone: Type.String(),
  since: Timestamp,
  until: Timestamp,
  /** Whether the figures are by UTC days, because hours are not kept for so long or would be too many. */
  utc_days: Type.Boolean(),
  /** Whether days of the zone begin within an hour: then a day begins with the whole hour before. */
  off_hours: Type.Boolean(),
  currency: Currency,
  /** Requests that ended before are counted; null before the first count. */
  counted_until: orNull(Timestamp),
  /** Whether older requests wait to be counted, as after an update. */
  behind: Type.Boolean(),
  periods: Type.Array(TrafficPeriod),
  total: TrafficFigures,
  /** The time of the same length right before. */
  before: Type.Object({ since: Timestamp, until: Timestamp, ...figures }),
  groups: Type.Array(TrafficGroup),
  /** How many groups there are, the others included. */
  group_count: Type.Integer(),
  data: Type.Array(TrafficRow),
});
export type Traffic = Static<typeof Traffic>;
