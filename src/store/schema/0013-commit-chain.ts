import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/**
 * What the embedded database needs to notice that commits are missing (docs/adr/0023): the outcomes of the journal's
 * batches, and the end of the chain of commits. Incidents are for both databases.
 */
export const commitChainMigration: Migration = {
  version: 13,
  name: "chain of commits, outcomes in the journal, incidents",
  compatible_from: 1,
  statements: (dialect) => [...incidents(dialect), ...(dialect === "sqlite" ? SQLITE_ONLY : [])],
};

/** What a person has to look at. An incident stays open until a person closes it. */
function incidents(dialect: Dialect): string[] {
  const int = dialect === "sqlite" ? "INTEGER" : "BIGINT";
  const text = dialect === "sqlite" ? "TEXT" : 'TEXT COLLATE "C"';
  const serial = dialect === "sqlite" ? "INTEGER PRIMARY KEY" : "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY";
  return [
    `CREATE TABLE incidents (
      seq ${serial},
      at_ms ${int} NOT NULL,
      kind ${text} NOT NULL,
      detail ${text} NOT NULL,
      closed_ms ${int},
      closed_by ${text},
      note ${text},
      CHECK ((closed_ms IS NULL) = (closed_by IS NULL))
    )${dialect === "sqlite" ? " STRICT" : ""}`,
    "CREATE INDEX incidents_open ON incidents (seq) WHERE closed_ms IS NULL",
  ];
}

const SQLITE_ONLY: readonly string[] = [
  // Null on rows of formats before 4.
  "ALTER TABLE journal ADD COLUMN outcome TEXT",
  "ALTER TABLE journal ADD COLUMN digest TEXT",
  // How many of the batch's operations are in their tables already: above 0 only while a batch is written one by one.
  "ALTER TABLE journal ADD COLUMN written_ops INTEGER NOT NULL DEFAULT 0",
  "ALTER TABLE journal_refused ADD COLUMN outcome TEXT",
  `INSERT INTO incidents (at_ms, kind, detail)
    SELECT at_ms, 'put_aside', 'row ' || seq || ' of journal_refused: ' || problem FROM journal_refused`,
  // Whose history this file is, and the last commit that its tables have. Commits in the journal follow it.
  `CREATE TABLE commit_chain (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    history TEXT NOT NULL,
    seq INTEGER NOT NULL,
    digest TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    copied_ms INTEGER
  ) STRICT`,
];
