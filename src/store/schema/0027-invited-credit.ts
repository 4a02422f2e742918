import type { Migration } from "./migrations.ts";

/**
 * What an invitation brings: credit, booked when it is accepted. A program that does not know it accepts the invitation without the credit,
 * which is owed until a newer program books it (`credit_booked_ms`, users/invited-credit.ts). And the prompts that people save in the
 * playground, which older programs do not look at.
 */
export const invitedCreditMigration: Migration = {
  version: 27,
  name: "credit with invitations, saved prompts",
  compatible_from: 16,
  statements: (dialect) => {
    const is_sqlite = dialect === "sqlite";
    const int = is_sqlite ? "INTEGER" : "BIGINT";
    const text = is_sqlite ? "TEXT" : 'TEXT COLLATE "C"';
    return [
      `CREATE TABLE prompts (
        id ${text} PRIMARY KEY,
        account_id ${text} NOT NULL REFERENCES accounts (id),
        user_id ${text} NOT NULL REFERENCES users (id),
        name ${text} NOT NULL,
        shared ${int} NOT NULL CHECK (shared IN (0, 1)),
        content ${text} NOT NULL,
        created_ms ${int} NOT NULL,
        updated_ms ${int} NOT NULL
      )${is_sqlite ? " STRICT" : ""}`,
      "CREATE INDEX prompts_of_account ON prompts (account_id, user_id)",
      `ALTER TABLE links ADD COLUMN credit_micro ${int} CHECK (credit_micro > 0)`,
      `ALTER TABLE links ADD COLUMN credit_booked_ms ${int}`,
      // Few links owe something.
      `CREATE INDEX links_that_owe ON links (id)
        WHERE credit_micro IS NOT NULL AND credit_booked_ms IS NULL AND used_ms IS NOT NULL`,
    ];
  },
};
