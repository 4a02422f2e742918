import type { Account } from "../../../contract/accounts.ts";
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
