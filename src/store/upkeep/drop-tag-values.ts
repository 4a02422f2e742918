import type { UnneededValues } from "../../core/operations/upkeep.ts";
import { now_ms } from "../sql/clock.ts";
import { int, type ReadRow, readRows, text } from "../sql/columns.ts";
import { sql, sqlFor } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

/** Rows of values of limits by tag that nobody needs any more (docs/rulings.md 176). They are found by a reader, and deleted in small steps. */

const AT_ONCE = 500;
const MS_PER_HOUR = 3_600_000;
/** How many hours after a value's last request its window has ended in every time zone. A charge may come up to an hour after the request. */
const OVER_AFTER_HOURS = { day: 2 * 24 + 2, week: 8 * 24 + 2, month: 32 * 24 + 2 } as const;

/** No request is open, and the value has nothing of its own. */
const IDLE = "value <> '' AND open_count = 0 AND held_micro = 0 AND own_limits IS NULL";
const selectOver = sql(
  `SELECT account_id, rule, value, used_ms FROM limit_counts
    WHERE ${IDLE} AND used_ms < CASE spent_window WHEN 'day' THEN ? WHEN 'week' THEN ? WHEN 'month' THEN ? WHEN 'once' THEN 0 ELSE ? END
    ORDER BY account_id, rule, value LIMIT ${AT_ONCE}`,
);
const selectFull = sql(
  "SELECT account_id, rule, count(*) AS count FROM limit_counts WHERE value <> '' GROUP BY account_id, rule HAVING count(*) > ? LIMIT 1",
);
const selectOldest = sql(
  `SELECT account_id, rule, value, used_ms FROM limit_counts WHERE account_id = ? AND rule = ? AND ${IDLE} ORDER BY used_ms, value LIMIT ?`,
);

const FOUND = { account_id: text, rule: text, value: text, used_ms: int } as const;

export function* unneededTagValues(most: number): Work<UnneededValues | null> {
  const at_ms = yield* now_ms();
  const { day, week, month } = OVER_AFTER_HOURS;
  const params = [day, week, month, 1].map((hours) => at_ms - hours * MS_PER_HOUR);
  const over = ofOne(yield* readRows(FOUND, selectOver, params));
  if (over !== null) return over;
  const full = yield* row<{ account_id: string; rule: string; count: unknown }>(selectFull, [most]);
  if (full === null) return null;
  const beyond = Math.min(toInt(full.count) - most, 10 * AT_ONCE);
  return ofOne(yield* readRows(FOUND, selectOldest, [full.account_id, full.rule, beyond]));
}

/** Those of the first rule. */
function ofOne(found: readonly ReadRow<typeof FOUND>[]): UnneededValues | null {
  const [first] = found;
  if (first === undefined) return null;
  const { account_id, rule } = first;
  const its = found.filter((each) => each.account_id === account_id && each.rule === rule);
  const used_until_ms = Math.max(...its.map(({ used_ms }) => used_ms));
  return { account_id, rule, values: its.map(({ value }) => value), used_until_ms };
}

const lockAccount = sql("SELECT id FROM accounts WHERE id = ? {lock}");
const DROP = `DELETE FROM limit_counts WHERE account_id = ? AND rule = ? AND used_ms <= ? AND ${IDLE} AND value IN`;
const drop = sqlFor({
  sqlite: `${DROP} (SELECT value FROM json_each(?)) RETURNING value`,
  postgres: `${DROP} (SELECT jsonb_array_elements_text(?::text::jsonb)) RETURNING value`,
});

export function* dropTagValues({ account_id, rule, values, used_until_ms }: UnneededValues): Work<number> {
  yield* rows(lockAccount, [account_id]);
  return (yield* rows(drop, [account_id, rule, used_until_ms, JSON.stringify(values)])).length;
}
