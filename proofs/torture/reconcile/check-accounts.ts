import type { AccountBook } from "../history.ts";
import type { Finding } from "./finding.ts";

/** Sums of one account: nothing is held, nothing is below zero, the balance is the sum of the entries, budgets hold. */
export function* checkAccount(account: AccountBook): Generator<Finding> {
  const { id, balance_micro, uncollected_micro, entries, receipts } = account;
  if (uncollected_micro !== 0) yield { kind: "held", what: `${id} has ${uncollected_micro} micro uncollected at rest` };
  if (balance_micro < 0) yield { kind: "overdrawn", what: `${id} has a balance of ${balance_micro} micro` };
  const posted = entries.reduce((sum, { amount_micro }) => sum + amount_micro, 0);
  if (balance_micro + uncollected_micro !== posted)
    yield { kind: "books", what: `${id} has ${balance_micro} micro, and entries of ${posted} micro` };
  const credited = entries.reduce((sum, { kind, amount_micro }) => (kind === "credit" ? sum + amount_micro : sum), 0);
  if (credited !== account.credited_micro)
    yield { kind: "books", what: `${id} was given ${account.credited_micro} micro, and its entries say ${credited}` };
  const charged = receipts.reduce((sum, { charge_micro }) => sum + charge_micro, 0);
  if (posted !== credited - charged)
    yield { kind: "books", what: `${id} was charged ${credited - posted} micro, and its receipts say ${charged}` };
  yield* checkBudgets(account);
}

/** A budget is for a calendar month (UTC), and counts what was charged in it. */
function* checkBudgets({ budgets, receipts }: AccountBook): Generator<Finding> {
  for (const [key, budget_micro] of budgets) {
    if (budget_micro === null) continue;
    const months = Map.groupBy(
      receipts.filter(({ key_id }) => key_id === key),
      ({ created_at }) => created_at.slice(0, "2026-11".length),
    );
    for (const [month, spent] of months) {
      const spent_micro = spent.reduce((sum, { charge_micro }) => sum + charge_micro, 0);
      if (spent_micro > budget_micro)
        yield {
          kind: "overspent",
          what: `${key} was charged ${spent_micro} micro in ${month}, with a budget of ${budget_micro}`,
        };
    }
  }
}
