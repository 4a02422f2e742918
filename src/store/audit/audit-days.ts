import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import { sql } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { auditTags } from "./audit-tags.ts";
import { dayOfPlace, finding } from "./finding.ts";
import { countedDay, describeCount, isSameCount, recountDay } from "./recount-day.ts";

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
  let expected = yield* recountDay(account_id, day, "usual");
  const places = (): string[] => [...new Set([...counted.keys(), ...expected.keys()])];
  const differs = (): string[] => places().filter((place) => !isSameCount(counted.get(place), expected.get(place)));
  if (differs().length > 0) expected = yield* recountDay(account_id, day, "all");
  const findings = differs().map((place) => {
    const [found, recounted] = [counted.get(place), expected.get(place)];
    const { key_id, model } = found ?? recounted ?? { key_id: "", model: "" };
    const values = { found: describeCount(found), expected: describeCount(recounted) };
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
