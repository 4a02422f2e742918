import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/**
 * The tables of the console's member views: rules of automatic top-ups, playground keys, extensions of holds, entries
 * by kind.
 */
export const memberViewsMigration: Migration = {
  version: 4,
  name: "automatic top-ups, playground keys",
  compatible_from: 1,
  statements,
};

const MAX = "9007199254740991";

function statements(dialect: Dialect): string[] {
  const int = dialect === "sqlite" ? "INTEGER" : "BIGINT";
  const text = dialect === "sqlite" ? "TEXT" : 'TEXT COLLATE "C"';
  const clustered = dialect === "sqlite" ? " STRICT, WITHOUT ROWID" : "";
  const amount = (name: string): string => `${name} ${int} NOT NULL CHECK (${name} BETWEEN 0 AND ${MAX})`;
  return [
    // Null where the account has no rule: then a change of its balance reads nothing more.
    `ALTER TABLE accounts ADD COLUMN top_up_below_micro ${int} CHECK (top_up_below_micro BETWEEN 0 AND ${MAX})`,
    `CREATE TABLE auto_top_ups (
      account_id ${text} PRIMARY KEY REFERENCES accounts (id),
      ${amount("threshold_micro")},
      ${amount("amount_micro")},
      ${amount("month_limit_micro")},
      month_start_day ${int} NOT NULL,
      ${amount("month_used_micro")},
      last_ms ${int},
      updated_ms ${int} NOT NULL,
      updated_by ${text} NOT NULL,
      CHECK (amount_micro > 0 AND amount_micro >= threshold_micro)
    )${clustered}`,
    `ALTER TABLE keys ADD COLUMN playground_user ${text}`,
    `CREATE UNIQUE INDEX one_playground_key_per_user ON keys (account_id, playground_user)
      WHERE playground_user IS NOT NULL AND deleted_ms IS NULL`,
    `ALTER TABLE requests ADD COLUMN extended_micro ${int} NOT NULL DEFAULT 0
      CHECK (extended_micro BETWEEN 0 AND ${MAX})`,
    // Most entries are charges; they are not in this index.
    "CREATE INDEX entries_not_charges ON entries (account_id, kind, seq) WHERE kind <> 'charge'",
  ];
}
