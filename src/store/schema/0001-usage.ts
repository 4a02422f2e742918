import type { Dialect } from "../sql/statement.ts";
import { columnTypes, USAGE_COUNTS } from "./column-types.ts";
import { COUNT_COLUMNS } from "./traffic-columns.ts";

/** Usage by day of keys, of projects and of tags, and the sums of past days. */
export function usageTables(dialect: Dialect): string[] {
  return [...days(dialect), ...tags(dialect), ...sums(dialect)];
}

function days(dialect: Dialect): string[] {
  const { int, text, count, roomy } = columnTypes(dialect);
  const is_sqlite = dialect === "sqlite";
  const counts = USAGE_COUNTS.map(count).join(",\n      ");
  return [
    `CREATE TABLE usage_days (
      account_id ${text} NOT NULL REFERENCES accounts (id),
      day ${int} NOT NULL,
      key_id ${text} NOT NULL,
      model ${text} NOT NULL,
      ${counts},
      PRIMARY KEY (account_id, day, key_id, model)
    )${roomy(70)}`,
    // Finds the usage of all accounts on some days (the administrators' reports) without reading all days.
    ...(is_sqlite ? [] : ["CREATE INDEX usage_days_by_day ON usage_days (day)"]),
    // Like usage_days, for requests of a project (docs/design/tags-and-projects.md).
    `CREATE TABLE usage_projects (
      project_id ${text} NOT NULL,
      account_id ${text} NOT NULL,
      day ${int} NOT NULL,
      key_id ${text} NOT NULL,
      model ${text} NOT NULL,
      ${counts},
      PRIMARY KEY (account_id, project_id, day, key_id, model)
    )${roomy(70)}`,
    "CREATE INDEX usage_projects_of_account ON usage_projects (account_id, day)",
  ];
}

/** Tags that requests carry themselves (docs/design/tags-and-projects.md). */
function tags(dialect: Dialect): string[] {
  const { int, text, count, clustered, roomy } = columnTypes(dialect);
  return [
    // Like usage_days, for requests that carried a tag: counted once for each of their tags. The project is '' for none.
    `CREATE TABLE usage_tags (
      account_id ${text} NOT NULL,
      name ${text} NOT NULL,
      day ${int} NOT NULL,
      value ${text} NOT NULL,
      key_id ${text} NOT NULL,
      model ${text} NOT NULL,
      project_id ${text} NOT NULL,
      ${USAGE_COUNTS.map(count).join(",\n      ")},
      PRIMARY KEY (account_id, name, day, value, key_id, model, project_id)
    )${roomy(70)}`,
    "CREATE INDEX usage_tags_by_name ON usage_tags (name, day)",
    // The names that an account's requests have brought, and the values that they brought to a day.
    `CREATE TABLE request_tag_names (
      account_id ${text} NOT NULL,
      name ${text} NOT NULL,
      PRIMARY KEY (account_id, name)
    )${clustered}`,
    `CREATE TABLE request_tag_values (
      account_id ${text} NOT NULL,
      day ${int} NOT NULL,
      name ${text} NOT NULL,
      value ${text} NOT NULL,
      PRIMARY KEY (account_id, day, name, value)
    )${clustered}`,
  ];
}

/** The tables of sums of past days: the columns that group their rows beside the span, and the columns that are summed. */
export const SUM_TABLES = {
  usage_key_sums: { place: ["account_id", "key_id"], counts: USAGE_COUNTS },
  usage_model_sums: { place: ["model"], counts: USAGE_COUNTS },
  traffic_key_sums: { place: ["account_id", "key_id", "outcome"], counts: COUNT_COLUMNS },
} as const;

/**
 * Sums of past days, so that reports on all accounts need not add up every row of every day (docs/design/reports.md). Nothing else depends
 * on them, and they can be made again. A later change of a day's rows raises the day's revision by a trigger (`dayTriggers`), and sums that
 * were made of another revision are no longer read.
 */
function sums(dialect: Dialect): string[] {
  const { int, text, clustered, roomy } = columnTypes(dialect);
  return [
    // Days of usage and traffic whose rows hardly change any more: how often they have changed since they were closed, and when every new
    // transaction saw them as closed.
    `CREATE TABLE closed_days (
      kind ${text} NOT NULL,
      day ${int} NOT NULL,
      revision ${int} NOT NULL,
      noted_ms ${int},
      PRIMARY KEY (kind, day)
    )${roomy(70)}`,
    // The spans that are summed up, and of which revision of their days; for a span in progress, its new revision and the account that is next.
    `CREATE TABLE summed_spans (
      kind ${text} NOT NULL,
      size ${int} NOT NULL,
      first_day ${int} NOT NULL,
      made_of ${int},
      making_of ${int},
      next_account ${text} NOT NULL,
      PRIMARY KEY (kind, size, first_day)
    )${roomy(70)}`,
    ...Object.entries(SUM_TABLES).map(
      ([name, { place, counts }]) => `CREATE TABLE ${name} (
      size ${int} NOT NULL,
      first_day ${int} NOT NULL,
      ${place.map((column) => `${column} ${text} NOT NULL`).join(", ")},
      ${counts.map((column) => `${column} ${int} NOT NULL`).join(", ")},
      PRIMARY KEY (size, first_day, ${place.join(", ")})
    )${clustered}`,
    ),
  ];
}

/** Raises the revision of a closed day whose rows change. */
export function dayTriggers(dialect: Dialect): readonly string[] {
  if (dialect === "postgres") return POSTGRES_TRIGGERS;
  return [...sqliteTriggers("usage", "usage_days"), ...sqliteTriggers("traffic", "traffic_key_days")];
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

/** By the server's clock, which also determines the day of a batch's usage. */
const TODAY = "floor(extract(epoch FROM clock_timestamp()) / 86400)";

const POSTGRES_TRIGGERS: readonly string[] = [
  // Rows of today, which are nearly all changed rows, are skipped without a call of the function.
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
