import type { Migration } from "./migrations.ts";

/**
 * What an invitation brings: credit, booked when it is accepted. A program that does not know it accepts the invitation without the credit,
 * which is owed until a newer program books it (`credit_booked_ms`, users/invited-credit.ts).
 */
export const invitedCreditMigration: Migration = {
  version: 27,
  name: "credit with invitations",
  compatible_from: 16,
  statements: (dialect) => {
    const int = dialect === "sqlite" ? "INTEGER" : "BIGINT";
    return [
      `ALTER TABLE links ADD COLUMN credit_micro ${int} CHECK (credit_micro > 0)`,
      `ALTER TABLE links ADD COLUMN credit_booked_ms ${int}`,
      // Few links owe something.
      `CREATE INDEX links_that_owe ON links (id)
        WHERE credit_micro IS NOT NULL AND credit_booked_ms IS NULL AND used_ms IS NOT NULL`,
    ];
  },
};
