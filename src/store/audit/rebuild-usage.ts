import { MS_PER_DAY } from "../../core/clock.ts";
import type { RebuiltCount } from "../../core/ledger/books-audit.ts";
import { ZERO } from "../../core/money/money.ts";
import { NO_UNITS } from "../../core/money/price-classes.ts";
import { dayOf } from "../../limits/windows.ts";
import { amount, int, readRows, text, textOrNull, valuesOf } from "../sql/columns.ts";
import { readMark } from "../sql/marks.ts";
import type { WorksOf } from "../sql/port.ts";
import { KEPT_SUM, spentSince } from "../sql/spent-since.ts";
import { sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { forgetSums } from "../sums/make-sums.ts";
import type { DayAsked } from "./audit-days.ts";
import { rebuildProjectDay, rebuildProjects } from "./audit-projects.ts";
import { rebuildRuleSums } from "./audit-rule-sums.ts";
import { rebuildRules } from "./audit-rules.ts";
import { rebuildTagDay } from "./audit-tags.ts";
import { DAY_COLUMNS, DAY_COUNT_NAMES, DAY_COUNTS, DAY_RECOUNTED } from "./day-counts.ts";
import { dayOfPlace } from "./finding.ts";
import type { RebuildMethods } from "./rebuild-calls.ts";
import { countedDay, type DayCount, describeCount, isSameCount, recountDay } from "./recount-day.ts";

export const REBUILD_WORKS: WorksOf<RebuildMethods> = {
  daysOf,
  accountsAfter,
  rebuildDay,
  rebuildKeys,
  forgetUsageSums: () => forgetSums("usage"),
};

const selectAccounts = sql("SELECT id FROM accounts WHERE id > ? ORDER BY id LIMIT ?");

function* accountsAfter(account_id: string, limit: number): Work<readonly string[]> {
  return (yield* rows<{ id: string }>(selectAccounts, [account_id, limit])).map(({ id }) => id);
}

const selectDays = sql(
  `SELECT day FROM usage_days WHERE account_id = ? AND day >= ?
    UNION SELECT ended_ms / ${MS_PER_DAY} AS day FROM requests WHERE account_id = ? AND ended_ms >= ?
    ORDER BY day`,
);

function* daysOf(account_id: string): Work<readonly number[]> {
  const first_day = dayOf((yield* readMark("requests_kept_since_ms")) ?? 0);
  const found = yield* rows<{ day: unknown }>(selectDays, [account_id, first_day, account_id, first_day * MS_PER_DAY]);
  return found.map(({ day }) => toInt(day));
}

const lockAccount = sql("SELECT id FROM accounts WHERE id = ? {lock}");
const upsertDay = sql(
  `INSERT INTO usage_days (account_id, day, key_id, model, ${DAY_COLUMNS})
    VALUES (?, ?, ?, ?, ${DAY_COUNT_NAMES.map(() => "?").join(", ")})
    ON CONFLICT (account_id, day, key_id, model) DO UPDATE SET ${DAY_RECOUNTED}`,
);

/** Refusals and replays stay as they were counted: nothing else tells of them. */
function* rebuildDay({ account_id, day }: DayAsked): Work<RebuiltCount[]> {
  yield* rows(lockAccount, [account_id]);
  const counted = yield* countedDay(account_id, day);
  const recounted = yield* recountDay(account_id, day, "all");
  const rebuilt: RebuiltCount[] = [];
  for (const place of new Set([...counted.keys(), ...recounted.keys()])) {
    const [was, is] = [counted.get(place), recounted.get(place)];
    if (isSameCount(was, is)) continue;
    const { key_id, model } = was ?? is ?? NOTHING;
    yield* rows(upsertDay, [account_id, day, key_id, model, ...valuesOf(DAY_COUNTS, is ?? NOTHING)]);
    const what = { account_id, key_id, model, day: dayOfPlace(day) };
    rebuilt.push({ ...what, was: describeCount(was), is: describeCount(is ?? NOTHING) });
  }
  yield* rebuildProjectDay(account_id, day);
  yield* rebuildTagDay(account_id, day);
  return rebuilt;
}

const NOTHING: DayCount = {
  key_id: "",
  model: "",
  cost_micro: ZERO,
  prompt_tokens: 0,
  completion_tokens: 0,
  ended_count: 0,
  success_count: 0,
  ...NO_UNITS,
};

const selectKeys = sql(
  `WITH running AS MATERIALIZED (SELECT account_id, key_id, hold_micro FROM requests WHERE status = 'held')
    SELECT k.id, s.open_count, s.held_micro, s.spent_window, s.spent_start_day, s.spent_micro, a.time_zone,
      (SELECT count(*) FROM running AS r WHERE r.key_id = k.id) AS open_now,
      CAST(coalesce((SELECT sum(r.hold_micro) FROM running AS r WHERE r.key_id = k.id), 0) AS BIGINT) AS held_now
    FROM keys AS k JOIN key_state AS s ON s.key_id = k.id JOIN accounts AS a ON a.id = k.account_id WHERE k.account_id = ?`,
);
const updateKey = sql("UPDATE key_state SET open_count = ?, held_micro = ?, spent_micro = ? WHERE key_id = ?");

const recountAccount = sql(
  `UPDATE account_limits SET spent_window = NULL, spent_start_day = NULL,
      open_count = (SELECT count(*) FROM requests WHERE account_id = ? AND status = 'held')
    WHERE account_id = ?`,
);

const KEY = {
  id: text,
  open_count: int,
  held_micro: amount,
  ...KEPT_SUM,
  time_zone: textOrNull,
  open_now: int,
  held_now: amount,
} as const;

function* rebuildKeys(account_id: string): Work<RebuiltCount[]> {
  yield* rows(lockAccount, [account_id]);
  const rebuilt: RebuiltCount[] = [];
  for (const key of yield* readRows(KEY, selectKeys, [account_id])) {
    const { open_now, held_now, spent_micro, spent_start_day } = key;
    const spent =
      key.spent_window === null
        ? spent_micro
        : yield* spentSince({ account_id, key_id: key.id }, key.time_zone, spent_start_day ?? 0);
    const was = describeKey(key.open_count, key.held_micro, spent_micro);
    const is = describeKey(open_now, held_now, spent);
    if (was === is) continue;
    yield* rows(updateKey, [open_now, held_now, spent, key.id]);
    rebuilt.push({ account_id, key_id: key.id, model: null, day: null, was, is });
  }
  // The counts under the account's limits; the next admission makes the sum of the window anew.
  yield* rows(recountAccount, [account_id, account_id]);
  yield* rebuildProjects(account_id);
  yield* rebuildRules(account_id);
  yield* rebuildRuleSums(account_id, (yield* readMark("requests_kept_since_ms")) ?? 0);
  return rebuilt;
}

function describeKey(open: number, held: bigint, spent: bigint): string {
  return `${open} open, ${held} held, ${spent} spent`;
}
