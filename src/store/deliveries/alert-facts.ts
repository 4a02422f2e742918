import { MS_PER_DAY } from "../../core/clock.ts";
import type {
  AlertFacts,
  BalanceFact,
  BudgetFact,
  GatewayFacts,
  KeyFact,
  OpenAlert,
  VendorPace,
} from "../../core/deliveries/alerts.ts";
import { ZERO } from "../../core/money/money.ts";
import type { BudgetWindow } from "../../core/people/principal.ts";
import { timeZoneOf } from "../../core/time-zone.ts";
import { renewalOf, windowStart } from "../../limits/windows.ts";
import { statementOf } from "../accounts/conditions.ts";
import { RAISE, runningRaise } from "../accounts/raises.ts";
import { now_ms } from "../sql/clock.ts";
import {
  amount,
  amountOrNull,
  type ColumnKind,
  int,
  intOrNull,
  type ReadRow,
  readRows,
  text,
  textOrNull,
  word,
} from "../sql/columns.ts";
import { type Statement, sql, sqlFor } from "../sql/statement.ts";
import { toInt, toIntOrNull, toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { SLOT_MS } from "../traffic/vendor-slots.ts";

/** More alerts of a kind than these are told of in sums anyway. */
const MOST = 1000;
const KEY_DAYS_MS = 7 * MS_PER_DAY;

interface Which {
  /** The column with an account's id. */
  readonly account: string;
  /** The column with the id of what is told of. */
  readonly id: string;
  /** The condition under which it is told. */
  readonly told: string;
}

/** One select over all accounts, one over a list of accounts, and one over a list of ids, whether or not the condition holds for them. */
type Statements = Readonly<Record<"all" | "some" | "named", Statement>>;

function ofAccounts(text: (condition: string) => string, { account, id, told }: Which): Statements {
  return {
    all: sql(text(told)),
    some: statementOf(text(`${told} AND ${account} IN ({list})`)),
    named: statementOf(text(`${id} IN ({list})`)),
  };
}

type FactKinds = Readonly<Record<string, Pick<ColumnKind<unknown>, "read">>>;

function* ask<Of extends FactKinds>(
  kinds: Of,
  statements: Statements,
  params: (number | string)[],
  accounts: readonly string[] | null,
) {
  if (accounts === null) return yield* readRows(kinds, statements.all, params);
  return yield* readRows(kinds, statements.some, [...params, JSON.stringify(accounts)]);
}

/** The rows of `open` alerts that were not found, as the condition does not hold any more. */
function* others<Of extends FactKinds>(
  kinds: Of,
  statements: Statements,
  open: readonly string[],
  found: readonly string[],
): Work<ReadRow<Of>[]> {
  const known = new Set(found);
  const named = open.filter((id) => !known.has(id));
  return named.length === 0 ? [] : yield* readRows(kinds, statements.named, [JSON.stringify(named)]);
}

const SPENT = { account_id: text, today: amount, yesterday: amount, week: amount, days: int } as const;
const selectSpent = ofAccounts(
  (condition) => `SELECT account_id,
      CAST(sum(CASE WHEN day = ? THEN cost_micro ELSE 0 END) AS BIGINT) AS today,
      CAST(sum(CASE WHEN day = ? THEN cost_micro ELSE 0 END) AS BIGINT) AS yesterday,
      CAST(sum(CASE WHEN day < ? THEN cost_micro ELSE 0 END) AS BIGINT) AS week,
      count(DISTINCT CASE WHEN day < ? AND cost_micro > 0 THEN day END) AS days
    FROM usage_days WHERE day >= ? AND ${condition} GROUP BY account_id`,
  { account: "account_id", id: "account_id", told: "1 = 1" },
);
// An account that never had credit is not told that it is used up.
const selectBalances = ofAccounts(
  (condition) => `SELECT id, email, name, balance_micro, held_micro FROM accounts
    WHERE ${condition} AND status = 'active' AND entry_count > 0 ORDER BY balance_micro, id LIMIT ${MOST * 10}`,
  { account: "id", id: "id", told: "1 = 1" },
);

const BALANCE = { id: text, email: text, name: text, balance_micro: amount, held_micro: amount } as const;

function* balances(accounts: readonly string[] | null, now: number, open: readonly string[]): Work<BalanceFact[]> {
  const today = Math.floor(now / MS_PER_DAY);
  const spent = yield* ask(SPENT, selectSpent, [today, today - 1, today, today, today - 7], accounts);
  const of = new Map(spent.map((each) => [each.account_id, each]));
  const found = yield* ask(BALANCE, selectBalances, [], accounts);
  const ids = found.map(({ id }) => id);
  const more = yield* others(BALANCE, selectBalances, open, ids);
  return [...found, ...more].map(({ id, email, name, balance_micro, held_micro }) => {
    const { today = ZERO, yesterday = ZERO, week = ZERO, days = 0 } = of.get(id) ?? {};
    const usage = { today_micro: today, yesterday_micro: yesterday, week_micro: week, week_days: days };
    return { account_id: id, name: name || email, balance_micro, held_micro, ...usage };
  });
}

const RAISES = "h.raise_micro, h.raise_until_ms, h.raise_by";
const BUDGET = `h.budget_micro, h.budget_window, h.budget_once, ${RAISES}`;
const ACCOUNT = "a.id AS account_id, a.email, a.name AS account_name, a.time_zone";
const WINDOW = "s.spent_window, s.spent_start_day, s.spent_micro";
/** A holder's budgets: of its rows `h`, joined by `from`, with what it has spent in columns of `spent`. */
function holdersOf(from: string, { name, spent, is }: { name: string; spent: string; is: string }): Statements {
  const columns = `${ACCOUNT}, ${name}.id AS holder_id, ${name}.name AS holder_name, ${BUDGET}, ${WINDOW.replaceAll("s.", spent)}`;
  return ofAccounts(
    (condition) => `SELECT ${columns} FROM ${from}
      WHERE ${condition} AND h.budget_micro IS NOT NULL AND ${is} ORDER BY ${name}.id LIMIT ${MOST}`,
    { account: "h.account_id", id: `${name}.id`, told: `${spent}spent_micro * 2 >= h.budget_micro` },
  );
}
const JOINED = "JOIN accounts AS a ON a.id = h.account_id";
const HOLDERS = {
  key: holdersOf(`keys AS h JOIN key_state AS s ON s.key_id = h.id ${JOINED}`, {
    ...{ name: "h", spent: "s.", is: "h.status = 'active'" },
  }),
  project: holdersOf(`projects AS h ${JOINED}`, { name: "h", spent: "h.", is: "h.deleted_ms IS NULL" }),
  account: holdersOf(`account_limits AS h ${JOINED}`, { name: "a", spent: "h.", is: "a.status = 'active'" }),
};

const FACT = {
  account_id: text,
  email: text,
  account_name: text,
  time_zone: textOrNull,
  holder_id: text,
  holder_name: text,
  budget_micro: amount,
  budget_window: word<Exclude<BudgetWindow, "once">>(),
  budget_once: int,
  spent_start_day: intOrNull,
  spent_micro: amountOrNull,
  ...RAISE,
} as const;

function* budgets(accounts: readonly string[] | null, now: number, open: readonly string[]): Work<BudgetFact[]> {
  const found: BudgetFact[] = [];
  for (const holder of ["account", "project", "key"] as const) {
    const reached = yield* ask(FACT, HOLDERS[holder], [], accounts);
    const begun = open.flatMap((subject) =>
      subject.startsWith(`${holder} `) ? [subject.slice(holder.length + 1)] : [],
    );
    const ids = reached.map(({ holder_id }) => holder_id);
    for (const each of [...reached, ...(yield* others(FACT, HOLDERS[holder], begun, ids))]) {
      const window: BudgetWindow = each.budget_once === 1 ? "once" : each.budget_window;
      const zone = timeZoneOf(each.time_zone);
      // The kept sum is of the last window in which something was charged, and counts if that window still runs.
      const counts = each.spent_start_day === windowStart(window, zone.dayAt(now));
      found.push({
        ...{ account_id: each.account_id, account_name: each.account_name || each.email },
        ...{ holder, holder_id: each.holder_id, holder_name: each.holder_name, window },
        budget_micro: each.budget_micro + (runningRaise(each, now)?.amount_micro ?? 0n),
        spent_micro: counts ? (each.spent_micro ?? ZERO) : ZERO,
        renews: renewalOf(window, zone, now),
      });
    }
  }
  return found;
}

const selectKeys = ofAccounts(
  (
    condition,
  ) => `SELECT k.id AS key_id, k.name, k.expires_ms, k.status, a.id AS account_id, a.email, a.name AS account_name
    FROM keys AS k JOIN accounts AS a ON a.id = k.account_id
    WHERE ${condition} AND k.playground_user IS NULL ORDER BY k.id LIMIT ${MOST}`,
  {
    ...{ account: "k.account_id", id: "k.id" },
    told: "k.expires_ms > ? AND k.expires_ms <= ? AND k.status = 'active'",
  },
);

const KEY = {
  ...{ account_id: text, account_name: text, email: text, key_id: text, name: text },
  ...{ expires_ms: intOrNull, status: word<KeyFact["status"]>() },
} as const;

function* keys(accounts: readonly string[] | null, now: number, open: readonly string[]): Work<KeyFact[]> {
  const found = yield* ask(KEY, selectKeys, [now, now + KEY_DAYS_MS], accounts);
  const ids = found.map(({ key_id }) => key_id);
  return [...found, ...(yield* others(KEY, selectKeys, open, ids))].map(({ email, account_name, ...key }) => ({
    ...key,
    account_name: account_name || email,
  }));
}

/** The facts of some accounts, or of all (null) and of the gateway, from which alerts are found; and those of `open` alerts, whether or not they still hold. */
export function* readAlertFacts(accounts: readonly string[] | null, open: readonly OpenAlert[]): Work<AlertFacts> {
  const now = yield* now_ms();
  const begun = (...types: string[]): string[] => [
    ...new Set(open.flatMap(({ type, subject }) => (types.includes(type) ? [subject] : []))),
  ];
  return {
    now_ms: now,
    balances: yield* balances(accounts, now, begun("balance.low", "balance.empty", "spend.unusual")),
    budgets: yield* budgets(accounts, now, begun("budget.reached")),
    keys: yield* keys(accounts, now, begun("key.expiring")),
    gateway: accounts === null ? yield* gatewayFacts(now, open) : null,
  };
}

/** A circuit that nobody closed is that of a process that has ended. */
const CIRCUIT_MS = 3_600_000;
/** The least calls of a slot that tell how fast a route is. */
const PACE_LEAST_CALLS = 10;
/** A faster route makes no alert, so the day before is read for slower ones alone. */
const PACE_LEAST_MS = 2000;
/** The slot that has begun has few calls at first, and those of the last minutes may be counted late. */
const PACE_NOW_SLOTS = 3;
const SLOTS_PER_DAY = MS_PER_DAY / SLOT_MS;

const selectVendors = sql(
  `SELECT vendor, CAST(sum(calls) AS BIGINT) AS calls, CAST(sum(CASE WHEN error = '' THEN 0 ELSE calls END) AS BIGINT) AS failures
    FROM vendor_slots WHERE slot = ? GROUP BY vendor`,
);
const selectCircuits = sql(
  `SELECT node_id, vendor, upstream_model, state, reason FROM circuit_changes WHERE at_ms >= ? AND account_id IS NULL ORDER BY at_ms, no`,
);
const selectIncidents = sql("SELECT seq, kind, detail FROM incidents WHERE closed_ms IS NULL ORDER BY seq LIMIT 100");
const selectAudit = sql("SELECT result FROM chores WHERE name = 'audit'");
/** Backups of PostgreSQL are its operator's own, and the gateway does not know of them. */
const selectBackUp = sqlFor({
  sqlite: "SELECT 1 AS is_known, (SELECT value FROM marks WHERE name = 'backed_up_ms') AS at_ms",
  postgres: "SELECT 0 AS is_known, NULL::bigint AS at_ms",
});
const selectLoss = sql(
  "SELECT CAST(coalesce(sum(loss_micro), 0) AS BIGINT) AS loss_micro FROM traffic_hours WHERE hour >= ?",
);

const CALLS = { vendor: text, calls: int, failures: int } as const;

const selectPaces = sql(
  `SELECT vendor, upstream_model, slot, first_ms / first_count AS mean_ms FROM vendor_slots
    WHERE slot > ? AND error = '' AND first_count >= ? ORDER BY vendor, upstream_model, slot DESC`,
);
const selectDay = sql(
  `SELECT first_ms / first_count AS mean_ms FROM vendor_slots
    WHERE slot >= ? AND slot < ? AND vendor = ? AND upstream_model = ? AND error = '' AND first_count > 0`,
);

const PACE = { vendor: text, upstream_model: text, slot: int, mean_ms: int } as const;
const MEAN = { mean_ms: int } as const;

/** The routes that are slow now, and those whose alert was begun. Most of the time there is none, and the day is not read. */
function* paces(slot: number, begun: ReadonlySet<string>): Work<VendorPace[]> {
  const recent = yield* readRows(PACE, selectPaces, [slot - PACE_NOW_SLOTS, PACE_LEAST_CALLS]);
  const found: VendorPace[] = [];
  for (const slots of Map.groupBy(recent, ({ vendor, upstream_model }) => `${vendor} ${upstream_model}`).values()) {
    const [newest, second = newest] = slots;
    if (newest === undefined || second === undefined) continue;
    const { vendor, upstream_model: model } = newest;
    const now_ms = slots.slice(0, 2).map(({ mean_ms }) => mean_ms);
    const is_slow = now_ms.length === 2 && now_ms.every((each) => each >= PACE_LEAST_MS);
    if (!is_slow && !begun.has(`${vendor} ${model}`)) continue;
    const until = second.slot;
    const day = yield* readRows(MEAN, selectDay, [until - SLOTS_PER_DAY, until, vendor, model]);
    found.push({ vendor, model, now_ms, before_ms: day.map(({ mean_ms }) => mean_ms) });
  }
  return found;
}

function* gatewayFacts(now: number, open: readonly OpenAlert[]): Work<GatewayFacts> {
  const slot = Math.floor(now / SLOT_MS);
  const begun = new Set(open.flatMap(({ type, subject }) => (type === "vendor.failing" ? [subject] : [])));
  // A vendor whose alert was begun may have no call any more. One with a model is a route that was slow.
  const silent = [...begun].filter((subject) => !subject.includes(" "));
  const vendors = new Map<string, { vendor: string; calls: number; failures: number }>(
    silent.map((vendor) => [vendor, { vendor, calls: 0, failures: 0 }]),
  );
  // The slot that has begun or the one before it, whichever has more failures.
  for (const each of [slot - 1, slot]) {
    for (const counted of yield* readRows(CALLS, selectVendors, [each]))
      if (counted.failures >= (vendors.get(counted.vendor)?.failures ?? 0)) vendors.set(counted.vendor, counted);
  }
  const circuits = new Map<string, { vendor: string; model: string; reason: string }>();
  type Change = Readonly<Record<"node_id" | "vendor" | "upstream_model" | "state" | "reason", string>>;
  for (const change of yield* rows<Change>(selectCircuits, [now - CIRCUIT_MS])) {
    const { node_id, vendor, upstream_model: model, state, reason } = change;
    if (state === "opened") circuits.set(`${node_id} ${vendor} ${model}`, { vendor, model, reason });
    else circuits.delete(`${node_id} ${vendor} ${model}`);
  }
  const incidents = yield* rows<{ seq: unknown; kind: string; detail: string }>(selectIncidents);
  const backup = yield* row<{ is_known: unknown; at_ms: unknown }>(selectBackUp);
  const loss = yield* row<{ loss_micro: unknown }>(selectLoss, [Math.floor(now / MS_PER_DAY) * 24]);
  return {
    vendors: [...vendors.values()],
    paces: yield* paces(slot, begun),
    circuits: [...new Map([...circuits.values()].map((each) => [`${each.vendor} ${each.model}`, each])).values()],
    incidents: incidents.map(({ seq, kind, detail }) => ({ id: toInt(seq), kind, detail })),
    audit: (yield* row<{ result: string | null }>(selectAudit))?.result ?? null,
    ...(toInt(backup?.is_known ?? 0) === 1 && { backed_up_ms: toIntOrNull(backup?.at_ms) }),
    loss_micro: toMicro(loss?.loss_micro ?? 0),
  };
}
