import { MS_PER_DAY } from "../core/clock.ts";
import type {
  AlertFacts,
  AlertFinding,
  BalanceFact,
  BudgetFact,
  GatewayFacts,
  KeyFact,
  OpenAlert,
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
  /** The currency of all amounts. */
  readonly currency: string;
}

/** The alerts that hold by these facts; and what there is to tell of the end of those that were begun (`open`) and do not hold any more. */
export function findAlerts(
  facts: AlertFacts,
  { backup_after_ms, currency }: AlertSetting,
  open: readonly OpenAlert[] = [],
): AlertFinding[] {
  const { now_ms, balances, budgets, keys, gateway } = facts;
  const begun = new Set(open.map(nameOf));
  return [
    ...balances.flatMap((fact) => [...ofBalance(fact, now_ms), ofSpending(fact)]),
    ...budgets.map(ofBudget),
    ...keys.map((fact) => ofKey(fact, now_ms)),
    ...(gateway === null ? [] : [...ofGateway(gateway, now_ms), ...ofBackup(gateway, { now_ms, backup_after_ms })]),
  ].flatMap((found) =>
    found.holds !== "no" || begun.has(nameOf(found))
      ? [asFinding({ ...found, data: inCurrency(found, currency) })]
      : [],
  );
}

/** Data with amounts say what they are amounts of. */
function inCurrency({ data }: FoundAlert, currency: string): AlertData {
  return Object.keys(data).some((name) => name.endsWith("_micro")) ? { ...data, currency } : data;
}

const nameOf = ({ type, subject }: OpenAlert): string => `${type} ${subject}`;

interface FoundAlert {
  readonly type: AlertTypeName;
  readonly subject: string;
  readonly account_id?: string | null;
  readonly level?: number;
  readonly holds?: AlertFinding["holds"];
  readonly data: AlertData;
}

function asFinding({ account_id = null, level = 1, holds = "yes", data, ...found }: FoundAlert): AlertFinding {
  return { ...found, account_id, level, holds, data: JSON.stringify(data) };
}

export function finding(type: AlertTypeName, found: Omit<FoundAlert, "type">): AlertFinding {
  return asFinding({ type, ...found });
}

const amount = (value: bigint): number => toJsonNumber(micro(value));
const ifSo = (is_true: boolean): "yes" | "no" => (is_true ? "yes" : "no");

function ofBalance(fact: BalanceFact, now_ms: number): FoundAlert[] {
  const { account_id, name, balance_micro, held_micro } = fact;
  const about = { account: account_id, account_name: name, balance_micro: amount(balance_micro) };
  const of_account = { subject: account_id, account_id };
  const pace = paceOf(fact, now_ms);
  const limit = pace * LOW_BALANCE_DAYS > LOW_BALANCE_MICRO ? pace * LOW_BALANCE_DAYS : LOW_BALANCE_MICRO;
  // What is held comes back in part: an account is used up when nothing is left and nothing runs.
  const is_empty = balance_micro + held_micro <= 0n;
  const days_left = pace === 0n ? null : Number(balance_micro / pace);
  const is_low = balance_micro * 100n < limit * MARGIN_PERCENT;
  const holds = is_low && (balance_micro >= limit || is_empty) ? "margin" : ifSo(is_low);
  return [
    { type: "balance.low", ...of_account, holds, data: { ...about, days_left } },
    { type: "balance.empty", ...of_account, holds: ifSo(is_empty), data: about },
  ];
}

/** What was spent within the last day, as far as days tell: yesterday's share of it, and today's. */
function paceOf({ today_micro, yesterday_micro }: BalanceFact, now_ms: number): Micro {
  const left_ms = BigInt(MS_PER_DAY - (now_ms % MS_PER_DAY));
  return micro(today_micro + (yesterday_micro * left_ms) / BigInt(MS_PER_DAY));
}

function ofSpending(fact: BalanceFact): FoundAlert {
  const { account_id, name, today_micro, week_micro, week_days } = fact;
  const usual = week_days === 0 ? 0n : week_micro / BigInt(week_days);
  const is_known = week_days >= UNUSUAL_LEAST_DAYS && today_micro >= UNUSUAL_LEAST_MICRO;
  const amounts = { today_micro: amount(today_micro), usual_micro: amount(usual) };
  const data = { account: account_id, account_name: name, ...amounts };
  const holds = ifSo(is_known && today_micro >= usual * UNUSUAL_TIMES);
  return { type: "spend.unusual", subject: account_id, account_id, holds, data };
}

function ofBudget(fact: BudgetFact): FoundAlert {
  const { account_id, account_name, holder, holder_id, holder_name, window, budget_micro, spent_micro, renews } = fact;
  const percent = budget_micro <= 0n ? 100 : Number((spent_micro * 100n) / budget_micro);
  const level = BUDGET_LEVELS.find((each) => percent >= each);
  const named = holder === "account" ? {} : { [holder]: holder_id, [`${holder}_name`]: holder_name };
  const amounts = { budget_micro: amount(budget_micro), spent_micro: amount(spent_micro), window };
  const renewal = renews === null ? {} : { renews_at: renews.at, time_zone: renews.time_zone };
  const about = { account: account_id, account_name, holder, ...named };
  const data = { ...about, percent: level ?? percent, ...amounts, ...renewal };
  const holds = ifSo(level !== undefined);
  return { type: "budget.reached", subject: `${holder} ${holder_id}`, account_id, level: level ?? 0, holds, data };
}

