import type { Dialect } from "../sql/statement.ts";
import { columnTypes, isOneOf, refusal } from "./column-types.ts";

/** The entries of accounts, and rules that no statement may break, whoever sends it: entries only grow and their sums chain. */
export function entryTables(dialect: Dialect): string[] {
  const { int, text, amount, signed, clustered } = columnTypes(dialect);
  const is_sqlite = dialect === "sqlite";
  return [
    // Entries outlive their requests, so they name them without a reference. A correction names an earlier entry by its place, or none.
    // PostgreSQL checks the account with the sums, once for all rows of a statement.
    `CREATE TABLE entries (
      account_id ${text} NOT NULL${is_sqlite ? " REFERENCES accounts (id)" : ""},
      seq ${int} NOT NULL CHECK (seq > 0),
      kind ${text} NOT NULL CHECK (${isOneOf("kind", "credit", "charge", "correction")}),
      ${signed("amount_micro")},
      ${amount("posted_after_micro")},
      request_id ${text},
      note ${text} NOT NULL,
      actor ${text} NOT NULL,
      created_ms ${int} NOT NULL,
      corrects_seq ${int} CHECK (corrects_seq IS NULL OR (kind = 'correction' AND corrects_seq > 0 AND corrects_seq < seq)),
      PRIMARY KEY (account_id, seq),
      CHECK ((kind = 'charge') = (request_id IS NOT NULL)),
      CHECK (kind <> 'charge' OR amount_micro < 0),
      CHECK (kind <> 'credit' OR amount_micro > 0)
    )${clustered}`,
    // Most entries are charges; they are not in this index.
    "CREATE INDEX entries_not_charges ON entries (account_id, kind, seq) WHERE kind <> 'charge'",
    // The ids that make credits and corrections idempotent, kept for ever like their entries.
    `CREATE TABLE entry_ids (
      id ${text} PRIMARY KEY,
      account_id ${text} NOT NULL,
      seq ${int} NOT NULL CHECK (seq > 0)
    )${clustered}`,
    // The charges of deleted requests: an entry is kept for ever and can always be found by its request.
    `CREATE TABLE gone_charges (
      request_id ${text} PRIMARY KEY,
      account_id ${text} NOT NULL,
      seq ${int} NOT NULL CHECK (seq > 0)
    )${clustered}`,
    refusal(dialect, "entries_never_change", "UPDATE ON entries", "entries never change"),
    ...(is_sqlite
      ? [refusal(dialect, "entries_never_go", "DELETE ON entries", ENTRIES_STAY), ...SQLITE_LAWS]
      : POSTGRES_LAWS),
  ];
}

const ENTRIES_STAY = "entries never go";

/**
 * They fire after the statement, which is cheaper and just as strict: the statement is undone. A request that has ended never changes and
 * names one entry at most, so no second charge can be the one that it names: charges need no index.
 */
const SQLITE_LAWS: readonly string[] = [
  `CREATE TRIGGER entries_chain AFTER INSERT ON entries
    WHEN NEW.posted_after_micro IS NOT NEW.amount_micro + CASE WHEN NEW.seq = 1 THEN 0 ELSE
      (SELECT posted_after_micro FROM entries WHERE account_id = NEW.account_id AND seq = NEW.seq - 1) END
    BEGIN SELECT RAISE(ABORT, 'the sums of entries must chain'); END`,
  `CREATE TRIGGER charges_are_named AFTER INSERT ON entries
    WHEN NEW.kind = 'charge' AND NOT EXISTS (SELECT 1 FROM requests WHERE id = NEW.request_id
      AND account_id = NEW.account_id AND charge_seq = NEW.seq)
    BEGIN SELECT RAISE(ABORT, 'a charge is the one that its request names'); END`,
];

/** The setting of a transaction that names the account that leaves the database with it. */
export const LEAVING = "camino.leaving";

/** The same laws, once for all rows of a statement (docs/adr/0035). */
const POSTGRES_LAWS: readonly string[] = [
  // Those of an account that another cell has now are deleted by the transaction that says so (docs/adr/0085).
  `CREATE TRIGGER entries_never_go BEFORE DELETE ON entries FOR EACH ROW
    WHEN (OLD.account_id IS DISTINCT FROM current_setting('${LEAVING}', true)) EXECUTE FUNCTION refuse_change('${ENTRIES_STAY}')`,
  // The request is found by its id alone: in a young table the planner may prefer the account's index and read all of it. A charge that comes from another
  // cell may be that of a request that is deleted.
  `CREATE FUNCTION check_new_entries() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE broken bigint; unnamed bigint; homeless bigint;
    BEGIN
      SELECT
        count(*) FILTER (WHERE f.posted_after_micro IS DISTINCT FROM
          f.amount_micro + CASE WHEN f.seq = 1 THEN 0 ELSE p.posted_after_micro END),
        count(*) FILTER (WHERE f.kind = 'charge' AND (r.id IS NULL OR r.account_id <> f.account_id
          OR r.charge_seq IS DISTINCT FROM f.seq) AND NOT EXISTS (SELECT 1 FROM gone_charges AS g
            WHERE g.request_id = f.request_id AND g.account_id = f.account_id AND g.seq = f.seq)),
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
];
