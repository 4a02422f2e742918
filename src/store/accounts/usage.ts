import { add, type Micro, ZERO } from "../../core/money/money.ts";
import type { KeyUsage } from "../../core/people/budgets.ts";
import type { UsageQuery, UsageRow, UsageTotals, UsageWindows } from "../../core/store/ports.ts";
import { dayOf, formatDay, windowStart } from "../../limits/windows.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { Conditions, statementOf } from "./conditions.ts";
import { dayNamed } from "./explore-usage.ts";
import {
  SUMS,
  USAGE,
  type UsageBy,
  type UsageByTag,
  type UsageRows,
  type UsageSumRow,
  usageOfAll,
  usageOfAllByTag,
  usageSource,
} from "./usage-sums.ts";

interface GroupRow extends UsageSumRow {
  readonly group: unknown;
}

const selectDays = sql(`SELECT day AS "group", ${SUMS} FROM usage_days WHERE account_id = ? AND day >= ? GROUP BY day`);

/** The usage of an account by UTC days, from one on. */
export function* usageSince(account_id: string, day: number): Work<(UsageTotals & { readonly day: number })[]> {
  const found = yield* rows<GroupRow>(selectDays, [account_id, day]);
  return found.map((each) => ({ day: toInt(each.group), ...USAGE.read(each) }));
}

/** The current UTC day, ISO week and month of an account (docs/api.md 4.8). */
export function* usageWindows(account_id: string): Work<UsageWindows> {
  const today = dayOf(yield* now_ms());
  const week = windowStart("week", today);
  const month = windowStart("month", today);
  const days = yield* usageSince(account_id, Math.min(week, month));
  const since = (start: number): UsageTotals => USAGE.total(days.filter(({ day }) => day >= start));
  return { daily: since(today), weekly: since(week), monthly: since(month) };
}

const selectKeyDays = sql(
  `SELECT day AS "group", CAST(sum(cost_micro) AS BIGINT) AS cost_micro FROM usage_days WHERE account_id = ? AND key_id = ? GROUP BY day`,
);

/** What a key was charged, in all and in the current UTC day, ISO week and month (docs/rulings.md 216). */
export function* keyUsage(account_id: string, key_id: string): Work<KeyUsage> {
  const today = dayOf(yield* now_ms());
  const found = yield* rows<Pick<GroupRow, "group" | "cost_micro">>(selectKeyDays, [account_id, key_id]);
  const since = (start: number): Micro =>
    found.reduce((sum, each) => (toInt(each.group) < start ? sum : add(sum, toMicro(each.cost_micro))), ZERO);
  return {
    total_micro: since(FIRST_DAY),
    daily_micro: since(today),
    weekly_micro: since(windowStart("week", today)),
    monthly_micro: since(windowStart("month", today)),
  };
}

const GROUPS = {
  key: "key_id",
  model: "model",
  day: "day",
  account: "account_id",
  project: "project_id",
  tag: "tag",
} as const satisfies Record<UsageQuery["by"], string>;

const FIRST_DAY = 0;
const LAST_DAY = 1_000_000_000;

const SUMS_BY: Partial<Record<UsageQuery["by"], UsageBy>> = { key: "key", account: "key", model: "model", day: "day" };
/** The kind of sums that answers such a report by a tag. Sums by model have no keys, and sums by key no models. */
const TAG_SUMS_BY: Partial<Record<UsageQuery["by"], UsageByTag>> = {
  ...{ tag: "tag", key: "key", account: "key" },
  day: "tag_day",
};

export function* usageReport(query: UsageQuery): Work<UsageRow[]> {
  const { by } = query;
  const column = GROUPS[by];
  const from = yield* rowsOf(query);
  const text = `SELECT ${column} AS "group", ${SUMS} FROM ${from.text} GROUP BY ${column} ORDER BY ${column}`;
  const found = yield* rows<GroupRow>(statementOf(text), from.params);
  // Where all usage belongs to projects, the row of usage without a project is empty and left out.
  const used = found.filter(({ request_count }) => toInt(request_count) > 0);
  return used.map((each) => ({
    group: by === "day" ? formatDay(toInt(each.group)) : String(each.group),
    ...USAGE.read(each),
  }));
}

function* rowsOf({ account_id, since, until, by, project_id, tag, tag_value }: UsageQuery): Work<UsageRows> {
  const first = since === null ? FIRST_DAY : dayNamed(since);
  const last = until === null ? LAST_DAY : dayNamed(until);
  const sums = SUMS_BY[by];
  const tag_sums = TAG_SUMS_BY[by];
  if (account_id === null && project_id === undefined) {
    if (tag === undefined && sums !== undefined) return yield* usageOfAll(sums, { first, last });
    if (tag !== undefined && tag_sums !== undefined) {
      return yield* usageOfAllByTag(tag_sums, { name: tag, value: tag_value }, { first, last });
    }
  }
  const where = new Conditions();
  where.and("account_id = ?", account_id ?? undefined);
  where.and("project_id = ?", project_id);
  where.and("day BETWEEN ? AND ?", first, last);
  where.and("tag = ?", tag_value);
  const from = usageSource(by === "project" || project_id !== undefined, tag);
  return { text: `${from.text}${where.text}`, params: [...from.params, ...where.params] };
}
