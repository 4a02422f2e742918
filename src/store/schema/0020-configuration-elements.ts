import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/**
 * Elements of the configuration that are kept in the database (docs/adr/0042): every version that they have had, of which the newest
 * counts. A row is never changed and never removed. `value` is JSON; null where the element was dropped. The name `configuration` in
 * `revisions` counts the changes.
 */
export const configurationElementsMigration: Migration = {
  version: 20,
  name: "elements of the configuration",
  compatible_from: 16,
  statements: (dialect) => [table(dialect)],
};

function table(dialect: Dialect): string {
  const int = dialect === "sqlite" ? "INTEGER" : "BIGINT";
  const text = dialect === "sqlite" ? "TEXT" : 'TEXT COLLATE "C"';
  const clustered = dialect === "sqlite" ? " STRICT, WITHOUT ROWID" : "";
  return `CREATE TABLE configuration_versions (
      kind ${text} NOT NULL CHECK (kind IN ('vendor', 'model', 'alias', 'limits')),
      id ${text} NOT NULL,
      version ${int} NOT NULL CHECK (version > 0),
      action ${text} NOT NULL,
      value ${text},
      changed_ms ${int} NOT NULL,
      changed_by ${text} NOT NULL,
      PRIMARY KEY (kind, id, version)
    )${clustered}`;
}
