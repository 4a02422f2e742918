import type { AccountSums, AccountUse } from "../../core/ledger/account-sums.ts";
import { dayOf, windowStart } from "../../limits/windows.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { toInt, toIntOrNull, toMicro } from "../sql/values.ts";
import { row, step, together, type Work } from "../sql/work.ts";

const selectSums = sql(
  `SELECT count(*) AS accounts, coalesce(sum(CASE status WHEN 'disabled' THEN 1 ELSE 0 END), 0) AS disabled,
    CAST(coalesce(sum(balance_micro), 0) AS BIGINT) AS balance_micro, CAST(coalesce(sum(held_micro), 0) AS BIGINT) AS held_micro
    FROM accounts`,
);
/** Reads a few rows for each route and day, however many accounts and requests there are. */
const selectSpent = sql(
  "SELECT CAST(coalesce(sum(charge_micro), 0) AS BIGINT) AS month_micro FROM traffic_days WHERE day >= ?",
);
const selectCounted = sql("SELECT counted_ms FROM traffic_state WHERE one = 1");

export function* sumAccounts(): Work<AccountSums> {
  const month = windowStart("month", dayOf(yield* now_ms()));
  const found =
    yield* row<Readonly<Record<"accounts" | "disabled" | "balance_micro" | "held_micro", unknown>>>(selectSums);
  const spent = yield* row<{ readonly month_micro: unknown }>(selectSpent, [month]);
  const counted = yield* row<{ readonly counted_ms: unknown }>(selectCounted);
  return {
    accounts: toInt(found?.accounts),
    disabled: toInt(found?.disabled),
    balance_micro: toMicro(found?.balance_micro),
    held_micro: toMicro(found?.held_micro),
    month_micro: toMicro(spent?.month_micro),
    counted_ms: toIntOrNull(counted?.counted_ms),
  };
}

/** Reads an account's usage of this month and its keys along the account's indices. */
const selectUse = sql(
  `SELECT a.id, CAST(coalesce((SELECT sum(u.cost_micro) FROM usage_days AS u WHERE u.account_id = a.id AND u.day >= ?), 0)
      AS BIGINT) AS month_micro,
    (SELECT count(*) FROM keys AS k WHERE k.account_id = a.id AND k.status = 'active' AND k.deleted_ms IS NULL
      AND k.playground_user IS NULL) AS active_keys
    FROM accounts AS a WHERE a.id = ?`,
);

interface UseRow {
  readonly id: string;
  readonly month_micro: unknown;
  readonly active_keys: unknown;
}

export function* accountUses(account_ids: readonly string[]): Work<AccountUse[]> {
  const asked = [...new Set(account_ids)];
  if (asked.length === 0) return [];
  const month = windowStart("month", dayOf(yield* now_ms()));
  const found = yield* together(...asked.map((id) => step<UseRow>(selectUse, [month, id])));
  return found.flat().map(({ id, month_micro, active_keys }) => ({
    account_id: id,
    month_micro: toMicro(month_micro),
    active_keys: toInt(active_keys),
  }));
}
