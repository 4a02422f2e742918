import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/**
 * Ends of requests that came after a recovery had ended the hold (docs/rulings.md 146), and which entry a correction
 * corrects. An entry is named by its place in its account's ledger; a correction only ever names an earlier one.
 */
export const lateSettlementsMigration: Migration = {
  version: 12,
  name: "late settlements, corrections that name their entry",
  compatible_from: 1,
  statements,
};

const MAX = "9007199254740991";

function statements(dialect: Dialect): string[] {
  const int = dialect === "sqlite" ? "INTEGER" : "BIGINT";
  const text = dialect === "sqlite" ? "TEXT" : 'TEXT COLLATE "C"';
  const clustered = dialect === "sqlite" ? " STRICT, WITHOUT ROWID" : "";
  const signed = (name: string): string => `${name} ${int} NOT NULL CHECK (${name} BETWEEN -${MAX} AND ${MAX})`;
  return [
    // Null on charges and credits, and on corrections that correct no entry.
    `ALTER TABLE entries ADD COLUMN corrects_seq ${int}
      CHECK (corrects_seq IS NULL OR (kind = 'correction' AND corrects_seq > 0 AND corrects_seq < seq))`,
    // A request has one late end at most. What a row adds to the request's own row: amounts and counts may be negative.
    `CREATE TABLE late_settlements (
      request_id ${text} PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (id),
      entry_seq ${int} CHECK (entry_seq > 0),
      booked_ms ${int} NOT NULL,
      ${signed("difference_micro")},
      ${signed("prompt_tokens")},
      ${signed("completion_tokens")},
      success_count ${int} NOT NULL CHECK (success_count = 0 OR success_count = 1),
      outcome ${text} NOT NULL,
      CHECK ((difference_micro = 0) = (entry_seq IS NULL))
    )${clustered}`,
    dialect === "sqlite"
      ? `CREATE TRIGGER late_settlements_never_change BEFORE UPDATE ON late_settlements
    BEGIN SELECT RAISE(ABORT, 'late settlements never change'); END`
      : `CREATE TRIGGER late_settlements_never_change BEFORE UPDATE ON late_settlements
    FOR EACH ROW EXECUTE FUNCTION refuse_change('late settlements never change')`,
  ];
}
