import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import { sql } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { auditTags } from "./audit-tags.ts";
import { dayOfPlace, finding } from "./finding.ts";
import { countedDay, describeCount, differingCounts, recountDay } from "./recount-day.ts";

/** Days' usage against the requests that it counts, or against the entries where the requests may be gone. */
export interface DayAsked {
  readonly account_id: string;
  readonly day: number;
}

export interface DaySlice {
  readonly findings: readonly AuditFinding[];
}

/** Compares a day by key and model. Counts of refusals and replays have no rows of their own to be compared with. */
export function* auditDay({ account_id, day }: DayAsked): Work<DaySlice> {
  const counted = yield* countedDay(account_id, day);
  const differing = yield* differingCounts(counted, (reach) => recountDay(account_id, day, reach));
  const findings = differing.map(({ found, expected }) => {
    const { key_id, model } = found ?? expected ?? { key_id: "", model: "" };
    const values = { found: describeCount(found), expected: describeCount(expected) };
    const where = { account_id, key_id, model, day: dayOfPlace(day) };
    return finding("usage", where, "the day's usage is not what its requests add up to", values);
  });
  return { findings: [...findings, ...(yield* auditTags(account_id, day))] };
}

export interface DaysAsked {
  readonly account_id: string;
  readonly first_day: number;
}

export interface CountedDays {
  /** The account's days with usage, and what was charged on each. */
  readonly days: readonly (readonly [day: number, cost_micro: bigint])[];
}

const selectDays = sql(
  `SELECT day, CAST(sum(cost_micro) AS BIGINT) AS cost_micro FROM usage_days WHERE account_id = ? AND day >= ?
    GROUP BY day ORDER BY day`,
);

export function* listDays({ account_id, first_day }: DaysAsked): Work<CountedDays> {
  const found = yield* rows<{ day: unknown; cost_micro: unknown }>(selectDays, [account_id, first_day]);
  return { days: found.map(({ day, cost_micro }) => [toInt(day), toMicro(cost_micro)] as const) };
}
