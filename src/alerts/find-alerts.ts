import { MS_PER_DAY } from "../core/clock.ts";
import type {
  AlertFacts,
  AlertFinding,
  BalanceFact,
  BudgetFact,
  GatewayFacts,
  KeyFact,
  VendorPace,
} from "../core/deliveries/alerts.ts";
import { type Micro, micro, toJsonNumber } from "../core/money/money.ts";
import type { AlertData } from "./alert-event.ts";
import type { AlertTypeName } from "./alert-types.ts";

/** When alerts are true (docs/how-to/hear-of-trouble.md has the table). */
export const LOW_BALANCE_MICRO = 5_000_000n;
export const LOW_BALANCE_DAYS = 3n;
/** An alert of a low balance lasts until a fifth more is there than it began with. */
const MARGIN_PERCENT = 120n;
export const BUDGET_LEVELS = [100, 80, 50] as const;
export const KEY_DAYS = 7;
const UNUSUAL_TIMES = 3n;
const UNUSUAL_LEAST_MICRO = 5_000_000n;
const UNUSUAL_LEAST_DAYS = 3;
export const VENDOR_LEAST_CALLS = 20;
/** A vendor is slow where its first byte takes this many times as long as usual, and so long. */
const SLOW_TIMES = 3;
const SLOW_LEAST_MS = 2000;
/** An alert of a slow vendor lasts until it is below this. */
const SLOW_MARGIN_TIMES = 2;
/** What is usual is known after an hour with calls. */
const PACE_LEAST_SLOTS = 12;

export interface AlertSetting {
  /** How old the last backup may be; null: as old as it likes. */
  readonly backup_after_ms: number | null;
  /** Of all amounts. */
  readonly currency: string;
}

/** Everything that is true by these facts. */
export function findAlerts(facts: AlertFacts, { backup_after_ms, currency }: AlertSetting): AlertFinding[] {
  const { now_ms, balances, budgets, keys, gateway } = facts;
  const found = [
    ...balances.flatMap((fact) => [...ofBalance(fact, now_ms), ...ofSpending(fact)]),
    ...budgets.flatMap(ofBudget),
    ...keys.map(ofKey),
    ...(gateway === null ? [] : [...ofGateway(gateway, now_ms), ...ofBackup(gateway, { now_ms, backup_after_ms })]),
  ];
  return found.map((each) => inCurrency(each, currency));
}

/** Data with amounts say what they are amounts of. */
function inCurrency(found: AlertFinding, currency: string): AlertFinding {
  const data = JSON.parse(found.data) as AlertData;
  const has_amounts = Object.keys(data).some((name) => name.endsWith("_micro"));
  return has_amounts ? { ...found, data: JSON.stringify({ ...data, currency }) } : found;
}

interface Found {
  readonly subject: string;
  readonly account_id?: string | null;
  readonly level?: number;
  readonly is_margin?: boolean;
  readonly data: AlertData;
}

export function finding(
  type: AlertTypeName,
  { subject, account_id = null, level = 1, is_margin = false, data }: Found,
): AlertFinding {
  return { type, subject, account_id, level, is_margin, data: JSON.stringify(data) };
}

const amount = (value: bigint): number => toJsonNumber(micro(value));

function ofBalance(fact: BalanceFact, now_ms: number): AlertFinding[] {
  const { account_id, name, balance_micro, held_micro } = fact;
  const about = { account: account_id, account_name: name, balance_micro: amount(balance_micro) };
  const of_account = { subject: account_id, account_id };
  const pace = paceOf(fact, now_ms);
  const limit = pace * LOW_BALANCE_DAYS > LOW_BALANCE_MICRO ? pace * LOW_BALANCE_DAYS : LOW_BALANCE_MICRO;
  // What is held comes back in part: an account is used up when nothing is left and nothing runs.
  const is_empty = balance_micro + held_micro <= 0n;
  const found: AlertFinding[] = [];
  if (balance_micro * 100n < limit * MARGIN_PERCENT) {
    const days_left = pace === 0n ? null : Number(balance_micro / pace);
    const is_margin = balance_micro >= limit || is_empty;
    found.push(finding("balance.low", { ...of_account, is_margin, data: { ...about, days_left } }));
  }
  if (is_empty) found.push(finding("balance.empty", { ...of_account, data: about }));
  return found;
}

/** What was spent within the last day, as far as days tell: yesterday's share of it, and today's. */
function paceOf({ today_micro, yesterday_micro }: BalanceFact, now_ms: number): Micro {
  const left_ms = BigInt(MS_PER_DAY - (now_ms % MS_PER_DAY));
  return micro(today_micro + (yesterday_micro * left_ms) / BigInt(MS_PER_DAY));
}

