import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/** Batches that the writer of a SQLite file has decided and not yet written to their tables (docs/adr/0015). */
export const journalMigration: Migration = {
  version: 6,
  name: "journal of the embedded database",
  // A program that knows no journal would leave out what a killed one had left there.
  compatible_from: { sqlite: 6, postgres: 1 },
  statements,
};

function statements(dialect: Dialect): string[] {
  if (dialect === "postgres") return [];
  const columns = "format INTEGER NOT NULL, at_ms INTEGER NOT NULL, texts TEXT NOT NULL, batch TEXT NOT NULL";
  return [
    `CREATE TABLE journal (seq INTEGER PRIMARY KEY, ${columns}) STRICT`,
    // What the tables refused when it was to be written there: for a person to look at.
    `CREATE TABLE journal_refused (seq INTEGER PRIMARY KEY, ${columns}, problem TEXT NOT NULL) STRICT`,
  ];
}
