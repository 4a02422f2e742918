import type { Migration } from "./migrations.ts";

/**
 * What a batch costs a PostgreSQL server (docs/adr/0035). The laws are the same; they are checked once for all rows of a statement, and
 * not once for each row. SQLite has one writer beside its file, and nothing changes there. Programs from before work on as they did.
 */
export const postgresBatchesMigration: Migration = {
  version: 18,
  name: "laws by statement, rows that change in their page",
  compatible_from: 16,
  statements: (dialect) => (dialect === "sqlite" ? [] : POSTGRES),
};

const POSTGRES: readonly string[] = [
  // Requests: a new one has an account and a key, and no request that has ended has its id.
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
  "DROP TRIGGER requests_are_new ON requests_held",
  "DROP FUNCTION check_request_is_new()",
  `ALTER TABLE requests_held DROP CONSTRAINT requests_held_account_id_fkey, DROP CONSTRAINT requests_held_key_id_fkey`,
  // A running request has only a hold to be checked: the others are checked when its row moves to those that have ended.
  ...[
    ...["charge_micro_check", "check", "check1", "status_check", "bound_tokens_check", "charge_seq_check"],
    ...["estimated_check", "success_check", "stream_check", "operator_loss_micro_check", "extended_micro_check"],
    "upstream_cost_micro_check",
  ].map((name) => `ALTER TABLE requests_held DROP CONSTRAINT requests_${name}`),
  // Running requests are few: who wants them in order sorts them.
  "ALTER TABLE requests_held DROP CONSTRAINT requests_held_pkey",
  // Entries: an account's sums chain, and a charge is the one that its request names. The request is looked up by its id alone: in a young
  // table the account's index would look as good, and is read from end to end.
  `CREATE FUNCTION check_new_entries() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE broken bigint; unnamed bigint; homeless bigint;
    BEGIN
      SELECT
        count(*) FILTER (WHERE f.posted_after_micro IS DISTINCT FROM
          f.amount_micro + CASE WHEN f.seq = 1 THEN 0 ELSE p.posted_after_micro END),
        count(*) FILTER (WHERE f.kind = 'charge' AND (r.id IS NULL OR r.account_id <> f.account_id
          OR r.charge_seq IS DISTINCT FROM CASE WHEN f.actor = '' THEN f.seq END)),
        count(*) FILTER (WHERE a.id IS NULL)
        INTO broken, unnamed, homeless
        FROM fresh AS f LEFT JOIN accounts AS a ON a.id = f.account_id
          LEFT JOIN entries AS p ON p.account_id = f.account_id AND p.seq = f.seq - 1
          LEFT JOIN requests AS r ON r.id = f.request_id AND r.status <> 'held';
      IF broken > 0 THEN RAISE EXCEPTION 'the sums of entries must chain'; END IF;
      IF unnamed > 0 THEN RAISE EXCEPTION 'a charge is the one that its request names'; END IF;
      IF homeless > 0 THEN RAISE EXCEPTION 'an entry has an account'; END IF;
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER entries_hold_together AFTER INSERT ON entries REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION check_new_entries()`,
  "DROP TRIGGER entries_chain ON entries",
  "DROP FUNCTION check_entries_chain()",
  "ALTER TABLE entries DROP CONSTRAINT entries_account_id_fkey",
  // Room in each page for what changes in it: the day's sums, the rules of top-ups, the nodes' beats.
  "ALTER TABLE usage_days SET (fillfactor = 70)",
  "ALTER TABLE auto_top_ups SET (fillfactor = 50)",
  "ALTER TABLE nodes SET (fillfactor = 50)",
  "ALTER TABLE chores SET (fillfactor = 50)",
  // An answer that is kept lies beside its record's page, which so has room for the record's end.
  "ALTER TABLE idempotency SET (fillfactor = 50, toast_tuple_target = 128)",
  // What all accounts used on some days (the administrators' reports) is found without reading all days.
  "CREATE INDEX usage_days_by_day ON usage_days (day)",
];
