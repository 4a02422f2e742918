import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/**
 * Money columns hold whole micro units within what a JSON number is exact for; the checks say so to the database too.
 * Days are counted from 1970-01-01. Booleans are 0 or 1. What is JSON is text: it is never searched.
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
  // A table whose key is text is its own index on SQLite.
  const clustered = dialect === "sqlite" ? " STRICT, WITHOUT ROWID" : "";
  const plain = dialect === "sqlite" ? " STRICT" : "";
  const amount = (name: string): string => `${name} ${int} NOT NULL CHECK (${name} BETWEEN 0 AND ${MAX})`;
  const signed = (name: string): string => `${name} ${int} NOT NULL CHECK (${name} BETWEEN -${MAX} AND ${MAX})`;
  const count = (name: string): string => `${name} ${int} NOT NULL DEFAULT 0 CHECK (${name} >= 0)`;

  return [
    `CREATE TABLE accounts (
      id TEXT PRIMARY KEY,
      email TEXT NOT NULL,
      email_key TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
      created_ms ${int} NOT NULL,
      ${amount("balance_micro")},
      ${amount("held_micro")},
      ${amount("posted_micro")},
      ${count("entry_count")},
      CHECK (balance_micro + held_micro = posted_micro)
    )${clustered}`,
    `CREATE TABLE keys (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      name TEXT NOT NULL,
      hash TEXT UNIQUE,
      hint TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('active', 'disabled', 'revoked')),
      aliases TEXT NOT NULL,
      prefix_aliases TEXT NOT NULL,
      models TEXT,
      rpm ${int},
      tpm ${int},
      concurrent ${int},
      budget_micro ${int} CHECK (budget_micro BETWEEN 0 AND ${MAX}),
      budget_window TEXT CHECK (budget_window IN ('day', 'week', 'month')),
      expires_ms ${int},
      created_ms ${int} NOT NULL,
      version ${int} NOT NULL,
      deleted_ms ${int},
      CHECK ((budget_micro IS NULL) = (budget_window IS NULL)),
      CHECK ((deleted_ms IS NULL) = (hash IS NOT NULL))
    )${clustered}`,
    `CREATE TABLE key_state (
      key_id TEXT PRIMARY KEY REFERENCES keys (id),
      requests_limit ${int},
      requests_used_units ${int},
      requests_at_ms ${int},
      tokens_limit ${int},
      tokens_used_units ${int},
      tokens_at_ms ${int},
      ${count("open_count")},
      ${amount("held_micro")},
      spent_window TEXT,
      spent_start_day ${int},
      ${amount("spent_micro")},
      last_used_ms ${int}
    )${clustered}`,
    `CREATE TABLE requests (
      seq ${serial},
      id TEXT NOT NULL UNIQUE,
      client_request_id TEXT,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      key_id TEXT NOT NULL REFERENCES keys (id),
      endpoint TEXT NOT NULL,
      stream ${int} NOT NULL CHECK (stream IN (0, 1)),
      requested_model TEXT NOT NULL,
      model TEXT NOT NULL,
      price TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('held', 'settled', 'voided', 'expired')),
      node_id TEXT NOT NULL,
      created_ms ${int} NOT NULL,
      deadline_ms ${int} NOT NULL,
      ${amount("hold_micro")},
      ${count("bound_tokens")},
      idempotency_key TEXT,
      progress TEXT,
      ${amount("charge_micro")} DEFAULT 0,
      ${amount("operator_loss_micro")} DEFAULT 0,
      input_tokens ${int},
      cache_read_tokens ${int},
      cache_write_tokens ${int},
      output_tokens ${int},
      reasoning_tokens ${int},
      estimated ${int} NOT NULL DEFAULT 0 CHECK (estimated IN (0, 1)),
      success ${int} NOT NULL DEFAULT 0 CHECK (success IN (0, 1)),
      error TEXT,
      attempts TEXT NOT NULL DEFAULT '[]',
      ended_ms ${int},
      queue_ms ${int},
      first_byte_ms ${int},
      duration_ms ${int},
      CHECK ((status = 'held') = (ended_ms IS NULL)),
      CHECK (status IN ('settled', 'expired') OR charge_micro = 0)
    )${plain}`,
    `CREATE TABLE entries (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      seq ${int} NOT NULL CHECK (seq > 0),
      kind TEXT NOT NULL CHECK (kind IN ('credit', 'charge', 'correction')),
      ${signed("amount_micro")},
      ${amount("posted_after_micro")},
      request_id TEXT REFERENCES requests (id),
      note TEXT NOT NULL,
      actor TEXT NOT NULL,
      created_ms ${int} NOT NULL,
      PRIMARY KEY (account_id, seq),
      CHECK ((kind = 'charge') = (request_id IS NOT NULL)),
      CHECK (kind <> 'charge' OR amount_micro < 0),
      CHECK (kind <> 'credit' OR amount_micro > 0)
    )${clustered}`,
    `CREATE TABLE idempotency (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      key TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      request_id TEXT NOT NULL,
      expires_ms ${int} NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('running', 'kept', 'not_kept')),
      status ${int},
      content_type TEXT,
      headers TEXT,
      body ${bytes},
      PRIMARY KEY (account_id, key),
      CHECK ((state = 'kept') = (body IS NOT NULL))
    )${plain}`,
    `CREATE TABLE usage_days (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      day ${int} NOT NULL,
      key_id TEXT NOT NULL,
      model TEXT NOT NULL,
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
      id TEXT PRIMARY KEY,
      beat_ms ${int} NOT NULL
    )${clustered}`,
  ];
}

function indices(): string[] {
  return [
    "CREATE INDEX keys_of_account ON keys (account_id)",
    "CREATE INDEX requests_of_account ON requests (account_id, created_ms)",
    "CREATE INDEX requests_by_client_id ON requests (client_request_id) WHERE client_request_id IS NOT NULL",
    "CREATE INDEX requests_open ON requests (node_id, deadline_ms) WHERE status = 'held'",
    "CREATE UNIQUE INDEX one_charge_per_request ON entries (request_id) WHERE request_id IS NOT NULL",
    "CREATE INDEX idempotency_by_expiry ON idempotency (expires_ms)",
  ];
}

/** What no statement may break, whoever sends it: entries only grow and their sums chain; a request ends once. */
const SQLITE_LAWS: readonly string[] = [
  `CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries never change'); END`,
  `CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries never go'); END`,
  `CREATE TRIGGER entries_chain BEFORE INSERT ON entries
    WHEN NEW.posted_after_micro IS NOT NEW.amount_micro + CASE WHEN NEW.seq = 1 THEN 0 ELSE
      (SELECT posted_after_micro FROM entries WHERE account_id = NEW.account_id AND seq = NEW.seq - 1) END
    BEGIN SELECT RAISE(ABORT, 'the sums of entries must chain'); END`,
  `CREATE TRIGGER requests_end_once BEFORE UPDATE ON requests WHEN OLD.status <> 'held'
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
      IF NEW.posted_after_micro IS DISTINCT FROM NEW.amount_micro + CASE WHEN NEW.seq = 1 THEN 0 ELSE
        (SELECT posted_after_micro FROM entries WHERE account_id = NEW.account_id AND seq = NEW.seq - 1) END
      THEN RAISE EXCEPTION 'the sums of entries must chain'; END IF;
      RETURN NEW;
    END $$`,
  `CREATE TRIGGER entries_chain BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION check_entries_chain()`,
  `CREATE TRIGGER requests_end_once BEFORE UPDATE ON requests
    FOR EACH ROW WHEN (OLD.status <> 'held')
    EXECUTE FUNCTION refuse_change('a request that has ended never changes')`,
];