function ofSpending(fact: BalanceFact): AlertFinding[] {
  const { account_id, name, today_micro, week_micro, week_days } = fact;
  if (week_days < UNUSUAL_LEAST_DAYS || today_micro < UNUSUAL_LEAST_MICRO) return [];
  const usual = week_micro / BigInt(week_days);
  if (today_micro < usual * UNUSUAL_TIMES) return [];
  const amounts = { today_micro: amount(today_micro), usual_micro: amount(usual) };
  const data = { account: account_id, account_name: name, ...amounts };
  return [finding("spend.unusual", { subject: account_id, account_id, data })];
}

function ofBudget(fact: BudgetFact): AlertFinding[] {
  const { account_id, account_name, holder, holder_id, holder_name, window, budget_micro, spent_micro, renews } = fact;
  const percent = budget_micro <= 0n ? 100 : Number((spent_micro * 100n) / budget_micro);
  const level = BUDGET_LEVELS.find((each) => percent >= each);
  if (level === undefined) return [];
  const named = holder === "account" ? {} : { [holder]: holder_id, [`${holder}_name`]: holder_name };
  const amounts = { budget_micro: amount(budget_micro), spent_micro: amount(spent_micro), window };
  const renewal = renews === null ? {} : { renews_at: renews.at, time_zone: renews.time_zone };
  const data = { account: account_id, account_name, holder, ...named, percent: level, ...amounts, ...renewal };
  return [finding("budget.reached", { subject: `${holder} ${holder_id}`, account_id, level, data })];
}

function ofKey({ account_id, account_name, key_id, name, expires_ms }: KeyFact): AlertFinding {
  const expires_at = new Date(expires_ms).toISOString();
  const data = { account: account_id, account_name, key: key_id, key_name: name, expires_at };
  return finding("key.expiring", { subject: key_id, account_id, data });
}

function ofBackup(
  { backed_up_ms }: GatewayFacts,
  { now_ms, backup_after_ms }: { readonly now_ms: number; readonly backup_after_ms: number | null },
): AlertFinding[] {
  if (backup_after_ms === null || backed_up_ms === undefined) return [];
  if (backed_up_ms !== null && now_ms - backed_up_ms <= backup_after_ms) return [];
  const backed_up_at = backed_up_ms === null ? null : new Date(backed_up_ms).toISOString();
  const data = { backed_up_at, after_s: Math.round(backup_after_ms / 1000) };
  return [finding("backup.late", { subject: "database", data })];
}

function ofPace({ vendor, model, now_ms, before_ms }: VendorPace): AlertFinding[] {
  if (now_ms.length < 2 || before_ms.length < PACE_LEAST_SLOTS) return [];
  const sorted = before_ms.toSorted((a, b) => a - b);
  const usual_ms = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const first_byte_ms = Math.min(...now_ms);
  if (first_byte_ms < SLOW_LEAST_MS || first_byte_ms < usual_ms * SLOW_MARGIN_TIMES) return [];
  const is_margin = first_byte_ms < usual_ms * SLOW_TIMES;
  const data = { vendor, model, reason: "slow", first_byte_ms, usual_ms };
  return [finding("vendor.failing", { subject: `${vendor} ${model}`, is_margin, data })];
}

function ofGateway(
  { vendors, paces, circuits, incidents, audit, loss_micro, away_cells = [] }: GatewayFacts,
  now_ms: number,
): AlertFinding[] {
  const failing = vendors.filter(({ calls, failures }) => calls >= VENDOR_LEAST_CALLS && failures * 2 >= calls);
  const problems = audit === null ? 0 : (JSON.parse(audit) as { readonly problems: number }).problems;
  const day = new Date(now_ms).toISOString().slice(0, 10);
  return [
    ...failing.map(({ vendor, calls, failures }) => {
      const percent = Math.floor((failures * 100) / calls);
      const data = { vendor, reason: "failures", attempts: calls, failures, percent };
      return finding("vendor.failing", { subject: vendor, data });
    }),
    ...paces.flatMap(ofPace),
    ...circuits.map(({ vendor, model, reason }) =>
      finding("circuit.opened", { subject: `${vendor} ${model}`, data: { vendor, model, reason } }),
    ),
    ...away_cells.map((cell) => finding("cell.away", { subject: cell, data: { cell } })),
    ...incidents.map(({ id, kind, detail }) =>
      finding("incident.opened", { subject: String(id), data: { incident: id, kind, detail } }),
    ),
    ...(problems > 0 ? [finding("audit.found", { subject: "books", data: { problems } })] : []),
    ...(loss_micro > 0n
      ? [finding("loss.booked", { subject: day, data: { day, loss_micro: amount(loss_micro) } })]
      : []),
  ];
}

/** Usage of a model that no price is for, which only the node knows that settled it. Once a model a day. */
export function unpricedFinding(model: string, now_ms: number): AlertFinding {
  const day = new Date(now_ms).toISOString().slice(0, 10);
  return finding("usage.unpriced", { subject: `${model} ${day}`, data: { model, day } });
}
