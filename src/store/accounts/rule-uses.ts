import { ZERO } from "../../core/money/money.ts";
import type { AskedRule, RuleUse } from "../../core/people/budgets.ts";
import { timeZoneOf } from "../../core/time-zone.ts";
import { renewalOf, sinceOf, windowStart } from "../../limits/windows.ts";
import { now_ms } from "../sql/clock.ts";
import type { KeptSumRow } from "../sql/spent-since.ts";
import { lookup, sql } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { type Calendar, calendarOf } from "./budget-use.ts";

const selectZone = sql("SELECT time_zone FROM accounts WHERE id = ?");
const selectCounts = lookup(
  "SELECT rule, value, open_count, held_micro, spent_window, spent_start_day, spent_micro FROM limit_counts",
  { account_id: "text", rule: "text", value: "text" },
);

export interface CountsRow extends KeptSumRow {
  readonly rule: string;
  readonly open_count: unknown;
  readonly held_micro: unknown;
}

/** What is counted under rules that have one count for all requests, in the order in which they are asked for. */
export function* ruleUses(account_id: string, asked: readonly AskedRule[]): Work<RuleUse[]> {
  if (asked.length === 0) return [];
  const account = yield* row<{ time_zone: string | null }>(selectZone, [account_id]);
  const params = asked.map(({ rule }) => [account_id, rule, ""]);
  const counts = new Map((yield* rows<CountsRow>(selectCounts, params)).map((each) => [each.rule, each]));
  const calendar = calendarOf(account?.time_zone ?? null, yield* now_ms());
  return asked.map((each) => ruleUse({ ...each, value: "" }, counts.get(each.rule), calendar));
}

export function ruleUse(
  { rule, value, budget }: AskedRule & Pick<RuleUse, "value">,
  counts: CountsRow | undefined,
  calendar: Calendar,
): RuleUse {
  const open_count = toInt(counts?.open_count ?? 0);
  if (budget === null) return { rule, value, open_count, use: null };
  const { window, amount_micro } = budget;
  const { time_zone, day, now_ms } = calendar;
  const start_day = windowStart(window, day);
  const renewal = renewalOf(window, timeZoneOf(time_zone), now_ms);
  const is_current = counts?.spent_window === window && toInt(counts.spent_start_day ?? 0) >= start_day;
  const use = {
    window,
    since: sinceOf(window, start_day),
    renews: renewal && { at: renewal.at, time_zone: renewal.time_zone },
    amount_micro,
    raise: null,
    spent_micro: is_current ? toMicro(counts.spent_micro) : ZERO,
    held_micro: toMicro(counts?.held_micro ?? 0),
  };
  return { rule, value, open_count, use };
}
