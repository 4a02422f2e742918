import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/**
 * Tags that requests carry themselves (docs/adr/0054). A program from before works on beside them: it admits requests without their tags,
 * and what it ends of tagged ones is not counted for their tags until the books' counters are rebuilt.
 */
export const requestTagsMigration: Migration = {
  version: 29,
  name: "tags of requests",
  compatible_from: 16,
  statements,
};

const COUNTS = [
  ...["cost_micro", "prompt_tokens", "completion_tokens", "ended_count", "success_count"],
  ...["refused_count", "replayed_count"],
];

function statements(dialect: Dialect): string[] {
  const is_sqlite = dialect === "sqlite";
  const int = is_sqlite ? "INTEGER" : "BIGINT";
  const text = is_sqlite ? "TEXT" : 'TEXT COLLATE "C"';
  const clustered = is_sqlite ? " STRICT, WITHOUT ROWID" : "";
  return [
    // As the request carries them, and as they are counted where that differs: JSON objects.
    `ALTER TABLE requests ADD COLUMN tags ${text}`,
    `ALTER TABLE requests ADD COLUMN tags_counted ${text}`,
    "CREATE INDEX requests_with_tags ON requests (account_id, created_ms) WHERE tags IS NOT NULL",
    // As usage_days, of the requests that carried a tag: once for each of their tags. The project is '' for none.
    `CREATE TABLE usage_tags (
      account_id ${text} NOT NULL,
      name ${text} NOT NULL,
      day ${int} NOT NULL,
      value ${text} NOT NULL,
      key_id ${text} NOT NULL,
      model ${text} NOT NULL,
      project_id ${text} NOT NULL,
      ${COUNTS.map((name) => `${name} ${int} NOT NULL DEFAULT 0 CHECK (${name} >= 0)`).join(",\n      ")},
      PRIMARY KEY (account_id, name, day, value, key_id, model, project_id)
    )${is_sqlite ? clustered : " WITH (fillfactor = 70)"}`,
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
