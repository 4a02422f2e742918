import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/**
 * Vendor credentials that administrators set in the console; they are encrypted before they reach the store.
 * `revisions` counts changes that other nodes have to notice: each change increments its row in the same transaction.
 */
export const vendorCredentialsMigration: Migration = {
  version: 3,
  name: "vendor credentials",
  compatible_from: 1,
  statements: tables,
};

function tables(dialect: Dialect): string[] {
  const int = dialect === "sqlite" ? "INTEGER" : "BIGINT";
  const text = dialect === "sqlite" ? "TEXT" : 'TEXT COLLATE "C"';
  const clustered = dialect === "sqlite" ? " STRICT, WITHOUT ROWID" : "";
  return [
    `CREATE TABLE vendor_credentials (
      vendor_id ${text} PRIMARY KEY,
      key_version ${int} NOT NULL,
      nonce ${text} NOT NULL,
      ciphertext ${text} NOT NULL,
      set_ms ${int} NOT NULL,
      set_by ${text} NOT NULL
    )${clustered}`,
    `CREATE TABLE revisions (
      name ${text} PRIMARY KEY,
      revision ${int} NOT NULL CHECK (revision > 0)
    )${clustered}`,
  ];
}
