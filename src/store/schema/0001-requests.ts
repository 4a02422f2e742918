import { UNIT_COUNTS } from "../../core/money/price-classes.ts";
import type { Dialect } from "../sql/statement.ts";
import { columnTypes, inRange, isFlag, isOneOf, refusal } from "./column-types.ts";
import { monthOf } from "./request-partitions.ts";

/** Requests, running and ended, and what belongs to one: its late end, its answer that is kept. */
export function requestTables(dialect: Dialect, made_ms: number): string[] {
  const { text, plain, serial } = columnTypes(dialect);
  return [
    // Texts that many requests have alike, such as a price list: their rows have its number (docs/design/storage.md). It is found by its digest, as
    // PostgreSQL's index takes no text of any length.
    `CREATE TABLE texts (
      no ${serial},
      digest ${text} NOT NULL UNIQUE,
      text ${text} NOT NULL
    )${plain}`,
    ...(dialect === "sqlite" ? sqliteRequests() : postgresRequests(made_ms)),
    ...lateSettlements(dialect),
    ...idempotency(dialect),
  ];
}

/** Every row has this check. On PostgreSQL a running request has no other, and meets the rest when it ends. */
const HOLD_CHECK = `CHECK (${inRange("hold_micro")})`;
const CHECKS: readonly string[] = [
  `CHECK (${isFlag("stream")})`,
  `CHECK (${isOneOf("status", "held", "settled", "voided", "expired")})`,
  HOLD_CHECK,
  "CHECK (bound_tokens >= 0)",
  `CHECK (${inRange("charge_micro")})`,
  `CHECK (${inRange("operator_loss_micro")})`,
  `CHECK (${isFlag("estimated")})`,
  `CHECK (${isFlag("success")})`,
  `CHECK (${inRange("extended_micro")})`,
  `CHECK (${inRange("upstream_cost_micro")})`,
  "CHECK (charge_seq > 0)",
  "CHECK ((status = 'held') = (ended_ms IS NULL))",
  "CHECK (charge_micro = 0 OR status = 'settled' OR status = 'expired')",
];

/**
 * `charge_seq` is the entry of the request's charge, `upstream_cost_micro` the cost of the decision engine's own calls (docs/rulings.md 40),
 * `project_id` the project of the key when the request was admitted. `usage_extra`, `tags` (as the request carries them) and `tags_counted`
 * (where that differs), and `rules` (the rules of limits that count the request, with their values) are JSON, and null for nearly every request. A single attempt of which nothing rare is recorded is `attempt_no` and two
 * times; others are JSON in `attempts`. `requested_model` is null where it is the model that answered. `answer_digest` is of the answer's own id, `hook_ms` null where no hook was asked.
 */
