import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/**
 * What makes a million requests weigh less (docs/adr/0032). Existing rows stay as they are: every reader knows both shapes. An
 * older program could not read the new rows.
 */
export const weightsMigration: Migration = {
  version: 15,
  name: "shared texts, charges named by their requests, running requests apart",
  compatible_from: 15,
  statements,
};

function statements(dialect: Dialect): string[] {
  const int = dialect === "sqlite" ? "INTEGER" : "BIGINT";
  const text = dialect === "sqlite" ? "TEXT" : 'TEXT COLLATE "C"';
  const serial = dialect === "sqlite" ? "INTEGER PRIMARY KEY" : "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY";
  const clustered = dialect === "sqlite" ? " STRICT, WITHOUT ROWID" : "";
  return [
    // Texts that many rows have, such as a price list: a row has the number in place of the text.
    `CREATE TABLE texts (
      no ${serial},
      text ${text} NOT NULL UNIQUE
    )${dialect === "sqlite" ? " STRICT" : ""}`,
    // The entry of the request's charge. Null without a charge, and on rows of earlier programs.
    `ALTER TABLE requests ADD COLUMN charge_seq ${int} CHECK (charge_seq > 0)`,
    // The charges of requests that were deleted: an entry stays for ever, and is found by its request for ever.
    `CREATE TABLE gone_charges (
      request_id ${text} PRIMARY KEY,
      account_id ${text} NOT NULL,
      seq ${int} NOT NULL CHECK (seq > 0)
    )${clustered}`,
    "DROP INDEX one_charge_per_request",
    // A charge without an actor is the gateway's, and the one that its request names: it needs no index.
    "CREATE UNIQUE INDEX one_charge_per_request ON entries (request_id) WHERE request_id IS NOT NULL AND actor <> ''",
    ...(dialect === "sqlite" ? [SQLITE_CHARGES] : [POSTGRES_CHARGES, ...POSTGRES_PARTITIONS]),
  ];
}

/** A request that has ended never changes and names one entry at most, so no second charge can be the one that it names. */
const SQLITE_CHARGES = `CREATE TRIGGER charges_are_named AFTER INSERT ON entries
    WHEN NEW.kind = 'charge' AND NOT EXISTS (SELECT 1 FROM requests WHERE id = NEW.request_id
      AND account_id = NEW.account_id AND charge_seq IS CASE WHEN NEW.actor = '' THEN NEW.seq END)
    BEGIN SELECT RAISE(ABORT, 'a charge is the one that its request names'); END`;

const POSTGRES_CHARGES = `CREATE OR REPLACE FUNCTION check_entries_chain() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (NEW.posted_after_micro IS DISTINCT FROM NEW.amount_micro + CASE WHEN NEW.seq = 1 THEN 0 ELSE
        (SELECT posted_after_micro FROM entries WHERE account_id = NEW.account_id AND seq = NEW.seq - 1) END)
      THEN RAISE EXCEPTION 'the sums of entries must chain'; END IF;
      IF NEW.kind = 'charge' AND NOT EXISTS (SELECT 1 FROM requests WHERE id = NEW.request_id AND status <> 'held'
        AND account_id = NEW.account_id AND charge_seq IS NOT DISTINCT FROM CASE WHEN NEW.actor = '' THEN NEW.seq END)
      THEN RAISE EXCEPTION 'a charge is the one that its request names'; END IF;
      RETURN NEW;
    END $$`;

/**
 * Running requests have a partition of their own, which stays small: there rows change in place. The end of a request moves its
 * row to the others, where it is inserted once and never changes, so that nothing dead lies between the rows of a million. Whoever
 * changes or reads `requests` needs not know of it, programs that were started before the migration included.
 */
const POSTGRES_PARTITIONS: readonly string[] = [
  "CREATE SEQUENCE requests_seq",
  "SELECT setval('requests_seq', (SELECT coalesce(max(seq), 0) + 1 FROM requests), false)",
  "ALTER TABLE requests RENAME TO requests_ended",
  "ALTER TABLE requests_ended ALTER COLUMN seq DROP IDENTITY",
  "ALTER TABLE requests_ended ALTER COLUMN seq SET DEFAULT nextval('requests_seq')",
  "DROP TRIGGER requests_end_once ON requests_ended",
  "DROP INDEX requests_open",
  // Accounts and keys are checked where a request begins. They are never deleted.
  "ALTER TABLE requests_ended DROP CONSTRAINT requests_account_id_fkey, DROP CONSTRAINT requests_key_id_fkey",
  "CREATE TABLE requests (LIKE requests_ended INCLUDING DEFAULTS) PARTITION BY LIST (status)",
  `CREATE TABLE requests_held (LIKE requests_ended INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
    WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
      autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 2000)`,
  `WITH moved AS (DELETE FROM requests_ended WHERE status = 'held' RETURNING *)
    INSERT INTO requests_held SELECT * FROM moved`,
  `ALTER TABLE requests_held ADD PRIMARY KEY (seq), ADD UNIQUE (id),
    ADD FOREIGN KEY (account_id) REFERENCES accounts (id), ADD FOREIGN KEY (key_id) REFERENCES keys (id)`,
  "ALTER TABLE requests ATTACH PARTITION requests_ended DEFAULT",
  "ALTER TABLE requests ATTACH PARTITION requests_held FOR VALUES IN ('held')",
  `CREATE TRIGGER requests_end_once BEFORE UPDATE ON requests
    FOR EACH ROW WHEN (OLD.status <> 'held')
    EXECUTE FUNCTION refuse_change('a request that has ended never changes')`,
  // Each partition has its own index of ids.
  `CREATE FUNCTION check_request_is_new() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT 1 FROM requests_ended WHERE id = NEW.id)
      THEN RAISE EXCEPTION 'a request with this id has ended already'; END IF;
      RETURN NEW;
    END $$`,
  `CREATE TRIGGER requests_are_new BEFORE INSERT ON requests_held
    FOR EACH ROW EXECUTE FUNCTION check_request_is_new()`,
];
