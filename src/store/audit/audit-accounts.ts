import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import { ZERO } from "../../core/money/money.ts";
import type { BudgetWindow } from "../../core/people/principal.ts";
import { timeZoneOf } from "../../core/time-zone.ts";
import { TOP_UP_ACTOR, TOP_UP_NOTE } from "../../ledger/books/top-up.ts";
import { dayOf, windowStart } from "../../limits/windows.ts";
import { now_ms } from "../sql/clock.ts";
import { amount, flag, int, type ReadRow, readRows, text, textOrNull } from "../sql/columns.ts";
import { KEPT_SUM, spentSince } from "../sql/spent-since.ts";
import { sql } from "../sql/statement.ts";
import { toMicro } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { AUDITED_SUM, auditKeptSum } from "./audit-kept-sum.ts";
import { auditProjects } from "./audit-projects.ts";
import { type AccountRange, auditRules } from "./audit-rules.ts";
import { finding } from "./finding.ts";

const COUNTS = { account_id: text, open_count: int, open_now: int, ...AUDITED_SUM } as const;

/** The counts under the limits of accounts, beside their open requests and their days. Few accounts have limits. */
const selectCounts = sql(
  `SELECT l.account_id, l.open_count, l.spent_window, l.spent_start_day, l.spent_micro, a.time_zone,
      (SELECT count(*) FROM requests AS r WHERE r.account_id = l.account_id AND r.status = 'held') AS open_now,
      CAST(coalesce((SELECT sum(u.cost_micro) FROM usage_days AS u
        WHERE u.account_id = l.account_id AND u.day >= l.spent_start_day), 0) AS BIGINT) AS spent_now
    FROM account_limits AS l JOIN accounts AS a ON a.id = l.account_id WHERE l.account_id BETWEEN ? AND ?`,
);

/**
 * A page of accounts as they are at one moment: balances against the newest entry, holds against open requests, keys'
 * counters, automatic top-ups. That every earlier entry leads to the newest one is the chain's check (audit-entries.ts).
 */
export interface AccountsAsked {
  /** The account before the page; empty for the first page. */
  readonly after: string;
  /** Only this account; null: all. */
  readonly account_id: string | null;
  readonly limit: number;
}

export interface AuditedAccount {
  readonly id: string;
  readonly entry_count: number;
  /** Whether rules of limits have sums of what it spent. */
  readonly has_rule_sums: boolean;
  /** False for the directory's row of an account that lives in another cell, which has the account. */
  readonly is_here: boolean;
}

export interface AccountsSlice {
  readonly accounts: readonly AuditedAccount[];
  readonly findings: readonly AuditFinding[];
}

const COLUMNS = `id, balance_micro, held_micro, posted_micro, entry_count, CASE WHEN EXISTS
  (SELECT 1 FROM limit_counts AS c WHERE c.account_id = accounts.id AND c.spent_window IS NOT NULL) THEN 1 ELSE 0 END AS has_rule_sums,
  CASE WHEN cell IS NULL THEN 1 ELSE 0 END AS is_here`;
const selectPage = sql(`SELECT ${COLUMNS} FROM accounts WHERE id > ? ORDER BY id LIMIT ?`);
const selectOne = sql(`SELECT ${COLUMNS} FROM accounts WHERE id = ?`);

const ACCOUNT = {
  id: text,
  balance_micro: amount,
  held_micro: amount,
  posted_micro: amount,
  entry_count: int,
  has_rule_sums: flag,
  is_here: flag,
} as const;
type AuditedAccountRow = ReadRow<typeof ACCOUNT>;

export function* auditAccounts({ after, account_id, limit }: AccountsAsked): Work<AccountsSlice> {
  const page =
    account_id === null
      ? yield* readRows(ACCOUNT, selectPage, [after, limit])
      : yield* readRows(ACCOUNT, selectOne, [account_id]);
  const first = page[0]?.id;
  const last = page.at(-1)?.id;
  if (first === undefined || last === undefined) return { accounts: [], findings: [] };
  const range = [first, last] as const;
  const findings = [
    ...(yield* auditBalances(page, range)),
    ...(yield* auditHolds(page, range)),
    ...(yield* auditTopUps(range)),
    ...(yield* auditAccountLimits(range)),
    ...(yield* auditProjects(range)),
    ...(yield* auditRules(range)),
  ];
  const accounts = page.map(({ id, entry_count, has_rule_sums, is_here }) => ({
    id,
    entry_count,
    has_rule_sums,
    is_here,
  }));
  return { accounts, findings };
}

