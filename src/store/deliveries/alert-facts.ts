import { MS_PER_DAY } from "../../core/clock.ts";
import type { AlertFacts, BalanceFact, BudgetFact, KeyFact } from "../../core/deliveries/alerts.ts";
import type { BudgetWindow } from "../../core/people/principal.ts";
import { timeZoneOf } from "../../core/time-zone.ts";
import { renewalOf, windowStart } from "../../limits/windows.ts";
import { type RaiseRow, runningRaise } from "../accounts/raises.ts";
import { now_ms } from "../sql/clock.ts";
import { type Statement, sql, sqlFor } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { gatewayFacts } from "./gateway-facts.ts";

/** More alerts of a kind than these are told of in sums anyway. */
const MOST = 1000;
const KEY_DAYS_MS = 7 * MS_PER_DAY;

/** A statement about all accounts, and about a list of them. `$` stands for the condition on a column with an account's id. */
function ofAccounts(text: (condition: string) => string, column: string): { all: Statement; some: Statement } {
  const given = {
    sqlite: "SELECT value FROM json_each(?)",
    postgres: "SELECT jsonb_array_elements_text(?::text::jsonb)",
  };
  const some = (list: string): string => text(`AND ${column} IN (${list})`);
  return { all: sql(text("")), some: sqlFor({ sqlite: some(given.sqlite), postgres: some(given.postgres) }) };
}

function* ask<Row>(
  statements: { all: Statement; some: Statement },
  params: (number | string)[],
  accounts: readonly string[] | null,
) {
  if (accounts === null) return yield* rows<Row>(statements.all, params);
  return yield* rows<Row>(statements.some, [...params, JSON.stringify(accounts)]);
}

const selectSpent = ofAccounts(
  (condition) => `SELECT account_id,
      CAST(sum(CASE WHEN day = ? THEN cost_micro ELSE 0 END) AS BIGINT) AS today,
      CAST(sum(CASE WHEN day = ? THEN cost_micro ELSE 0 END) AS BIGINT) AS yesterday,
      CAST(sum(CASE WHEN day < ? THEN cost_micro ELSE 0 END) AS BIGINT) AS week,
      count(DISTINCT CASE WHEN day < ? AND cost_micro > 0 THEN day END) AS days
    FROM usage_days WHERE day >= ? ${condition} GROUP BY account_id`,
  "account_id",
);
// Whoever never had credit is not told that it is used up.
const selectBalances = ofAccounts(
  (condition) => `SELECT id, email, name, balance_micro, held_micro FROM accounts
    WHERE status = 'active' AND entry_count > 0 ${condition} ORDER BY balance_micro, id LIMIT ${MOST * 10}`,
  "id",
);

interface SpentRow {
  readonly account_id: string;
  readonly today: unknown;
  readonly yesterday: unknown;
  readonly week: unknown;
  readonly days: unknown;
}

interface BalanceRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly balance_micro: unknown;
  readonly held_micro: unknown;
}

function* balances(accounts: readonly string[] | null, now: number): Work<BalanceFact[]> {
  const today = Math.floor(now / MS_PER_DAY);
  const spent = yield* ask<SpentRow>(selectSpent, [today, today - 1, today, today, today - 7], accounts);
  const of = new Map(spent.map((each) => [each.account_id, each]));
  const found = yield* ask<BalanceRow>(selectBalances, [], accounts);
  return found.map(({ id, email, name, balance_micro, held_micro }) => {
    const usage = of.get(id);
    return {
      ...{ account_id: id, name: name || email },
      ...{ balance_micro: toMicro(balance_micro), held_micro: toMicro(held_micro) },
      today_micro: usage === undefined ? 0n : toMicro(usage.today),
      yesterday_micro: usage === undefined ? 0n : toMicro(usage.yesterday),
      week_micro: usage === undefined ? 0n : toMicro(usage.week),
      week_days: usage === undefined ? 0 : toInt(usage.days),
    };
  });
}

