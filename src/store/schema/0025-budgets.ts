import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/**
 * Budgets that never renew, and temporary raises of budgets (docs/adr/0048). A program from before takes a budget that never renews for
 * one by the month, and knows no raise: it refuses earlier.
 */
export const budgetsMigration: Migration = {
  version: 25,
  name: "budgets once, raises",
  compatible_from: 16,
  statements: (dialect) => [...once(dialect), ...raises(dialect)],
};

const MAX = "9007199254740991";
const HOLDERS = ["keys", "projects", "account_limits"] as const;

/** Beside the window `month`, which the tables' checks know. */
function once(dialect: Dialect): string[] {
  const flag = `${intOf(dialect)} NOT NULL DEFAULT 0`;
  return [
    ...HOLDERS.map((table) => `ALTER TABLE ${table} ADD COLUMN budget_once ${flag} CHECK (budget_once IN (0, 1))`),
    `ALTER TABLE keys ADD COLUMN ceiling_budget_once ${flag} CHECK (ceiling_budget_once IN (0, 1))`,
  ];
}

/** By how much the budget is higher, until when, and who raised it. It ends by itself: whoever reads it compares the time. */
function raises(dialect: Dialect): string[] {
  const int = intOf(dialect);
  const text = dialect === "sqlite" ? "TEXT" : 'TEXT COLLATE "C"';
  return HOLDERS.flatMap((table) => [
    `ALTER TABLE ${table} ADD COLUMN raise_micro ${int} CHECK (raise_micro BETWEEN 0 AND ${MAX})`,
    `ALTER TABLE ${table} ADD COLUMN raise_until_ms ${int}`,
    `ALTER TABLE ${table} ADD COLUMN raise_by ${text}`,
  ]);
}

function intOf(dialect: Dialect): string {
  return dialect === "sqlite" ? "INTEGER" : "BIGINT";
}
