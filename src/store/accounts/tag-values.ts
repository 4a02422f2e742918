import { ZERO } from "../../core/money/money.ts";
import type { AskedRule, RuleUse } from "../../core/people/budgets.ts";
import type { OwnLimits } from "../../core/people/principal.ts";
import type { OwnLimitsChange, TagValuesQuery, TagValueUse } from "../../core/people/tag-value-uses.ts";
import { windowStart } from "../../limits/windows.ts";
import { now_ms } from "../sql/clock.ts";
import { limitsText, readLimitsText } from "../sql/limits-text.ts";
import type { KeptSumRow } from "../sql/spent-since.ts";
import { lookup, sql } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { type Calendar, calendarOf, runningWindow } from "./budget-use.ts";
import { lockAccount } from "./locks.ts";

/** What is counted under rules: for all requests, and for each value of a limit by tag. */

const selectZone = sql("SELECT time_zone FROM accounts WHERE id = ?");
const selectCounts = lookup(
  "SELECT rule, value, open_count, held_micro, spent_window, spent_start_day, spent_micro FROM limit_counts",
  { account_id: "text", rule: "text", value: "text" },
);

interface CountsRow extends KeptSumRow {
  readonly rule: string;
  readonly open_count: unknown;
  readonly held_micro: unknown;
}

function* calendarIn(account_id: string): Work<Calendar> {
  const account = yield* row<{ time_zone: string | null }>(selectZone, [account_id]);
  return calendarOf(account?.time_zone ?? null, yield* now_ms());
}

/** What is counted under rules that have one count for all requests, in the order in which they are asked for. */
export function* ruleUses(account_id: string, asked: readonly AskedRule[]): Work<RuleUse[]> {
  if (asked.length === 0) return [];
  const params = asked.map(({ rule }) => [account_id, rule, ""]);
  const counts = new Map((yield* rows<CountsRow>(selectCounts, params)).map((each) => [each.rule, each]));
  const calendar = yield* calendarIn(account_id);
  return asked.map((each) => ruleUse({ ...each, value: "" }, counts.get(each.rule), calendar));
}

function ruleUse(
  { rule, value, budget }: AskedRule & Pick<RuleUse, "value">,
  counts: CountsRow | undefined,
  calendar: Calendar,
): RuleUse {
  const open_count = toInt(counts?.open_count ?? 0);
  if (budget === null) return { rule, value, open_count, use: null };
  const start_day = windowStart(budget.window, calendar.day);
  const is_current = counts?.spent_window === budget.window && toInt(counts.spent_start_day ?? 0) >= start_day;
  const use = {
    ...runningWindow(budget, calendar),
    raise: null,
    spent_micro: is_current ? toMicro(counts.spent_micro) : ZERO,
    held_micro: toMicro(counts?.held_micro ?? 0),
  };
  return { rule, value, open_count, use };
}

/** The values of limits by tag (docs/rulings.md 176): what they have used, and what they have of their own. */

/** With the charges of the window that runs now: those of an earlier one count no more. Its parameters: the first days of the windows. */
const SELECT = `SELECT rule, value, open_count, held_micro, spent_window, spent_start_day, spent_micro, own_limits, used_ms,
    CASE WHEN spent_window IS NULL THEN 0
      WHEN spent_start_day >= CASE spent_window WHEN 'day' THEN ? WHEN 'week' THEN ? WHEN 'month' THEN ? ELSE 0 END THEN spent_micro
      ELSE 0 END AS running_micro
  FROM limit_counts WHERE account_id = ? AND rule = ?`;
const BEGINS = "substr(value, 1, length(CAST(? AS TEXT))) = ?";
const selectPage = sql(
  `SELECT * FROM (${SELECT} AND ${BEGINS}) AS counted
    WHERE running_micro < ? OR (running_micro = ? AND value > ?) ORDER BY running_micro DESC, value LIMIT ?`,
);
const selectOne = sql(`${SELECT} AND value = ?`);
const countAll = sql(`SELECT count(*) AS count FROM limit_counts WHERE account_id = ? AND rule = ? AND ${BEGINS}`);

interface ValueRow extends CountsRow {
  readonly value: string;
  readonly own_limits: string | null;
  readonly used_ms: unknown;
  readonly running_micro: unknown;
}

export function* tagValues(query: TagValuesQuery): Work<TagValueUse[]> {
  const { account_id, rule, prefix, after, limit } = query;
  const calendar = yield* calendarIn(account_id);
  // No value is empty, so all follow the first place.
  const most = after?.spent_micro ?? Number.MAX_SAFE_INTEGER;
  const place = [most, most, after?.value ?? ""];
  const params = [...starts(calendar), account_id, rule, prefix, prefix, ...place, limit];
  const found = yield* rows<ValueRow>(selectPage, params);
  return found.map((each) => valueUse(query, each, calendar));
}

export function* countTagValues(account_id: string, rule: string, prefix: string): Work<number> {
  const found = yield* row<{ count: unknown }>(countAll, [account_id, rule, prefix, prefix]);
  return toInt(found?.count ?? 0);
}

export function* tagValue(
  query: Omit<TagValuesQuery, "prefix" | "after" | "limit">,
  value: string,
): Work<TagValueUse | null> {
  const calendar = yield* calendarIn(query.account_id);
  const found = yield* row<ValueRow>(selectOne, [...starts(calendar), query.account_id, query.rule, value]);
  return found && valueUse(query, found, calendar);
}

function starts({ day }: Calendar): number[] {
  return (["day", "week", "month"] as const).map((window) => windowStart(window, day));
}

function valueUse({ rule, budget, values }: ValuesOf, found: ValueRow, calendar: Calendar): TagValueUse {
  const { value, own_limits, used_ms, running_micro } = found;
  const own = own_limits === null ? null : readLimitsText<OwnLimits>(own_limits);
  const its = own?.budget ?? values?.get(value)?.budget ?? budget;
  return {
    ...ruleUse({ rule, value, budget: its }, found, calendar),
    own,
    used_ms: toInt(used_ms),
    spent_micro: toMicro(running_micro),
  };
}

type ValuesOf = Pick<TagValuesQuery, "rule" | "budget" | "values">;

const setOwn = sql(
  `INSERT INTO limit_counts (account_id, rule, value, open_count, held_micro, spent_micro, used_ms, own_limits)
    VALUES (?, ?, ?, 0, 0, 0, 0, ?) ON CONFLICT (account_id, rule, value) DO UPDATE SET own_limits = excluded.own_limits`,
);
const clearOwn = sql(
  "UPDATE limit_counts SET own_limits = NULL WHERE account_id = ? AND rule = ? AND value = ? AND own_limits IS NOT NULL",
);

export function* setTagValue({ account_id, rule, value, own }: OwnLimitsChange): Work<boolean> {
  if (!(yield* lockAccount(account_id))) return false;
  if (own === null) yield* rows(clearOwn, [account_id, rule, value]);
  else yield* rows(setOwn, [account_id, rule, value, limitsText(own)]);
  return true;
}

const selectOwn = sql("SELECT own_limits FROM limit_counts WHERE account_id = ? AND rule = ? AND value = ?");

/** The limits that a value has of its own, for the audit log. */
export function* findOwnLimits({ account_id, rule, value }: OwnLimitsChange): Work<OwnLimits | null> {
  const found = yield* row<{ own_limits: string | null }>(selectOwn, [account_id, rule, value]);
  return found === null || found.own_limits === null ? null : readLimitsText<OwnLimits>(found.own_limits);
}
