import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/**
 * Limits of accounts, over all of their keys, and the limits of keys that only administrators lift (docs/rulings.md 151).
 * A program that knows neither would admit past them.
 */
export const limitsOfAccountsMigration: Migration = {
  version: 16,
  name: "limits of accounts, ceilings of keys",
  compatible_from: 16,
  statements: (dialect) => [...ceilings(dialect), ...accountLimits(dialect)],
};

const MAX = "9007199254740991";
const WINDOWS = "('day', 'week', 'month')";

function types(dialect: Dialect) {
  return {
    int: dialect === "sqlite" ? "INTEGER" : "BIGINT",
    text: dialect === "sqlite" ? "TEXT" : 'TEXT COLLATE "C"',
  };
}

/** What stood before is an administrator's: nobody knows any more who set it. */
function ceilings(dialect: Dialect): string[] {
  const { int, text } = types(dialect);
  return [
    `ALTER TABLE keys ADD COLUMN ceiling_models ${text}`,
    `ALTER TABLE keys ADD COLUMN ceiling_rpm ${int}`,
    `ALTER TABLE keys ADD COLUMN ceiling_tpm ${int}`,
    `ALTER TABLE keys ADD COLUMN ceiling_concurrent ${int}`,
    `ALTER TABLE keys ADD COLUMN ceiling_budget_micro ${int} CHECK (ceiling_budget_micro BETWEEN 0 AND ${MAX})`,
    `ALTER TABLE keys ADD COLUMN ceiling_budget_window ${text} CHECK (ceiling_budget_window IN ${WINDOWS})`,
    `ALTER TABLE keys ADD COLUMN ceiling_expires_ms ${int}`,
    `ALTER TABLE keys ADD COLUMN is_barred ${int} NOT NULL DEFAULT 0 CHECK (is_barred IN (0, 1))`,
    `UPDATE keys SET ceiling_models = models, ceiling_rpm = rpm, ceiling_tpm = tpm, ceiling_concurrent = concurrent,
      ceiling_budget_micro = budget_micro, ceiling_budget_window = budget_window,
      ceiling_expires_ms = CASE WHEN playground_user IS NULL THEN expires_ms END,
      is_barred = CASE WHEN status = 'disabled' THEN 1 ELSE 0 END`,
  ];
}

function accountLimits(dialect: Dialect): string[] {
  const { int, text } = types(dialect);
  const hot = dialect === "sqlite" ? " STRICT, WITHOUT ROWID" : " WITH (fillfactor = 50)";
  return [
    // Whether the account has a row of limits: nearly all admissions need not look.
    `ALTER TABLE accounts ADD COLUMN has_limits ${int} NOT NULL DEFAULT 0 CHECK (has_limits IN (0, 1))`,
    // The limits, then what is counted under them.
    `CREATE TABLE account_limits (
      account_id ${text} PRIMARY KEY REFERENCES accounts (id),
      models ${text},
      rpm ${int},
      tpm ${int},
      concurrent ${int},
      budget_micro ${int} CHECK (budget_micro BETWEEN 0 AND ${MAX}),
      budget_window ${text} CHECK (budget_window IN ${WINDOWS}),
      requests_limit ${int},
      requests_used_units ${int},
      requests_at_ms ${int},
      tokens_limit ${int},
      tokens_used_units ${int},
      tokens_at_ms ${int},
      open_count ${int} NOT NULL DEFAULT 0 CHECK (open_count >= 0),
      spent_window ${text},
      spent_start_day ${int},
      spent_micro ${int} NOT NULL DEFAULT 0 CHECK (spent_micro BETWEEN 0 AND ${MAX}),
      CHECK ((budget_micro IS NULL) = (budget_window IS NULL))
    )${hot}`,
  ];
}
