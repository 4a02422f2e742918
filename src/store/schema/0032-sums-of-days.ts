import type { Dialect } from "../sql/statement.ts";
import { COUNT_COLUMNS } from "../traffic/columns.ts";
import type { Migration } from "./migrations.ts";

/**
 * Sums of days that are over, so that reports on all accounts need not add up every row of every day (docs/adr/0059). Nothing else depends
 * on them, and they can be made anew. What changes a day's rows afterwards, whoever does it, raises the day's revision by a trigger: sums
 * that were made of another revision are read no more. So earlier programs work on beside them.
 */
export const sumsOfDaysMigration: Migration = {
  version: 32,
  name: "sums of days that are over",
  compatible_from: 16,
  statements,
};

/** What `usage_days` counts. */
export const USAGE_COUNTS: readonly string[] = [
  ...["cost_micro", "prompt_tokens", "completion_tokens", "ended_count", "success_count"],
  ...["refused_count", "replayed_count"],
];

/** The tables of sums: what their rows are told apart by beside the span, and what they count. */
export const SUM_TABLES = {
  usage_key_sums: { place: ["account_id", "key_id"], counts: USAGE_COUNTS },
  usage_model_sums: { place: ["model"], counts: USAGE_COUNTS },
  traffic_key_sums: { place: ["account_id", "key_id", "outcome"], counts: COUNT_COLUMNS },
} as const;

function statements(dialect: Dialect): string[] {
  const is_sqlite = dialect === "sqlite";
  const int = is_sqlite ? "INTEGER" : "BIGINT";
  const text = is_sqlite ? "TEXT" : 'TEXT COLLATE "C"';
  const clustered = is_sqlite ? " STRICT, WITHOUT ROWID" : "";
  return [
    // Days of the usage and of the traffic whose rows hardly change any more, how often they have changed since, and when every new
    // transaction saw that they are closed.
    `CREATE TABLE closed_days (
      kind ${text} NOT NULL,
      day ${int} NOT NULL,
      revision ${int} NOT NULL,
      noted_ms ${int},
      PRIMARY KEY (kind, day)
    )${is_sqlite ? clustered : " WITH (fillfactor = 70)"}`,
    // Which spans of days are summed up, of which revisions of their days; while that is being done, of which and how far.
    `CREATE TABLE summed_spans (
      kind ${text} NOT NULL,
      size ${int} NOT NULL,
      first_day ${int} NOT NULL,
      made_of ${int},
      making_of ${int},
      next_account ${text} NOT NULL,
      PRIMARY KEY (kind, size, first_day)
    )${is_sqlite ? clustered : " WITH (fillfactor = 70)"}`,
    ...Object.entries(SUM_TABLES).map(
      ([name, { place, counts }]) => `CREATE TABLE ${name} (
      size ${int} NOT NULL,
      first_day ${int} NOT NULL,
      ${place.map((column) => `${column} ${text} NOT NULL`).join(", ")},
      ${counts.map((column) => `${column} ${int} NOT NULL`).join(", ")},
      PRIMARY KEY (size, first_day, ${place.join(", ")})
    )${clustered}`,
    ),
    ...(is_sqlite
      ? [...sqliteTriggers("usage", "usage_days"), ...sqliteTriggers("traffic", "traffic_key_days")]
      : POSTGRES),
  ];
}

function sqliteTriggers(kind: string, table: string): string[] {
  const raise = (days: string): string =>
    `BEGIN UPDATE closed_days SET revision = revision + 1 WHERE kind = '${kind}' AND day IN (${days}); END`;
  return [
    `CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} ${raise("NEW.day")}`,
    `CREATE TRIGGER ${table}_changed AFTER UPDATE ON ${table} ${raise("OLD.day, NEW.day")}`,
    `CREATE TRIGGER ${table}_removed AFTER DELETE ON ${table} ${raise("OLD.day")}`,
  ];
}

/** By the server's clock, which also says to which day a batch's usage belongs. */
const TODAY = "floor(extract(epoch FROM clock_timestamp()) / 86400)";

const POSTGRES: readonly string[] = [
  // Rows of today, which are nearly all, are passed over without a call.
  `CREATE FUNCTION note_changed_day() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE closed_days SET revision = revision + 1 WHERE kind = 'usage' AND day IN (OLD.day, NEW.day);
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER usage_days_added AFTER INSERT ON usage_days
    FOR EACH ROW WHEN (NEW.day < ${TODAY}) EXECUTE FUNCTION note_changed_day()`,
  `CREATE TRIGGER usage_days_changed AFTER UPDATE ON usage_days
    FOR EACH ROW WHEN (least(OLD.day, NEW.day) < ${TODAY}) EXECUTE FUNCTION note_changed_day()`,
  `CREATE TRIGGER usage_days_removed AFTER DELETE ON usage_days
    FOR EACH ROW WHEN (OLD.day < ${TODAY}) EXECUTE FUNCTION note_changed_day()`,
  `CREATE FUNCTION note_changed_traffic() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE closed_days SET revision = revision + 1 WHERE kind = 'traffic' AND day IN (SELECT day FROM changed);
      RETURN NULL;
    END $$`,
  ...[
    ["added", "INSERT", "NEW"],
    ["changed", "UPDATE", "NEW"],
    ["removed", "DELETE", "OLD"],
  ].map(
    ([name, event, rows]) => `CREATE TRIGGER traffic_key_days_${name} AFTER ${event} ON traffic_key_days
    REFERENCING ${rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_changed_traffic()`,
  ),
];
