import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/** Batches that the writer of a SQLite file has decided and has not yet written to their tables (docs/adr/0015). */
export const journalMigration: Migration = {
  version: 6,
  name: "journal of the embedded database",
  // An older program, which does not know the journal, would miss the batches that a killed program left in it.
  compatible_from: { sqlite: 6, postgres: 1 },
  statements,
};

function statements(dialect: Dialect): string[] {
  if (dialect === "postgres") return [];
  const columns = "format INTEGER NOT NULL, at_ms INTEGER NOT NULL, texts TEXT NOT NULL, batch TEXT NOT NULL";
  return [
    `CREATE TABLE journal (seq INTEGER PRIMARY KEY, ${columns}) STRICT`,
    // Batches that their tables refused: they are kept for a person to look at.
    `CREATE TABLE journal_refused (seq INTEGER PRIMARY KEY, ${columns}, problem TEXT NOT NULL) STRICT`,
  ];
}
