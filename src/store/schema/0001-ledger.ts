import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/**
 * Money columns hold whole micro units within the range in which JSON numbers are exact; checks enforce the range in
 * the database too. Days are counted from 1970-01-01. Booleans are 0 or 1. JSON is stored as text, because it is never
 * searched.
 */
export const ledgerMigration: Migration = {
  version: 1,
  name: "accounts, keys, requests, entries",
  compatible_from: 1,
  statements: (dialect) => [...tables(dialect), ...indices(), ...(dialect === "sqlite" ? SQLITE_LAWS : POSTGRES_LAWS)],
};

const MAX = "9007199254740991";

function tables(dialect: Dialect): string[] {
  const int = dialect === "sqlite" ? "INTEGER" : "BIGINT";
  const bytes = dialect === "sqlite" ? "BLOB" : "BYTEA";
  const serial = dialect === "sqlite" ? "INTEGER PRIMARY KEY" : "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY";
  // Ids and codes are compared byte by byte: this is quicker, and the order is equal on both databases.
  const text = dialect === "sqlite" ? "TEXT" : 'TEXT COLLATE "C"';
  // On SQLite, a table whose key is text is its own index.
  const clustered = dialect === "sqlite" ? " STRICT, WITHOUT ROWID" : "";
  // Rows that every request changes get free space in their page, so that PostgreSQL changes them in place.
  const hot = dialect === "sqlite" ? " STRICT, WITHOUT ROWID" : " WITH (fillfactor = 50)";
  const plain = dialect === "sqlite" ? " STRICT" : "";
  const amount = (name: string): string => `${name} ${int} NOT NULL CHECK (${name} BETWEEN 0 AND ${MAX})`;
  // For each row, SQLite builds a table for an IN of more than two values; comparisons cost nothing.
  const oneOf = (name: string, ...values: string[]): string =>
    `CHECK (${values.map((value) => `${name} = '${value}'`).join(" OR ")})`;
  const flag = (name: string): string => `${name} ${int} NOT NULL DEFAULT 0 CHECK (${name} = 0 OR ${name} = 1)`;
  const signed = (name: string): string => `${name} ${int} NOT NULL CHECK (${name} BETWEEN -${MAX} AND ${MAX})`;
  const count = (name: string): string => `${name} ${int} NOT NULL DEFAULT 0 CHECK (${name} >= 0)`;

  return [
    `CREATE TABLE accounts (
      id ${text} PRIMARY KEY,
      email ${text} NOT NULL,
      email_key ${text} NOT NULL UNIQUE,
      name ${text} NOT NULL,
      status ${text} NOT NULL ${oneOf("status", "active", "disabled")},
      created_ms ${int} NOT NULL,
      ${amount("balance_micro")},
      ${amount("held_micro")},
      ${amount("posted_micro")},
      ${count("entry_count")},
      CHECK (balance_micro + held_micro = posted_micro)
    )${hot}`,
    `CREATE TABLE keys (
      id ${text} PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (id),
      name ${text} NOT NULL,
      hash ${text} UNIQUE,
      hint ${text} NOT NULL,
      status ${text} NOT NULL ${oneOf("status", "active", "disabled", "revoked")},
      aliases ${text} NOT NULL,
      prefix_aliases ${text} NOT NULL,
      models ${text},
      rpm ${int},
      tpm ${int},
      concurrent ${int},
      budget_micro ${int} CHECK (budget_micro BETWEEN 0 AND ${MAX}),
      budget_window ${text} ${oneOf("budget_window", "day", "week", "month")},
      expires_ms ${int},
      created_ms ${int} NOT NULL,
      version ${int} NOT NULL,
      deleted_ms ${int},
      CHECK ((budget_micro IS NULL) = (budget_window IS NULL)),
      CHECK ((deleted_ms IS NULL) = (hash IS NOT NULL))
    )${clustered}`,
    `CREATE TABLE key_state (
      key_id ${text} PRIMARY KEY REFERENCES keys (id),
      requests_limit ${int},
      requests_used_units ${int},
      requests_at_ms ${int},
      tokens_limit ${int},
      tokens_used_units ${int},
      tokens_at_ms ${int},
      ${count("open_count")},
      ${amount("held_micro")},
      spent_window ${text},
      spent_start_day ${int},
      ${amount("spent_micro")},
      last_used_ms ${int}
    )${hot}`,
    `CREATE TABLE requests (
      seq ${serial},
      id ${text} NOT NULL UNIQUE,
      client_request_id ${text},
      account_id ${text} NOT NULL REFERENCES accounts (id),
      key_id ${text} NOT NULL REFERENCES keys (id),
      endpoint ${text} NOT NULL,
      ${flag("stream")},
      requested_model ${text} NOT NULL,
      model ${text} NOT NULL,
      price ${text} NOT NULL,
      status ${text} NOT NULL ${oneOf("status", "held", "settled", "voided", "expired")},
      node_id ${text} NOT NULL,
      created_ms ${int} NOT NULL,
      deadline_ms ${int} NOT NULL,
      ${amount("hold_micro")},
      ${count("bound_tokens")},
      idempotency_key ${text},
      progress ${text},
      ${amount("charge_micro")} DEFAULT 0,
      ${amount("operator_loss_micro")} DEFAULT 0,
      input_tokens ${int},
      cache_read_tokens ${int},
      cache_write_tokens ${int},
      output_tokens ${int},
      reasoning_tokens ${int},
      ${flag("estimated")},
      ${flag("success")},
      error ${text},
      attempts ${text} NOT NULL DEFAULT '[]',
      ended_ms ${int},
      queue_ms ${int},
      first_byte_ms ${int},
      duration_ms ${int},
      CHECK ((status = 'held') = (ended_ms IS NULL)),
      CHECK (charge_micro = 0 OR status = 'settled' OR status = 'expired')
    )${plain}`,
    `CREATE TABLE entries (
      account_id ${text} NOT NULL REFERENCES accounts (id),
      seq ${int} NOT NULL CHECK (seq > 0),
      kind ${text} NOT NULL ${oneOf("kind", "credit", "charge", "correction")},
      ${signed("amount_micro")},
      ${amount("posted_after_micro")},
      request_id ${text} REFERENCES requests (id),
      note ${text} NOT NULL,
      actor ${text} NOT NULL,
      created_ms ${int} NOT NULL,
      PRIMARY KEY (account_id, seq),
      CHECK ((kind = 'charge') = (request_id IS NOT NULL)),
      CHECK (kind <> 'charge' OR amount_micro < 0),
      CHECK (kind <> 'credit' OR amount_micro > 0)
    )${clustered}`,
    `CREATE TABLE idempotency (
      account_id ${text} NOT NULL REFERENCES accounts (id),
      key ${text} NOT NULL,
      fingerprint ${text} NOT NULL,
      request_id ${text} NOT NULL,
      expires_ms ${int} NOT NULL,
      state ${text} NOT NULL ${oneOf("state", "running", "kept", "not_kept")},
      status ${int},
      content_type ${text},
      headers ${text},
      body ${bytes},
      PRIMARY KEY (account_id, key),
      CHECK ((state = 'kept') = (body IS NOT NULL))
    )${plain}`,
    `CREATE TABLE usage_days (
      account_id ${text} NOT NULL REFERENCES accounts (id),
      day ${int} NOT NULL,
      key_id ${text} NOT NULL,
      model ${text} NOT NULL,
      ${count("cost_micro")},
      ${count("prompt_tokens")},
      ${count("completion_tokens")},
      ${count("ended_count")},
      ${count("success_count")},
      ${count("refused_count")},
      ${count("replayed_count")},
      PRIMARY KEY (account_id, day, key_id, model)
    )${clustered}`,
    `CREATE TABLE nodes (
      id ${text} PRIMARY KEY,
      beat_ms ${int} NOT NULL
    )${clustered}`,
  ];
}

