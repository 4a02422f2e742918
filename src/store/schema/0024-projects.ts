import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/**
 * Projects: groups of an account's keys with limits of their own (docs/adr/0048). A program from before works on beside them; while it
 * runs, it admits past a project's limits, and what it ends is not counted for the project until the books' counters are rebuilt.
 */
export const projectsMigration: Migration = {
  version: 24,
  name: "projects",
  compatible_from: 16,
  statements,
};

const MAX = "9007199254740991";

const USAGE_COUNTS = [
  ...["cost_micro", "prompt_tokens", "completion_tokens", "ended_count", "success_count"],
  ...["refused_count", "replayed_count"],
];

function statements(dialect: Dialect): string[] {
  const is_sqlite = dialect === "sqlite";
  const int = is_sqlite ? "INTEGER" : "BIGINT";
  const text = is_sqlite ? "TEXT" : 'TEXT COLLATE "C"';
  const clustered = is_sqlite ? " STRICT, WITHOUT ROWID" : "";
  const hot = is_sqlite ? clustered : " WITH (fillfactor = 50)";
  return [
    // The limits, then what is counted under them. A deleted project keeps its row, for the usage that names it.
    `CREATE TABLE projects (
      id ${text} PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (id),
      name ${text} NOT NULL,
      created_ms ${int} NOT NULL,
      deleted_ms ${int},
      models ${text},
      rpm ${int},
      tpm ${int},
      concurrent ${int},
      budget_micro ${int} CHECK (budget_micro BETWEEN 0 AND ${MAX}),
      budget_window ${text} CHECK (budget_window IN ('day', 'week', 'month')),
      requests_limit ${int},
      requests_used_units ${int},
      requests_at_ms ${int},
      tokens_limit ${int},
      tokens_used_units ${int},
      tokens_at_ms ${int},
      open_count ${int} NOT NULL DEFAULT 0 CHECK (open_count >= 0),
      held_micro ${int} NOT NULL DEFAULT 0 CHECK (held_micro BETWEEN 0 AND ${MAX}),
      spent_window ${text},
      spent_start_day ${int},
      spent_micro ${int} NOT NULL DEFAULT 0 CHECK (spent_micro BETWEEN 0 AND ${MAX}),
      CHECK ((budget_micro IS NULL) = (budget_window IS NULL))
    )${hot}`,
    "CREATE UNIQUE INDEX projects_by_name ON projects (account_id, name) WHERE deleted_ms IS NULL",
    "CREATE INDEX projects_of_account ON projects (account_id)",
    `ALTER TABLE keys ADD COLUMN project_id ${text} REFERENCES projects (id)`,
    "CREATE INDEX keys_of_project ON keys (project_id) WHERE project_id IS NOT NULL",
    // The project that the key belonged to when the request was admitted.
    `ALTER TABLE requests ADD COLUMN project_id ${text}`,
    // As usage_days, of the requests that were a project's.
    `CREATE TABLE usage_projects (
      project_id ${text} NOT NULL,
      account_id ${text} NOT NULL,
      day ${int} NOT NULL,
      key_id ${text} NOT NULL,
      model ${text} NOT NULL,
      ${USAGE_COUNTS.map((name) => `${name} ${int} NOT NULL DEFAULT 0 CHECK (${name} >= 0)`).join(",\n      ")},
      PRIMARY KEY (project_id, day, key_id, model)
    )${is_sqlite ? clustered : " WITH (fillfactor = 70)"}`,
    "CREATE INDEX usage_projects_of_account ON usage_projects (account_id, day)",
  ];
}
