import type { Dialect } from "../sql/statement.ts";
import { columnTypes } from "./column-types.ts";

/** Settings that administrators make in the database, beside the file. */
export function configurationTables(dialect: Dialect): string[] {
  const { int, text, clustered } = columnTypes(dialect);
  return [
    // They are encrypted before they reach the store.
    `CREATE TABLE vendor_credentials (
      vendor_id ${text} PRIMARY KEY,
      key_version ${int} NOT NULL,
      nonce ${text} NOT NULL,
      ciphertext ${text} NOT NULL,
      set_ms ${int} NOT NULL,
      set_by ${text} NOT NULL
    )${clustered}`,
    // Counts changes that other nodes have to notice: each change increments its row in the same transaction.
    `CREATE TABLE revisions (
      name ${text} PRIMARY KEY,
      revision ${int} NOT NULL CHECK (revision > 0)
    )${clustered}`,
    // Elements of the configuration (docs/adr/0042): every version that they have had, of which the newest counts. A row is never changed and
    // never removed. `value` is JSON; null where the element was dropped. The name `configuration` in `revisions` counts the changes.
    `CREATE TABLE configuration_versions (
      kind ${text} NOT NULL CHECK (kind IN ('vendor', 'model', 'alias', 'limits')),
      id ${text} NOT NULL,
      version ${int} NOT NULL CHECK (version > 0),
      action ${text} NOT NULL,
      value ${text},
      changed_ms ${int} NOT NULL,
      changed_by ${text} NOT NULL,
      PRIMARY KEY (kind, id, version)
    )${clustered}`,
  ];
}
