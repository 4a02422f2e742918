import type { Migration } from "./migrations.ts";

/** When circuits opened and closed, of all nodes (docs/adr/0049). Nothing depends on it; earlier programs work on beside it. */
export const circuitChangesMigration: Migration = {
  version: 26,
  name: "circuits that opened and closed",
  compatible_from: 16,
  statements: (dialect) => {
    const int = dialect === "sqlite" ? "INTEGER" : "BIGINT";
    const text = dialect === "sqlite" ? "TEXT" : 'TEXT COLLATE "C"';
    return [
      `CREATE TABLE circuit_changes (
      node_id ${text} NOT NULL,
      no ${int} NOT NULL,
      at_ms ${int} NOT NULL,
      vendor ${text} NOT NULL,
      upstream_model ${text} NOT NULL,
      account_id ${text},
      state ${text} NOT NULL,
      reason ${text} NOT NULL,
      attempts ${int} NOT NULL,
      failures ${int} NOT NULL,
      PRIMARY KEY (node_id, no)
    )${dialect === "sqlite" ? " STRICT, WITHOUT ROWID" : ""}`,
      "CREATE INDEX circuit_changes_by_time ON circuit_changes (at_ms)",
    ];
  },
};