function indices(): string[] {
  return [
    "CREATE INDEX keys_of_account ON keys (account_id)",
    "CREATE INDEX requests_of_account ON requests (account_id, created_ms)",
    "CREATE INDEX requests_by_client_id ON requests (client_request_id) WHERE client_request_id IS NOT NULL",
    "CREATE INDEX requests_open ON requests (deadline_ms) WHERE status = 'held'",
    "CREATE UNIQUE INDEX one_charge_per_request ON entries (request_id) WHERE request_id IS NOT NULL",
    "CREATE INDEX idempotency_by_expiry ON idempotency (expires_ms)",
  ];
}

/**
 * Rules that no statement may break, whoever sends it: entries only grow and their sums chain; a request ends once. On
 * SQLite the two triggers on the hot path fire after the statement, which is cheaper and just as strict: the statement
 * is undone.
 */
const SQLITE_LAWS: readonly string[] = [
  `CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries never change'); END`,
  `CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries never go'); END`,
  `CREATE TRIGGER entries_chain AFTER INSERT ON entries
    WHEN NEW.posted_after_micro IS NOT NEW.amount_micro + CASE WHEN NEW.seq = 1 THEN 0 ELSE
      (SELECT posted_after_micro FROM entries WHERE account_id = NEW.account_id AND seq = NEW.seq - 1) END
    BEGIN SELECT RAISE(ABORT, 'the sums of entries must chain'); END`,
  `CREATE TRIGGER requests_end_once AFTER UPDATE ON requests WHEN OLD.status <> 'held'
    BEGIN SELECT RAISE(ABORT, 'a request that has ended never changes'); END`,
];

const POSTGRES_LAWS: readonly string[] = [
  `CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION '%', TG_ARGV[0]; END $$`,
  `CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
    FOR EACH ROW EXECUTE FUNCTION refuse_change('entries never change')`,
  `CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
    FOR EACH ROW EXECUTE FUNCTION refuse_change('entries never go')`,
  `CREATE FUNCTION check_entries_chain() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (NEW.posted_after_micro IS DISTINCT FROM NEW.amount_micro + CASE WHEN NEW.seq = 1 THEN 0 ELSE
        (SELECT posted_after_micro FROM entries WHERE account_id = NEW.account_id AND seq = NEW.seq - 1) END)
      THEN RAISE EXCEPTION 'the sums of entries must chain'; END IF;
      RETURN NEW;
    END $$`,
  `CREATE TRIGGER entries_chain BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION check_entries_chain()`,
  `CREATE TRIGGER requests_end_once BEFORE UPDATE ON requests
    FOR EACH ROW WHEN (OLD.status <> 'held')
    EXECUTE FUNCTION refuse_change('a request that has ended never changes')`,
];
