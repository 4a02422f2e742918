import { add, type Micro, ZERO } from "../../core/money.ts";
import {
  StoreConflict,
  type UsageQuery,
  type UsageRow,
  type UsageTotals,
  type UsageWindows,
} from "../../core/ports.ts";
import { dayOf, formatDay, parseDay, windowStart } from "../../limits/windows.ts";
import { now_ms } from "../sql/clock.ts";
import { type Statement, sql } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";

const SUMS = `CAST(sum(cost_micro) AS BIGINT) AS cost_micro, CAST(sum(prompt_tokens) AS BIGINT) AS prompt_tokens,
  CAST(sum(completion_tokens) AS BIGINT) AS completion_tokens,
  CAST(sum(ended_count + refused_count + replayed_count) AS BIGINT) AS request_count,
  CAST(sum(success_count + replayed_count) AS BIGINT) AS success_count`;

interface SumRow {
  readonly group: unknown;
  readonly cost_micro: unknown;
  readonly prompt_tokens: unknown;
  readonly completion_tokens: unknown;
  readonly request_count: unknown;
  readonly success_count: unknown;
}

function totals(found: SumRow): UsageTotals {
  return {
    cost_micro: toMicro(found.cost_micro),
    prompt_tokens: toInt(found.prompt_tokens),
    completion_tokens: toInt(found.completion_tokens),
    request_count: toInt(found.request_count),
    success_count: toInt(found.success_count),
  };
}

const selectDays = sql(`SELECT day AS "group", ${SUMS} FROM usage_days WHERE account_id = ? AND day >= ? GROUP BY day`);

/** The current UTC day, ISO week and month of an account (docs/api.md 4.8). */
export function* usageWindows(account_id: string): Work<UsageWindows> {
  const today = dayOf(yield* now_ms());
  const week = windowStart("week", today);
  const month = windowStart("month", today);
  const found = yield* rows<SumRow>(selectDays, [account_id, Math.min(week, month)]);
  const days = found.map((each) => ({ day: toInt(each.group), ...totals(each) }));
  const since = (start: number): UsageTotals => sum(days.filter(({ day }) => day >= start));
  return { daily: since(today), weekly: since(week), monthly: since(month) };
}

function sum(parts: readonly UsageTotals[]): UsageTotals {
  const count = (of: (part: UsageTotals) => number): number => parts.reduce((total, part) => total + of(part), 0);
  return {
    cost_micro: parts.reduce<Micro>((total, part) => add(total, part.cost_micro), ZERO),
    prompt_tokens: count((part) => part.prompt_tokens),
    completion_tokens: count((part) => part.completion_tokens),
    request_count: count((part) => part.request_count),
    success_count: count((part) => part.success_count),
  };
}

const GROUPS = { key: "key_id", model: "model", day: "day" } as const;

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
};

const FIRST_DAY = 0;
const LAST_DAY = 1_000_000_000;

export function* usageReport({ account_id, since, until, by }: UsageQuery): Work<UsageRow[]> {
  const range = [since === null ? FIRST_DAY : dayNamed(since), until === null ? LAST_DAY : dayNamed(until)];
  const found =
    account_id === null
      ? yield* rows<SumRow>(REPORTS[by].all, range)
      : yield* rows<SumRow>(REPORTS[by].account, [account_id, ...range]);
  return found.map((each) => ({
    group: by === "day" ? formatDay(toInt(each.group)) : String(each.group),
    ...totals(each),
  }));
}

function dayNamed(text: string): number {
  const day = parseDay(text);
  if (day === null) throw new StoreConflict(`${JSON.stringify(text)} is not a day: write it as YYYY-MM-DD.`);
  return day;
}
