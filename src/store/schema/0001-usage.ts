import type { Dialect } from "../sql/statement.ts";
import { columnTypes, USAGE_COUNTS } from "./column-types.ts";
import { COUNT_COLUMNS } from "./traffic-columns.ts";

/** Usage by day: of keys, of projects, of tags. And the sums of days that are over. */
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
    // What all accounts used on some days (the administrators' reports) is found without reading all days.
    ...(is_sqlite ? [] : ["CREATE INDEX usage_days_by_day ON usage_days (day)"]),
    // As usage_days, of the requests that were a project's (docs/design/tags-and-projects.md).
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
    // As usage_days, of the requests that carried a tag: once for each of their tags. The project is '' for none.
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

/** The tables of sums of days that are over: what their rows are told apart by beside the span, and what they count. */
export const SUM_TABLES = {
  usage_key_sums: { place: ["account_id", "key_id"], counts: USAGE_COUNTS },
  usage_model_sums: { place: ["model"], counts: USAGE_COUNTS },
  traffic_key_sums: { place: ["account_id", "key_id", "outcome"], counts: COUNT_COLUMNS },
} as const;

/**
 * Sums of days that are over, so that reports on all accounts need not add up every row of every day (docs/design/reports.md). Nothing else depends
 * on them, and they can be made anew. What changes a day's rows afterwards, whoever does it, raises the day's revision by a trigger
 * (`dayTriggers`): sums that were made of another revision are read no more.
 */
function sums(dialect: Dialect): string[] {
  const { int, text, clustered, roomy } = columnTypes(dialect);
  return [
    // Days of the usage and of the traffic whose rows hardly change any more, how often they have changed since, and when every new
    // transaction saw that they are closed.
    `CREATE TABLE closed_days (
      kind ${text} NOT NULL,
      day ${int} NOT NULL,
      revision ${int} NOT NULL,
      noted_ms ${int},
      PRIMARY KEY (kind, day)
    )${roomy(70)}`,
    // Which spans of days are summed up, of which revisions of their days; while that is being done, of which and how far.
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

/** By the server's clock, which also says to which day a batch's usage belongs. */
const TODAY = "floor(extract(epoch FROM clock_timestamp()) / 86400)";

const POSTGRES_TRIGGERS: readonly string[] = [
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