function columns(dialect: Dialect): string {
  const { int, text } = columnTypes(dialect);
  const is_sqlite = dialect === "sqlite";
  const reference = (table: string): string => (is_sqlite ? ` REFERENCES ${table} (id)` : "");
  return [
    is_sqlite ? "seq INTEGER PRIMARY KEY" : "seq BIGINT NOT NULL DEFAULT nextval('requests_seq')",
    `id ${text} NOT NULL${is_sqlite ? " UNIQUE" : ""}`,
    `client_request_id ${text}`,
    `account_id ${text} NOT NULL${reference("accounts")}`,
    `key_id ${text} NOT NULL${reference("keys")}`,
    // Numbers of `texts`, and the times of one attempt: six of four bytes, together, as PostgreSQL aligns them.
    ...["endpoint_no", "model_no", "price_no"].map((name) => `${name} INTEGER NOT NULL`),
    ...["attempt_no", "attempt_first_byte_ms", "attempt_duration_ms"].map((name) => `${name} INTEGER`),
    `stream ${int} NOT NULL DEFAULT 0`,
    `requested_model ${text}`,
    ...["status", "node_id"].map((name) => `${name} ${text} NOT NULL`),
    `created_ms ${int} NOT NULL`,
    // On PostgreSQL an ended request has NULL in both: a zero takes eight bytes and a NULL none.
    `deadline_ms ${int}${is_sqlite ? " NOT NULL" : ""}`,
    `hold_micro ${int} NOT NULL`,
    `bound_tokens ${int}${is_sqlite ? " NOT NULL" : ""} DEFAULT 0`,
    `idempotency_key ${text}`,
    `progress ${text}`,
    ...["charge_micro", "operator_loss_micro"].map((name) => `${name} ${int} NOT NULL DEFAULT 0`),
    ...["input", "cache_read", "cache_write", "output", "reasoning"].map((name) => `${name}_tokens ${int}`),
    ...["estimated", "success"].map((name) => `${name} ${int} NOT NULL DEFAULT 0`),
    `error ${text}`,
    `attempts ${text}`,
    ...["ended_ms", "queue_ms", "first_byte_ms", "duration_ms"].map((name) => `${name} ${int}`),
    `extended_micro ${int} NOT NULL DEFAULT 0`,
    `upstream_cost_micro ${int}`,
    `usage_extra ${text}`,
    `charge_seq ${int}`,
    ...["project_id", "tags", "tags_counted", "rules"].map((name) => `${name} ${text}`),
    ...["answer_digest", "hook_ms"].map((name) => `${name} ${int}`),
  ].join(",\n      ");
}

/** Indices of ended requests on PostgreSQL, and of all on SQLite. Requests that failed are few, and are looked for among all. */
function indices(table: string): string[] {
  return [
    `CREATE INDEX requests_by_client_id ON ${table} (client_request_id) WHERE client_request_id IS NOT NULL`,
    `CREATE INDEX requests_failed ON ${table} (id) WHERE error IS NOT NULL`,
    `CREATE INDEX requests_failed_of_account ON ${table} (account_id, created_ms) WHERE error IS NOT NULL`,
    "CREATE INDEX requests_with_tags ON requests (account_id, created_ms) WHERE tags IS NOT NULL",
  ];
}

function sqliteRequests(): string[] {
  return [
    `CREATE TABLE requests (
      ${columns("sqlite")},
      ${CHECKS.join(",\n      ")}
    ) STRICT`,
    "CREATE INDEX requests_of_account ON requests (account_id, created_ms)",
    "CREATE INDEX requests_open ON requests (deadline_ms) WHERE status = 'held'",
    ...indices("requests"),
    // It fires after the statement, which is cheaper and just as strict: the statement is undone.
    `CREATE TRIGGER requests_end_once AFTER UPDATE ON requests WHEN OLD.status <> 'held'
    BEGIN SELECT RAISE(ABORT, 'a request that has ended never changes'); END`,
  ];
}

/** An ended request's key: its account, its time and its place (docs/scale.md). */
const ENDED_KEY = "PRIMARY KEY (account_id, created_ms, seq)";

/**
 * Running requests have a small partition of their own, in which rows change in place. The end of a request moves its row to the ended ones,
 * where it is inserted once and never changes (docs/design/storage.md). These are partitioned by the month of their ids (docs/adr/0057),
 * from the month in which the tables are made. Statements use `requests` and need not know of the partitions.
 */