function ofKey({ account_id, account_name, key_id, name, expires_ms, status }: KeyFact, now_ms: number): FoundAlert {
  const expires_at = expires_ms === null ? null : new Date(expires_ms).toISOString();
  const is_over = expires_ms !== null && expires_ms <= now_ms;
  const is_near = expires_ms !== null && !is_over && expires_ms <= now_ms + KEY_DAYS * MS_PER_DAY;
  const about = { account: account_id, account_name, key: key_id, key_name: name };
  const data = { ...about, expires_at, status: is_over && status === "active" ? "expired" : status };
  return { type: "key.expiring", subject: key_id, account_id, holds: ifSo(is_near && status === "active"), data };
}

function ofBackup(
  { backed_up_ms }: GatewayFacts,
  { now_ms, backup_after_ms }: { readonly now_ms: number; readonly backup_after_ms: number | null },
): FoundAlert[] {
  if (backup_after_ms === null || backed_up_ms === undefined) return [];
  const is_late = backed_up_ms === null || now_ms - backed_up_ms > backup_after_ms;
  const backed_up_at = backed_up_ms === null ? null : new Date(backed_up_ms).toISOString();
  const data = { backed_up_at, after_s: Math.round(backup_after_ms / 1000) };
  return [{ type: "backup.late", subject: "database", holds: ifSo(is_late), data }];
}

function ofPace({ vendor, model, now_ms, before_ms }: VendorPace): FoundAlert {
  const sorted = before_ms.toSorted((a, b) => a - b);
  const usual_ms = sorted[Math.floor(sorted.length / 2)] ?? null;
  const first_byte_ms = now_ms.length === 0 ? null : Math.min(...now_ms);
  const data = { vendor, model, reason: "slow", first_byte_ms, usual_ms };
  const about = { type: "vendor.failing", subject: `${vendor} ${model}`, data } as const;
  const is_known = now_ms.length >= 2 && before_ms.length >= PACE_LEAST_SLOTS;
  if (!is_known || first_byte_ms === null || usual_ms === null || first_byte_ms < SLOW_LEAST_MS)
    return { ...about, holds: "no" };
  if (first_byte_ms < usual_ms * SLOW_MARGIN_TIMES) return { ...about, holds: "no" };
  return { ...about, holds: first_byte_ms < usual_ms * SLOW_TIMES ? "margin" : "yes" };
}

function ofGateway(
  { vendors, paces, circuits, incidents, audit, loss_micro, away_cells = [] }: GatewayFacts,
  now_ms: number,
): FoundAlert[] {
  const problems = audit === null ? 0 : ((JSON.parse(audit) as { readonly problems?: number }).problems ?? 0);
  const day = new Date(now_ms).toISOString().slice(0, 10);
  return [
    ...vendors.map(ofVendor),
    ...paces.map(ofPace),
    ...circuits.map(
      ({ vendor, model, reason }): FoundAlert => ({
        ...{ type: "circuit.opened", subject: `${vendor} ${model}`, data: { vendor, model, reason } },
      }),
    ),
    ...away_cells.map((cell): FoundAlert => ({ type: "cell.away", subject: cell, data: { cell } })),
    ...incidents.map(
      ({ id, kind, detail }): FoundAlert => ({
        ...{ type: "incident.opened", subject: String(id), data: { incident: id, kind, detail } },
      }),
    ),
    { type: "audit.found", subject: "books", holds: ifSo(problems > 0), data: { problems } },
    {
      ...{ type: "loss.booked", subject: day, holds: ifSo(loss_micro > 0n) },
      data: { day, loss_micro: amount(loss_micro) },
    },
  ];
}

function ofVendor({ vendor, calls, failures }: GatewayFacts["vendors"][number]): FoundAlert {
  const percent = calls === 0 ? 0 : Math.floor((failures * 100) / calls);
  const data = { vendor, reason: "failures", attempts: calls, failures, percent };
  // What few calls there are while it fails say nothing else, as callers turn away from it.
  const fails = calls > 0 && failures * 2 >= calls;
  const holds = fails && calls < VENDOR_LEAST_CALLS ? "margin" : ifSo(fails);
  return { type: "vendor.failing", subject: vendor, holds, data };
}

/** Usage of a model that no price is for, which only the node knows that settled it. Once a model a day. */
export function unpricedFinding(model: string, now_ms: number): AlertFinding {
  const day = new Date(now_ms).toISOString().slice(0, 10);
  return finding("usage.unpriced", { subject: `${model} ${day}`, data: { model, day } });
}
