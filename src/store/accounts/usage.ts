import type { UsageQuery, UsageRow, UsageTotals, UsageWindows } from "../../core/ports.ts";
import { dayOf, formatDay, windowStart } from "../../limits/windows.ts";
import { now_ms } from "../sql/clock.ts";
import { type Statement, sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { dayNamed } from "./explore-usage.ts";
import { SUMS, type SumRow, sumTotals, totals } from "./usage-sums.ts";

interface GroupRow extends SumRow {
  readonly group: unknown;
}

const selectDays = sql(`SELECT day AS "group", ${SUMS} FROM usage_days WHERE account_id = ? AND day >= ? GROUP BY day`);

/** The current UTC day, ISO week and month of an account (docs/api.md 4.8). */
export function* usageWindows(account_id: string): Work<UsageWindows> {
  const today = dayOf(yield* now_ms());
  const week = windowStart("week", today);
  const month = windowStart("month", today);
  const found = yield* rows<GroupRow>(selectDays, [account_id, Math.min(week, month)]);
  const days = found.map((each) => ({ day: toInt(each.group), ...totals(each) }));
  const since = (start: number): UsageTotals => sumTotals(days.filter(({ day }) => day >= start));
  return { daily: since(today), weekly: since(week), monthly: since(month) };
}

const GROUPS = { key: "key_id", model: "model", day: "day", account: "account_id" } as const;

function reportOf(by: UsageQuery["by"], of_account: boolean): Statement {
  const account = of_account ? "account_id = ? AND " : "";
  return sql(
    `SELECT ${GROUPS[by]} AS "group", ${SUMS} FROM usage_days WHERE ${account}day BETWEEN ? AND ? GROUP BY ${GROUPS[by]} ORDER BY ${GROUPS[by]}`,
  );
}

const REPORTS = {
  key: { all: reportOf("key", false), account: reportOf("key", true) },
  model: { all: reportOf("model", false), account: reportOf("model", true) },
  day: { all: reportOf("day", false), account: reportOf("day", true) },
  account: { all: reportOf("account", false), account: reportOf("account", true) },
};

const FIRST_DAY = 0;
const LAST_DAY = 1_000_000_000;

export function* usageReport({ account_id, since, until, by }: UsageQuery): Work<UsageRow[]> {
  const range = [since === null ? FIRST_DAY : dayNamed(since), until === null ? LAST_DAY : dayNamed(until)];
  const found =
    account_id === null
      ? yield* rows<GroupRow>(REPORTS[by].all, range)
      : yield* rows<GroupRow>(REPORTS[by].account, [account_id, ...range]);
  return found.map((each) => ({
    group: by === "day" ? formatDay(toInt(each.group)) : String(each.group),
    ...totals(each),
  }));
}