const selectNewest = sql(
  `SELECT e.account_id, e.seq, e.posted_after_micro FROM accounts AS a JOIN entries AS e ON e.account_id = a.id
    AND e.seq = (SELECT max(n.seq) FROM entries AS n WHERE n.account_id = a.id) WHERE a.id BETWEEN ? AND ?`,
);

const NEWEST = { account_id: text, seq: int, posted_after_micro: amount } as const;

function* auditBalances(page: readonly AuditedAccountRow[], range: AccountRange): Work<AuditFinding[]> {
  const found = yield* readRows(NEWEST, selectNewest, range);
  const newest = new Map(found.map((entry) => [entry.account_id, entry]));
  return page.flatMap(({ id: account_id, balance_micro, held_micro, posted_micro, entry_count }) => {
    const place = { account_id };
    const entry = newest.get(account_id);
    const total = balance_micro + held_micro;
    const expected = entry?.posted_after_micro ?? ZERO;
    const findings: AuditFinding[] = [];
    if (total !== expected || posted_micro !== expected) {
      const values = { found: total === expected ? posted_micro : total, expected };
      findings.push(finding("balance", place, "balance and holds are not the sum of the entries", values));
    }
    if (entry_count !== (entry?.seq ?? 0)) {
      const values = { found: entry_count, expected: entry?.seq ?? 0 };
      findings.push(finding("balance", place, "the number of entries is not that of the newest entry", values));
    }
    return findings;
  });
}

/** Open requests are few, and have an index of their own. */
const selectOpen = sql(
  `WITH running AS MATERIALIZED (SELECT account_id, key_id, hold_micro FROM requests WHERE status = 'held')
    SELECT account_id, key_id, CAST(sum(hold_micro) AS BIGINT) AS held_micro, count(*) AS open_count
    FROM running WHERE account_id BETWEEN ? AND ? GROUP BY account_id, key_id`,
);
const selectKeys = sql(
  `SELECT k.id, k.account_id, s.open_count, s.held_micro, s.spent_window, s.spent_start_day, s.spent_micro, a.time_zone
    FROM accounts AS a JOIN keys AS k ON k.account_id = a.id JOIN key_state AS s ON s.key_id = k.id
    WHERE a.id BETWEEN ? AND ?`,
);

const OPEN = { account_id: text, key_id: text, held_micro: amount, open_count: int } as const;
const KEY = {
  id: text,
  account_id: text,
  open_count: int,
  held_micro: amount,
  ...KEPT_SUM,
  time_zone: textOrNull,
} as const;
type AuditedKeyRow = ReadRow<typeof KEY>;

function* auditHolds(page: readonly AuditedAccountRow[], range: AccountRange): Work<AuditFinding[]> {
  const open = yield* readRows(OPEN, selectOpen, range);
  const keys = yield* readRows(KEY, selectKeys, range);
  const of_account = new Map<string, bigint>();
  for (const { account_id, held_micro } of open) {
    of_account.set(account_id, (of_account.get(account_id) ?? 0n) + held_micro);
  }
  const of_key = new Map(open.map((each) => [each.key_id, each]));
  const accounts = page.flatMap(({ id, held_micro }) => {
    const expected = of_account.get(id) ?? 0n;
    if (held_micro === expected) return [];
    const values = { found: held_micro, expected };
    return [finding("hold", { account_id: id }, "held is not the sum of the open holds", values)];
  });
  return [
    ...accounts,
    ...keys.flatMap((key) => auditOpen(key, of_key.get(key.id))),
    ...(yield* auditSpent(keys, range)),
  ];
}

function auditOpen(key: AuditedKeyRow, open: ReadRow<typeof OPEN> | undefined): AuditFinding[] {
  const found = `${key.open_count} open, ${key.held_micro} held`;
  const expected = `${open?.open_count ?? 0} open, ${open?.held_micro ?? 0} held`;
  if (found === expected) return [];
  const place = { account_id: key.account_id, key_id: key.id };
  return [finding("key", place, "the key's open requests and their holds are not its requests'", { found, expected })];
}

