import type { AccountSums, AccountUse, LimitCounts } from "../../core/ledger/account-sums.ts";
import { dayOf, windowStart } from "../../limits/windows.ts";
import { now_ms } from "../sql/clock.ts";
import { amount, int, type RawRow, readFirst, readRow, text } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import { toIntOrNull, toMicro } from "../sql/values.ts";
import { row, step, together, type Work } from "../sql/work.ts";
import { LIMITED_ACCOUNT, LIMITED_KEY } from "./own-settings.ts";

const SUMS = { accounts: int, disabled: int, balance_micro: amount, held_micro: amount } as const;
const selectSums = sql(
  `SELECT count(*) AS accounts, coalesce(sum(CASE status WHEN 'disabled' THEN 1 ELSE 0 END), 0) AS disabled,
    CAST(coalesce(sum(balance_micro), 0) AS BIGINT) AS balance_micro, CAST(coalesce(sum(held_micro), 0) AS BIGINT) AS held_micro
    FROM accounts WHERE cell IS NULL`,
);
/** Reads a few rows for each route and day, however many accounts and requests there are. */
const selectSpent = sql(
  "SELECT CAST(coalesce(sum(charge_micro), 0) AS BIGINT) AS month_micro FROM traffic_days WHERE day >= ?",
);
const selectCounted = sql("SELECT counted_ms FROM traffic_state WHERE one = 1");

export function* sumAccounts(): Work<AccountSums> {
  const month = windowStart("month", dayOf(yield* now_ms()));
  const sums = yield* readFirst(SUMS, selectSums);
  const spent = yield* row<{ readonly month_micro: unknown }>(selectSpent, [month]);
  const counted = yield* row<{ readonly counted_ms: unknown }>(selectCounted);
  if (sums === null) throw new Error("sums without a group have a row");
  return { ...sums, month_micro: toMicro(spent?.month_micro), counted_ms: toIntOrNull(counted?.counted_ms) };
}

/** Reads an account's usage of this month and its keys along the account's indices. */
const selectUse = sql(
  `SELECT a.id AS account_id, CAST(coalesce((SELECT sum(u.cost_micro) FROM usage_days AS u WHERE u.account_id = a.id AND u.day >= ?), 0)
      AS BIGINT) AS month_micro,
    (SELECT count(*) FROM keys AS k WHERE k.account_id = a.id AND k.status = 'active' AND k.deleted_ms IS NULL
      AND k.playground_user IS NULL) AS active_keys
    FROM accounts AS a WHERE a.id = ?`,
);

const USE = { account_id: text, month_micro: amount, active_keys: int } as const;

export function* accountUses(account_ids: readonly string[]): Work<AccountUse[]> {
  const asked = [...new Set(account_ids)];
  if (asked.length === 0) return [];
  const month = windowStart("month", dayOf(yield* now_ms()));
  const found = yield* together(...asked.map((id) => step<RawRow<typeof USE>>(selectUse, [month, id])));
  return found.flat().map((each) => readRow(USE, each));
}

const countKeys = sql(
  `SELECT count(*) AS found, coalesce(sum(CASE WHEN ${LIMITED_KEY} THEN 1 ELSE 0 END), 0) AS limited
    FROM keys AS k WHERE k.deleted_ms IS NULL`,
);
const countAccounts = sql(
  `SELECT count(*) AS found, coalesce(sum(CASE WHEN ${LIMITED_ACCOUNT} THEN 1 ELSE 0 END), 0) AS limited
    FROM accounts AS a WHERE a.cell IS NULL`,
);

const COUNTED = { found: int, limited: int } as const;

export function* countLimits(): Work<LimitCounts> {
  const keys = yield* readFirst(COUNTED, countKeys);
  const accounts = yield* readFirst(COUNTED, countAccounts);
  return {
    ...{ keys: keys?.found ?? 0, limited_keys: keys?.limited ?? 0 },
    ...{ accounts: accounts?.found ?? 0, limited_accounts: accounts?.limited ?? 0 },
  };
}