function postgresRequests(made_ms: number): string[] {
  const { from_id } = monthOf(made_ms);
  return [
    // `seq` is unique within each partition; the sequence makes it unique across all of them.
    "CREATE SEQUENCE requests_seq",
    `CREATE TABLE requests (
      ${columns("postgres")}
    ) PARTITION BY LIST (status)`,
    `CREATE TABLE requests_held PARTITION OF requests (
      deadline_ms NOT NULL, bound_tokens NOT NULL, ${HOLD_CHECK}, PRIMARY KEY (account_id, id), UNIQUE (id)
    ) FOR VALUES IN ('held')
      WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 2000)`,
    `CREATE TABLE requests_ended PARTITION OF requests (
      ${CHECKS.join(",\n      ")},
      CONSTRAINT requests_id_key UNIQUE (id)
    ) DEFAULT PARTITION BY RANGE (id)`,
    `CREATE TABLE requests_early PARTITION OF requests_ended (${ENDED_KEY}) FOR VALUES FROM (MINVALUE) TO ('${from_id}')`,
    `CREATE TABLE requests_other PARTITION OF requests_ended (${ENDED_KEY}) DEFAULT`,
    ...indices("requests_ended"),
    "CREATE INDEX requests_by_seq ON requests_ended (seq)",
    `CREATE TRIGGER requests_end_once BEFORE UPDATE ON requests
    FOR EACH ROW WHEN (OLD.status <> 'held')
    EXECUTE FUNCTION refuse_change('a request that has ended never changes')`,
    // A new request has an account and a key, which are never deleted, and no request that has ended has its id: each partition has its own
    // index of ids. Checked once for all rows of a statement (docs/adr/0035).
    `CREATE FUNCTION check_new_requests() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE ended bigint; homeless bigint;
    BEGIN
      SELECT count(e.id), count(*) FILTER (WHERE a.id IS NULL OR k.id IS NULL) INTO ended, homeless
        FROM fresh AS f LEFT JOIN requests_ended AS e ON e.id = f.id
          LEFT JOIN accounts AS a ON a.id = f.account_id LEFT JOIN keys AS k ON k.id = f.key_id
        WHERE f.status = 'held';
      IF ended > 0 THEN RAISE EXCEPTION 'a request with this id has ended already'; END IF;
      IF homeless > 0 THEN RAISE EXCEPTION 'a request has an account and a key'; END IF;
      RETURN NULL;
    END $$`,
    `CREATE TRIGGER requests_are_new AFTER INSERT ON requests REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION check_new_requests()`,
  ];
}

/**
 * Ends of requests that came after a recovery had ended the hold (docs/rulings.md 146): one for a request at most. What a row adds to the
 * request's own row: amounts and counts may be negative.
 */
function lateSettlements(dialect: Dialect): string[] {
  const { int, text, clustered, signed } = columnTypes(dialect);
  return [
    `CREATE TABLE late_settlements (
      request_id ${text} PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (id),
      entry_seq ${int} CHECK (entry_seq > 0),
      booked_ms ${int} NOT NULL,
      ${signed("difference_micro")},
      ${signed("prompt_tokens")},
      ${signed("completion_tokens")},
      success_count ${int} NOT NULL CHECK (${isFlag("success_count")}),
      ${UNIT_COUNTS.map(signed).join(",\n      ")},
      outcome ${text} NOT NULL,
      CHECK ((difference_micro = 0) = (entry_seq IS NULL))
    )${clustered}`,
    refusal(dialect, "late_settlements_never_change", "UPDATE ON late_settlements", "late settlements never change"),
  ];
}

function idempotency(dialect: Dialect): string[] {
  const { int, text, bytes, plain } = columnTypes(dialect);
  // A stored answer lies outside its record's page, so that the page has room for the record's end.
  const room = dialect === "sqlite" ? plain : " WITH (fillfactor = 50, toast_tuple_target = 128)";
  return [
    `CREATE TABLE idempotency (
      account_id ${text} NOT NULL REFERENCES accounts (id),
      key ${text} NOT NULL,
      fingerprint ${text} NOT NULL,
      request_id ${text} NOT NULL,
      expires_ms ${int} NOT NULL,
      state ${text} NOT NULL CHECK (${isOneOf("state", "running", "kept", "not_kept")}),
      status ${int},
      content_type ${text},
      headers ${text},
      body ${bytes},
      PRIMARY KEY (account_id, key),
      CHECK ((state = 'kept') = (body IS NOT NULL))
    )${room}`,
    "CREATE INDEX idempotency_by_expiry ON idempotency (expires_ms)",
  ];
}
