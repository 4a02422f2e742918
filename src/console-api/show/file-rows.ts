import type { Account } from "../../../contract/accounts.ts";
import type { AuditEntry } from "../../../contract/audit.ts";
import type { Entry } from "../../../contract/credits.ts";
import type { Cell } from "../../../contract/csv.ts";
import type { AccountUse } from "../../core/ledger/account-sums.ts";
import { formatAmount, micro, toJsonNumber, ZERO } from "../../core/money/money.ts";

/** Accounts as rows of a file. Amounts have two columns: the currency's unit for people, micro units for programs. */
export const ACCOUNT_COLUMNS = [
  ...["id", "email", "name", "status", "created_at", "balance", "balance_micro", "held", "held_micro", "month_charge"],
  ...["month_charge_micro", "currency", "active_keys", "models", "rpm", "tpm", "concurrent", "budget", "budget_window"],
];

export function accountRow(account: Account, use: AccountUse | undefined): Cell[] {
  const { limits } = account;
  return [
    ...[account.id, account.email, account.name, account.status, account.created_at],
    ...amount(account.balance_micro),
    ...amount(account.uncollected_micro),
    ...amount(toJsonNumber(use?.month_micro ?? ZERO)),
    ...[account.currency, use?.active_keys ?? 0, limits.models?.join(" ") ?? null],
    ...[limits.rpm, limits.tpm, limits.concurrent, ...budgetCells(limits.budget)],
  ];
}

/** An amount in the currency's unit and in micro units. */
export function amount(amount_micro: number): [Cell, Cell] {
  return [formatAmount(micro(amount_micro)), amount_micro];
}

/** A budget's amount and window; empty where there is none. */
export function budgetCells(budget: { amount_micro: number; window: string } | null): [Cell, Cell] {
  return budget === null ? [null, null] : [formatAmount(micro(budget.amount_micro)), budget.window];
}

/** Entries of a ledger and of the audit log, as rows of files. */
export const ENTRY_COLUMNS = [
  ...["id", "created_at", "account", "kind", "amount", "amount_micro", "sum_after", "sum_after_micro", "currency"],
  ...["request", "note", "actor", "corrects"],
];

export function entryRow(entry: Entry, currency: string): Cell[] {
  return [
    ...[entry.id, entry.created_at, entry.account, entry.kind],
    ...[...amount(entry.amount_micro), ...amount(entry.posted_after_micro), currency],
    ...[entry.request, entry.note, entry.actor, entry.corrects],
  ];
}

export const AUDIT_COLUMNS = [
  ...["id", "created_at", "actor_kind", "actor_id", "actor_name", "action", "object_kind", "object_id", "account"],
  ...["address", "before", "after"],
];

/** The values before and after are JSON. */
export function auditRow({
  id,
  created_at,
  actor,
  action,
  object,
  account,
  address,
  before,
  after,
}: AuditEntry): Cell[] {
  return [
    ...[id, created_at, actor.kind, actor.id, actor.name, action, object.kind, object.id, account, address],
    ...[before, after].map((snapshot) => (snapshot === null ? null : JSON.stringify(snapshot))),
  ];
}
