import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/**
 * What the gateway does beside its calls: the daily audit and the deletion of old requests (docs/adr/0024). One node does a
 * chore at a time, and all nodes show its outcome.
 */
export const choresMigration: Migration = {
  version: 14,
  name: "chores, corrections by id, retention",
  compatible_from: 1,
  statements,
};

function statements(dialect: Dialect): string[] {
  const int = dialect === "sqlite" ? "INTEGER" : "BIGINT";
  const text = dialect === "sqlite" ? "TEXT" : 'TEXT COLLATE "C"';
  const clustered = dialect === "sqlite" ? " STRICT, WITHOUT ROWID" : "";
  return [
    `CREATE TABLE chores (
      name ${text} PRIMARY KEY,
      node_id ${text} NOT NULL,
      started_ms ${int} NOT NULL,
      beat_ms ${int} NOT NULL,
      ended_ms ${int},
      result ${text}
    )${clustered}`,
    `CREATE TABLE marks (
      name ${text} PRIMARY KEY,
      value ${int} NOT NULL
    )${clustered}`,
    // The ids by which credits and corrections are booked once: for ever, as their entries.
    `CREATE TABLE entry_ids (
      id ${text} PRIMARY KEY,
      account_id ${text} NOT NULL,
      seq ${int} NOT NULL CHECK (seq > 0)
    )${clustered}`,
    ...(dialect === "sqlite" ? SQLITE_ENTRIES : POSTGRES_ENTRIES),
  ];
}

/** Entries outlive their requests, so they name them without a reference. SQLite drops a reference with its table only. */
const POSTGRES_ENTRIES: readonly string[] = ["ALTER TABLE entries DROP CONSTRAINT entries_request_id_fkey"];

const MAX = "9007199254740991";
const COLUMNS =
  "account_id, seq, kind, amount_micro, posted_after_micro, request_id, note, actor, created_ms, corrects_seq";

const SQLITE_ENTRIES: readonly string[] = [
  `CREATE TABLE entries_kept (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      seq INTEGER NOT NULL CHECK (seq > 0),
      kind TEXT NOT NULL CHECK (kind = 'credit' OR kind = 'charge' OR kind = 'correction'),
      amount_micro INTEGER NOT NULL CHECK (amount_micro BETWEEN -${MAX} AND ${MAX}),
      posted_after_micro INTEGER NOT NULL CHECK (posted_after_micro BETWEEN 0 AND ${MAX}),
      request_id TEXT,
      note TEXT NOT NULL,
      actor TEXT NOT NULL,
      created_ms INTEGER NOT NULL,
      corrects_seq INTEGER CHECK (corrects_seq IS NULL OR (kind = 'correction' AND corrects_seq > 0 AND corrects_seq < seq)),
      PRIMARY KEY (account_id, seq),
      CHECK ((kind = 'charge') = (request_id IS NOT NULL)),
      CHECK (kind <> 'charge' OR amount_micro < 0),
      CHECK (kind <> 'credit' OR amount_micro > 0)
    ) STRICT, WITHOUT ROWID`,
  `INSERT INTO entries_kept (${COLUMNS}) SELECT ${COLUMNS} FROM entries ORDER BY account_id, seq`,
  "DROP TABLE entries",
  "ALTER TABLE entries_kept RENAME TO entries",
  "CREATE UNIQUE INDEX one_charge_per_request ON entries (request_id) WHERE request_id IS NOT NULL",
  "CREATE INDEX entries_not_charges ON entries (account_id, kind, seq) WHERE kind <> 'charge'",
  `CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries never change'); END`,
  `CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries never go'); END`,
  `CREATE TRIGGER entries_chain AFTER INSERT ON entries
    WHEN NEW.posted_after_micro IS NOT NEW.amount_micro + CASE WHEN NEW.seq = 1 THEN 0 ELSE
      (SELECT posted_after_micro FROM entries WHERE account_id = NEW.account_id AND seq = NEW.seq - 1) END
    BEGIN SELECT RAISE(ABORT, 'the sums of entries must chain'); END`,
];
