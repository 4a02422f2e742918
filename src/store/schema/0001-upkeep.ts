import type { Dialect } from "../sql/statement.ts";
import { columnTypes } from "./column-types.ts";

/** Tables for the gateway's own work: nodes, chores, incidents, and the journal of the embedded database. */
export function upkeepTables(dialect: Dialect): string[] {
  const { int, text, amount, clustered, plain, serial, roomy } = columnTypes(dialect);
  return [
    `CREATE TABLE nodes (
      id ${text} PRIMARY KEY,
      beat_ms ${int} NOT NULL
    )${roomy(50)}`,
    // One node does a chore at a time, and all nodes show its outcome (docs/design/audit.md).
    `CREATE TABLE chores (
      name ${text} PRIMARY KEY,
      node_id ${text} NOT NULL,
      started_ms ${int} NOT NULL,
      beat_ms ${int} NOT NULL,
      ended_ms ${int},
      result ${text}
    )${roomy(50)}`,
    `CREATE TABLE marks (
      name ${text} PRIMARY KEY,
      value ${int} NOT NULL
    )${clustered}`,
    // What a vendor's credential has spent on a day, of all nodes (docs/rulings.md 178).
    `CREATE TABLE vendor_spending (
      day ${int} NOT NULL,
      vendor ${text} NOT NULL,
      credential ${text} NOT NULL,
      ${amount("spent_micro")},
      PRIMARY KEY (day, vendor, credential)
    )${clustered}`,
    // The cells that get no new accounts (docs/adr/0085).
    `CREATE TABLE drained_cells (
      name ${text} PRIMARY KEY,
      drained_ms ${int} NOT NULL
    )${clustered}`,
    // Faults that a person has to look at. An incident stays open until a person closes it. One about a row of the catalogue names it by its
    // model and a hash of its content (docs/rulings.md 171).
    `CREATE TABLE incidents (
      seq ${serial},
      at_ms ${int} NOT NULL,
      kind ${text} NOT NULL,
      detail ${text} NOT NULL,
      model ${text},
      catalog_row ${text},
      closed_ms ${int},
      closed_by ${text},
      note ${text},
      CHECK ((closed_ms IS NULL) = (closed_by IS NULL))
    )${plain}`,
    "CREATE INDEX incidents_open ON incidents (seq) WHERE closed_ms IS NULL",
    ...(dialect === "sqlite" ? SQLITE_ONLY : [MOVED_FROM]),
  ];
}

const SQLITE_ONLY: readonly string[] = [
  // Batches that the writer has decided and has not yet written to their tables (docs/adr/0015), each with the results that were acknowledged
  // and the chain's digest after it. `written_ops`, how many of its operations are in their tables already, is above 0 only while a batch is
  // written one by one.
  `CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    format INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    texts TEXT NOT NULL,
    batch TEXT NOT NULL,
    outcome TEXT NOT NULL,
    digest TEXT NOT NULL,
    written_ops INTEGER NOT NULL DEFAULT 0
  ) STRICT`,
  // Batches that their tables refused: they are kept for a person to look at.
  `CREATE TABLE journal_refused (
    seq INTEGER PRIMARY KEY,
    format INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    texts TEXT NOT NULL,
    batch TEXT NOT NULL,
    problem TEXT NOT NULL,
    outcome TEXT NOT NULL
  ) STRICT`,
  // The file's history and the last commit that its tables contain (docs/adr/0023). Commits in the journal come after it.
  `CREATE TABLE commit_chain (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    history TEXT NOT NULL,
    seq INTEGER NOT NULL,
    digest TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    copied_ms INTEGER
  ) STRICT`,
  // The database to which a file's history was moved (docs/design/moving.md).
  `CREATE TABLE moved_to (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    target TEXT NOT NULL,
    moved_ms INTEGER NOT NULL
  ) STRICT`,
];

/**
 * The file from which a PostgreSQL database is being filled, and the progress, as JSON. The file's last commit is recorded, so that a later
 * write to the file is noticed.
 */
const MOVED_FROM = `CREATE TABLE moved_from (
      one BIGINT PRIMARY KEY CHECK (one = 1),
      history TEXT COLLATE "C" NOT NULL,
      commit_seq BIGINT NOT NULL,
      commit_digest TEXT COLLATE "C" NOT NULL,
      progress TEXT COLLATE "C" NOT NULL,
      started_ms BIGINT NOT NULL,
      ended_ms BIGINT
    )`;
