import Type, { type Static } from "typebox";
import { Account } from "./accounts.ts";
import { Currency, Day, Micro, orNull, Timestamp } from "./common.ts";
import { Receipt } from "./requests.ts";
import { UsageExploration, UsageTotals } from "./usage.ts";

/** A calendar window in UTC, and the window before it. */
export const SpendWindow = Type.Object({
  /** The first day of the window. */
  since: Day,
  current: UsageTotals,
  previous_since: Day,
  previous: UsageTotals,
  /** The totals of as many days of the window before as have passed of this window; of a day, the whole day before. */
  previous_so_far: UsageTotals,
});
export type SpendWindow = Static<typeof SpendWindow>;

/** `GET /overview`: an account as the first page shows it, with all values read at one moment. */
export const Overview = Type.Object({
  object: Type.Literal("overview"),
  account: Account,
  currency: Currency,
  as_of: Timestamp,
  /** Day, ISO week from Monday, calendar month. */
  spend: Type.Object({ day: SpendWindow, week: SpendWindow, month: SpendWindow }),
  /** The last thirty days, today included, by day and model: the eight costliest models, and the others. */
  usage: UsageExploration,
  running_count: Type.Integer(),
  /** The newest running requests, at most ten. */
  running: Type.Array(Receipt),
  /** The newest requests, running ones included, at most ten. */
  latest: Type.Array(Receipt),
});
export type Overview = Static<typeof Overview>;

export const RunningRequest = Type.Object({
  id: Type.String(),
  key_id: Type.String(),
  key_name: Type.String(),
  endpoint: Type.String(),
  model: Type.String(),
  stream: Type.Boolean(),
  hold_micro: Micro,
  created_at: Timestamp,
});
export type RunningRequest = Static<typeof RunningRequest>;

/**
 * `GET /overview/live`: small enough to be read every second or two. A changed `version` means that money has moved or
 * that a request has begun or ended: the page then reads again what it shows of them.
 */
export const Live = Type.Object({
  object: Type.Literal("live"),
  account: Type.String(),
  version: Type.String(),
  as_of: Timestamp,
  currency: Currency,
  status: Type.Enum(["active", "disabled"]),
  balance_micro: Micro,
  uncollected_micro: Micro,
  running_count: Type.Integer(),
  /** The newest running requests, at most twenty. */
  running: Type.Array(RunningRequest),
  /** The id of the newest request, in any status; null before the first request. */
  latest_request: orNull(Type.String()),
});
export type Live = Static<typeof Live>;
