import { type Micro, ZERO } from "../../core/money/money.ts";
import type { BudgetHolder, BudgetRaise } from "../../core/people/budgets.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { amountOrNull, intOrNull, type RawRow, readFirst, readRow, text, textOrNull } from "../sql/columns.ts";
import { sql, sqlFor } from "../sql/statement.ts";
import { row, rows, type Work } from "../sql/work.ts";

/** Temporary raises of budgets: of a key, of a project, of an account over all of its keys (docs/design/tags-and-projects.md). */

/** In the order in which they are set. */
export const RAISE = { raise_micro: amountOrNull, raise_until_ms: intOrNull, raise_by: textOrNull } as const;
export const RAISE_COLUMNS = Object.keys(RAISE);
export type RaiseRow = RawRow<typeof RAISE>;

/** A raise as it was stored; it may have expired. Null where there is none. */
function readRaise(found: RaiseRow): BudgetRaise | null {
  const { raise_micro, raise_until_ms: until_ms, raise_by } = readRow(RAISE, found);
  return until_ms === null ? null : { amount_micro: raise_micro ?? ZERO, until_ms, by: raise_by ?? "" };
}

/** A raise that has not expired, for those who are shown it. */
export function runningRaise(found: RaiseRow, now_ms: number): BudgetRaise | null {
  const raise = readRaise(found);
  return raise !== null && raise.until_ms > now_ms ? raise : null;
}

const HOLDERS = {
  key: { table: "keys", id: "id", account: "SELECT account_id FROM keys WHERE id = ?" },
  project: { table: "projects", id: "id", account: "SELECT account_id FROM projects WHERE id = ?" },
  account: { table: "account_limits", id: "account_id", account: "SELECT id FROM accounts WHERE id = ?" },
} as const satisfies Readonly<Record<BudgetHolder, object>>;

function statementsOf({ table, id, account }: (typeof HOLDERS)[BudgetHolder]) {
  return {
    // A change of a budget locks the account, as an admission does.
    lock: sqlFor({
      sqlite: account,
      postgres: `SELECT id FROM accounts WHERE id IN (${account}) FOR NO KEY UPDATE`,
    }),
    find: sql(`SELECT account_id, budget_micro, ${RAISE_COLUMNS.join(", ")} FROM ${table} WHERE ${id} = ?`),
    set: sql(`UPDATE ${table} SET ${RAISE_COLUMNS.map((name) => `${name} = ?`).join(", ")} WHERE ${id} = ?`),
  };
}

const STATEMENTS = {
  key: statementsOf(HOLDERS.key),
  project: statementsOf(HOLDERS.project),
  account: statementsOf(HOLDERS.account),
} as const;

const BUDGET = { account_id: text, budget_micro: amountOrNull, ...RAISE } as const;

/** A budget and its raise, for the audit log. Null where the holder has no limits. */
export function* findBudget(
  holder: BudgetHolder,
  id: string,
): Work<{
  readonly account_id: string;
  readonly budget_micro: Micro | null;
  readonly raise: BudgetRaise | null;
} | null> {
  const found = yield* readFirst(BUDGET, STATEMENTS[holder].find, [id]);
  return found && { account_id: found.account_id, budget_micro: found.budget_micro, raise: readRaise(found) };
}

/**
 * Raises a budget for a while, or ends a raise (null). A second raise takes the place of the first. Throws a StoreConflict where there is no
 * budget to raise.
 */
export function* raiseBudget(holder: BudgetHolder, id: string, raise: BudgetRaise | null): Work<void> {
  const { lock, find, set } = STATEMENTS[holder];
  yield* rows(lock, [id]);
  const found = yield* row<{ budget_micro: unknown }>(find, [id]);
  if (found === null || found.budget_micro === null)
    throw new StoreConflict(`The ${holder} ${id} has no budget of its own: set one first, and raise it then.`);
  yield* rows(set, [raise?.amount_micro ?? null, raise?.until_ms ?? null, raise?.by ?? null, id]);
}