const sumSpent = sql(
  `SELECT u.key_id,
      CAST(sum(CASE WHEN u.day >= CAST(? AS BIGINT) THEN u.cost_micro ELSE 0 END) AS BIGINT) AS day,
      CAST(sum(CASE WHEN u.day >= CAST(? AS BIGINT) THEN u.cost_micro ELSE 0 END) AS BIGINT) AS week,
      CAST(sum(CASE WHEN u.day >= CAST(? AS BIGINT) THEN u.cost_micro ELSE 0 END) AS BIGINT) AS month,
      CAST(sum(u.cost_micro) AS BIGINT) AS once
    FROM accounts AS a JOIN usage_days AS u ON u.account_id = a.id AND u.day >= ?
    WHERE a.id BETWEEN ? AND ? GROUP BY u.key_id`,
);

type SpentRow = { readonly key_id: string } & Readonly<Record<BudgetWindow, unknown>>;

/** The kept sum of a window that is over means nothing (ledger/books/window-spending.ts). */
function* auditSpent(keys: readonly AuditedKeyRow[], range: AccountRange): Work<AuditFinding[]> {
  const now = yield* now_ms();
  const today = dayOf(now);
  const starts = { day: today, week: windowStart("week", today), month: windowStart("month", today), once: 0 };
  const current = keys.flatMap((key) => {
    const { spent_window: window, time_zone } = key;
    if (window === null) return [];
    const start_day = time_zone === null ? starts[window] : windowStart(window, timeZoneOf(time_zone).dayAt(now));
    return key.spent_start_day === start_day ? [{ key, window, start_day }] : [];
  });
  if (current.length === 0) return [];
  const of_zones = new Map<string, bigint>();
  for (const { key, start_day } of current)
    if (key.time_zone !== null)
      of_zones.set(key.id, yield* spentSince({ account_id: key.account_id, key_id: key.id }, key.time_zone, start_day));
  const first = Math.min(...current.map(({ window }) => starts[window]));
  const sums = yield* rows<SpentRow>(sumSpent, [starts.day, starts.week, starts.month, first, ...range]);
  const of_key = new Map(sums.map((sum) => [sum.key_id, sum]));
  return current.flatMap(({ key, window }) => {
    const expected = of_zones.get(key.id) ?? toMicro(of_key.get(key.id)?.[window] ?? 0);
    const found = key.spent_micro;
    if (found === expected) return [];
    const problem = `what the key has spent this ${window} is not what its days add up to`;
    return [finding("key", { account_id: key.account_id, key_id: key.id }, problem, { found, expected })];
  });
}

const selectTopUps = sql(
  `SELECT t.account_id, t.month_used_micro, CAST(coalesce((SELECT sum(e.amount_micro) FROM entries AS e
      WHERE e.account_id = t.account_id AND e.kind = 'credit' AND e.kind <> 'charge' AND e.actor = '${TOP_UP_ACTOR}'
        AND e.note = '${TOP_UP_NOTE}' AND e.created_ms >= t.month_start_day * 86400000), 0) AS BIGINT) AS credited_micro
    FROM auto_top_ups AS t WHERE t.account_id BETWEEN ? AND ?`,
);

const TOP_UP = { account_id: text, month_used_micro: amount, credited_micro: amount } as const;

function* auditTopUps(range: AccountRange): Work<AuditFinding[]> {
  const found = yield* readRows(TOP_UP, selectTopUps, range);
  return found.flatMap(({ account_id, month_used_micro, credited_micro }) => {
    const values = { found: month_used_micro, expected: credited_micro };
    if (values.found === values.expected) return [];
    return [finding("top-up", { account_id }, "the month's automatic top-ups are not those of the entries", values)];
  });
}

function* auditAccountLimits(range: AccountRange): Work<AuditFinding[]> {
  const found = yield* readRows(COUNTS, selectCounts, range);
  const now = yield* now_ms();
  const findings: AuditFinding[] = [];
  for (const { account_id, open_count, open_now, ...kept } of found) {
    const values = { found: open_count, expected: open_now };
    if (open_count !== open_now)
      findings.push(finding("key", { account_id }, "the account's open requests are not its requests'", values));
    findings.push(...(yield* auditKeptSum("the account", { account_id }, kept, now)));
  }
  return findings;
}
