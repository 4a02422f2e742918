import type { RequestRecord } from "../../core/ledger/ledger.ts";
import type { BudgetWindow } from "../../core/people/principal.ts";
import type { AccountOverview, AccountPulse, SpendWindow, UsageTotals } from "../../core/store/ports.ts";
import { dayOf, formatDay, windowStart } from "../../limits/windows.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, type Work } from "../sql/work.ts";
import { findAccount } from "./accounts.ts";
import { exploreUsage } from "./explore-usage.ts";
import { listRequests } from "./requests.ts";
import { usageSince } from "./usage.ts";
import { USAGE } from "./usage-sums.ts";

/** How many days the overview's chart has, today included, and how many models stand for themselves. */
const DAYS = 30;
const MODELS = 8;
const REQUESTS = 10;
const PULSE_REQUESTS = 20;

/** Reads the overview from days' sums and indices: it takes the same few milliseconds for an account with a million requests. */
export function* readOverview(account_id: string): Work<AccountOverview | null> {
  const as_of_ms = yield* now_ms();
  const account = yield* findAccount(account_id);
  if (account?.id !== account_id) return null;
  const today = dayOf(as_of_ms);
  const range = { since: formatDay(today - DAYS + 1), until: formatDay(today) };
  const explored = {
    ...range,
    account_id,
    by_day: true,
    group: "model",
    top: MODELS,
    limit: DAYS * (MODELS + 1),
  } as const;
  return {
    as_of_ms,
    account,
    spend: yield* readSpend(account_id, today),
    usage: { ...range, ...(yield* exploreUsage(explored)) },
    running_count: yield* countRunning(account_id),
    running: yield* newest(account_id, REQUESTS, "held"),
    latest: yield* newest(account_id, REQUESTS),
  };
}

export function* readPulse(account_id: string): Work<AccountPulse | null> {
  const as_of_ms = yield* now_ms();
  const account = yield* findAccount(account_id);
  if (account?.id !== account_id) return null;
  const running_count = yield* countRunning(account_id);
  const running = running_count === 0 ? [] : yield* newest(account_id, PULSE_REQUESTS, "held");
  const latest = yield* row<{ id: string }>(selectLatest, [account_id]);
  return { as_of_ms, account, running_count, running, latest_id: latest?.id ?? null };
}

const selectLatest = sql("SELECT id FROM requests WHERE account_id = ? ORDER BY created_ms DESC, seq DESC LIMIT 1");

/** Searches all running requests, which are few. */
const countOpen = sql(
  `WITH running AS MATERIALIZED (SELECT account_id FROM requests WHERE status = 'held')
    SELECT count(*) AS running FROM running WHERE account_id = ?`,
);

function* countRunning(account_id: string): Work<number> {
  const counted = yield* row<{ running: unknown }>(countOpen, [account_id]);
  return toInt(counted?.running ?? 0);
}

function* newest(account_id: string, limit: number, status?: "held"): Work<readonly RequestRecord[]> {
  const page = yield* listRequests({ account_id, limit, ...(status === undefined ? {} : { status }) });
  return page.requests;
}

function* readSpend(account_id: string, today: number): Work<AccountOverview["spend"]> {
  const windows = { day: bounds("day", today), week: bounds("week", today), month: bounds("month", today) };
  const days = yield* usageSince(account_id, Math.min(windows.week.previous_start, windows.month.previous_start));
  const spent = (window: WindowDays): SpendWindow => spendIn(window, days);
  return { day: spent(windows.day), week: spent(windows.week), month: spent(windows.month) };
}

interface WindowDays {
  readonly start: number;
  readonly previous_start: number;
  /** The last day of the previous window that is compared with the current one up to today. */
  readonly so_far: number;
}

function bounds(window: BudgetWindow, today: number): WindowDays {
  const start = windowStart(window, today);
  const previous_start = windowStart(window, start - 1);
  return { start, previous_start, so_far: Math.min(previous_start + today - start, start - 1) };
}

function spendIn(
  { start, previous_start, so_far }: WindowDays,
  days: readonly (UsageTotals & { readonly day: number })[],
): SpendWindow {
  const between = (first: number, last: number): UsageTotals =>
    USAGE.total(days.filter(({ day }) => day >= first && day <= last));
  return {
    since: formatDay(start),
    current: between(start, Number.POSITIVE_INFINITY),
    previous_since: formatDay(previous_start),
    previous: between(previous_start, start - 1),
    previous_so_far: between(previous_start, so_far),
  };
}