const RAISES = "h.raise_micro, h.raise_until_ms, h.raise_by";
const BUDGET = `h.budget_micro, h.budget_window, h.budget_once, ${RAISES}`;
const ACCOUNT = "a.id AS account_id, a.email, a.name AS account_name, a.time_zone";
const SPENT = "s.spent_window, s.spent_start_day, s.spent_micro";
const HOLDERS = {
  key: ofAccounts(
    (condition) => `SELECT ${ACCOUNT}, h.id AS holder_id, h.name AS holder_name, ${BUDGET}, ${SPENT}
      FROM keys AS h JOIN key_state AS s ON s.key_id = h.id JOIN accounts AS a ON a.id = h.account_id
      WHERE h.budget_micro IS NOT NULL AND h.status = 'active' AND s.spent_micro * 2 >= h.budget_micro ${condition} ORDER BY h.id LIMIT ${MOST}`,
    "h.account_id",
  ),
  project: ofAccounts(
    (
      condition,
    ) => `SELECT ${ACCOUNT}, h.id AS holder_id, h.name AS holder_name, ${BUDGET}, ${SPENT.replaceAll("s.", "h.")}
      FROM projects AS h JOIN accounts AS a ON a.id = h.account_id
      WHERE h.budget_micro IS NOT NULL AND h.deleted_ms IS NULL AND h.spent_micro * 2 >= h.budget_micro ${condition} ORDER BY h.id LIMIT ${MOST}`,
    "h.account_id",
  ),
  account: ofAccounts(
    (
      condition,
    ) => `SELECT ${ACCOUNT}, a.id AS holder_id, a.name AS holder_name, ${BUDGET}, ${SPENT.replaceAll("s.", "h.")}
      FROM account_limits AS h JOIN accounts AS a ON a.id = h.account_id
      WHERE h.budget_micro IS NOT NULL AND a.status = 'active' AND h.spent_micro * 2 >= h.budget_micro ${condition} ORDER BY a.id LIMIT ${MOST}`,
    "h.account_id",
  ),
};

interface BudgetRow extends RaiseRow {
  readonly account_id: string;
  readonly email: string;
  readonly account_name: string;
  readonly time_zone: string | null;
  readonly holder_id: string;
  readonly holder_name: string;
  readonly budget_micro: unknown;
  readonly budget_window: Exclude<BudgetWindow, "once">;
  readonly budget_once: unknown;
  readonly spent_window: string | null;
  readonly spent_start_day: unknown;
  readonly spent_micro: unknown;
}

function* budgets(accounts: readonly string[] | null, now: number): Work<BudgetFact[]> {
  const found: BudgetFact[] = [];
  for (const holder of ["account", "project", "key"] as const) {
    for (const each of yield* ask<BudgetRow>(HOLDERS[holder], [], accounts)) {
      const window: BudgetWindow = toInt(each.budget_once) === 1 ? "once" : each.budget_window;
      const zone = timeZoneOf(each.time_zone);
      // What is kept is of the last window in which something was charged: of an earlier one nothing counts any more.
      if (each.spent_start_day === null || toInt(each.spent_start_day) !== windowStart(window, zone.dayAt(now)))
        continue;
      found.push({
        ...{ account_id: each.account_id, account_name: each.account_name || each.email },
        ...{ holder, holder_id: each.holder_id, holder_name: each.holder_name, window },
        budget_micro: toMicro(each.budget_micro) + (runningRaise(each, now)?.amount_micro ?? 0n),
        spent_micro: toMicro(each.spent_micro),
        renews: renewalOf(window, zone, now),
      });
    }
  }
  return found;
}

const selectKeys = ofAccounts(
  (condition) => `SELECT k.id AS key_id, k.name, k.expires_ms, a.id AS account_id, a.email, a.name AS account_name
    FROM keys AS k JOIN accounts AS a ON a.id = k.account_id
    WHERE k.expires_ms > ? AND k.expires_ms <= ? AND k.status = 'active' AND k.playground_user IS NULL ${condition} ORDER BY k.id LIMIT ${MOST}`,
  "k.account_id",
);

interface KeyRow extends Omit<KeyFact, "expires_ms"> {
  readonly email: string;
  readonly expires_ms: unknown;
}

function* keys(accounts: readonly string[] | null, now: number): Work<KeyFact[]> {
  const found = yield* ask<KeyRow>(selectKeys, [now, now + KEY_DAYS_MS], accounts);
  return found.map(({ email, account_name, expires_ms, ...key }) => ({
    ...key,
    account_name: account_name || email,
    expires_ms: toInt(expires_ms),
  }));
}

/** What alerts are found from: of some accounts, or of all (null) and the gateway. */
export function* readAlertFacts(accounts: readonly string[] | null): Work<AlertFacts> {
  const now = yield* now_ms();
  return {
    now_ms: now,
    balances: yield* balances(accounts, now),
    budgets: yield* budgets(accounts, now),
    keys: yield* keys(accounts, now),
    gateway: accounts === null ? yield* gatewayFacts(now) : null,
  };
}
