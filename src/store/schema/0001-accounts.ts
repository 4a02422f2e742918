import type { Dialect } from "../sql/statement.ts";
import { budgetMore, columnTypes, inRange, isOneOf, WINDOWS } from "./column-types.ts";

/** Accounts with their limits, keys and projects. */
export function accountTables(dialect: Dialect): string[] {
  return [...accounts(dialect), ...projects(dialect), ...keys(dialect), limitCountsTable(dialect)];
}

/** What is counted under the limits of a key, a project or an account. */
function limitCounts(int: string): string {
  return `requests_limit ${int},
      requests_used_units ${int},
      requests_at_ms ${int},
      tokens_limit ${int},
      tokens_used_units ${int},
      tokens_at_ms ${int}`;
}

/** The limits of an account or a project, and what is counted under them. */
function sharedLimits({ int, text, maybeAmount, count }: ReturnType<typeof columnTypes>, ...more: string[]): string {
  const limits = ["models", "rpm", "tpm", "concurrent"].map((name) => `${name} ${name === "models" ? text : int}`);
  const by_rule = ["model_limits", "tag_limits", "end_user_tag"].map((name) => `${name} ${text}`);
  const budget = [maybeAmount("budget_micro"), `budget_window ${text} CHECK (budget_window IN ${WINDOWS})`];
  return [...limits, ...more, ...budget, ...by_rule, limitCounts(int), count("open_count")].join(",\n      ");
}

/** What an account or a project has spent of its budget, and how the budget may grow. */
function sharedSpending(types: ReturnType<typeof columnTypes>): string {
  const { int, text } = types;
  const spent = `spent_micro ${int} NOT NULL DEFAULT 0 CHECK (${inRange("spent_micro")})`;
  return [`spent_window ${text}`, `spent_start_day ${int}`, spent, ...budgetMore(types)].join(",\n      ");
}

function accounts(dialect: Dialect): string[] {
  const types = columnTypes(dialect);
  const { int, text, amount, maybeAmount, count, flag, roomy } = types;
  // SQLite's writer writes accounts one by one (docs/design/storage.md): `folded_seq` is the last commit of the chain whose changes an account's
  // rows contain.
  const folded = dialect === "sqlite" ? [`folded_seq ${int} NOT NULL DEFAULT 0`] : [];
  return [
    // The columns of the top-up rule are null where the account has none: then a change of its balance reads no other row. A flag says whether
    // the account has a row of limits, which nearly all admissions need not read. An account that lives in another cell has a row without money in the
    // directory (docs/adr/0085). One that is on its way to another cell is `moving`, which admits nothing.
    `CREATE TABLE accounts (
      id ${text} PRIMARY KEY,
      email ${text} NOT NULL,
      email_key ${text} NOT NULL UNIQUE,
      name ${text} NOT NULL,
      status ${text} NOT NULL CHECK (${isOneOf("status", "active", "disabled", "moving")}),
      created_ms ${int} NOT NULL,
      ${amount("balance_micro")},
      ${amount("held_micro")},
      ${amount("posted_micro")},
      ${count("entry_count")},
      ${[maybeAmount("top_up_below_micro"), flag("has_limits"), `time_zone ${text}`, `cell ${text}`, ...folded].join(",\n      ")},
      CHECK (balance_micro + held_micro = posted_micro),
      CHECK (cell IS NULL OR (entry_count = 0 AND posted_micro = 0))
    )${roomy(50)}`,
    "CREATE INDEX accounts_elsewhere ON accounts (id, cell) WHERE cell IS NOT NULL",
    // The limits, then what is counted under them.
    `CREATE TABLE account_limits (
      account_id ${text} PRIMARY KEY REFERENCES accounts (id),
      ${sharedLimits(types)},
      ${sharedSpending(types)},
      CHECK ((budget_micro IS NULL) = (budget_window IS NULL))
    )${roomy(50)}`,
    `CREATE TABLE auto_top_ups (
      account_id ${text} PRIMARY KEY REFERENCES accounts (id),
      ${amount("threshold_micro")},
      ${amount("amount_micro")},
      ${amount("month_limit_micro")},
      month_start_day ${int} NOT NULL,
      ${amount("month_used_micro")},
      last_ms ${int},
      updated_ms ${int} NOT NULL,
      updated_by ${text} NOT NULL,
      CHECK (amount_micro > 0 AND amount_micro >= threshold_micro)
    )${roomy(50)}`,
  ];
}

/**
 * Groups of an account's keys with limits of their own (docs/design/tags-and-projects.md). A deleted project keeps its row, because usage
 * refers to it.
 */
function projects(dialect: Dialect): string[] {
  const types = columnTypes(dialect);
  const { int, text, roomy } = types;
  const is_sqlite = dialect === "sqlite";
  return [
    // The limits, then what is counted under them. On PostgreSQL hot keys begin with the account (docs/scale.md); references and look-ups
    // go by the id alone.
    `CREATE TABLE projects (
      id ${text}${is_sqlite ? " PRIMARY KEY" : " NOT NULL UNIQUE"},
      account_id ${text} NOT NULL REFERENCES accounts (id),
      name ${text} NOT NULL,
      created_ms ${int} NOT NULL,
      deleted_ms ${int},
      ${sharedLimits(types, `cache_ms ${int}`)},
      held_micro ${int} NOT NULL DEFAULT 0 CHECK (${inRange("held_micro")}),
      ${sharedSpending(types)},${is_sqlite ? "" : "\n      PRIMARY KEY (account_id, id),"}
      CHECK ((budget_micro IS NULL) = (budget_window IS NULL))
    )${roomy(50)}`,
    "CREATE UNIQUE INDEX projects_by_name ON projects (account_id, name) WHERE deleted_ms IS NULL",
    ...(is_sqlite ? ["CREATE INDEX projects_of_account ON projects (account_id)"] : []),
  ];
}

/**
 * What is counted under rules of limits, a row for each rule and value that a request was admitted by (docs/rulings.md 176, 177). `budget_micro`
 * is the budget as the last admission brought it, of the window of the kept sum, which has every charge since `spent_from_ms`; `own_limits` are those of a tag's value.
 */
function limitCountsTable(dialect: Dialect): string {
  const { int, text, amount, maybeAmount, count, roomy } = columnTypes(dialect);
  return `CREATE TABLE limit_counts (
      account_id ${text} NOT NULL REFERENCES accounts (id),
      rule ${text} NOT NULL,
      value ${text} NOT NULL,
      ${limitCounts(int)},
      ${count("open_count")},
      ${amount("held_micro")},
      ${maybeAmount("budget_micro")},
      spent_window ${text},
      spent_start_day ${int},
      ${amount("spent_micro")},
      spent_from_ms ${int} NOT NULL DEFAULT 0,
      used_ms ${int} NOT NULL,
      own_limits ${text},
      PRIMARY KEY (account_id, rule, value)
    )${roomy(50)}`;
}

function keys(dialect: Dialect): string[] {
  const types = columnTypes(dialect);
  const { int, text, amount, count, maybeAmount, flag, clustered, roomy } = types;
  const [once, ...raise] = budgetMore(types);
  const is_sqlite = dialect === "sqlite";
  return [
    // The limits of its owner, then those that only administrators lift (docs/rulings.md 151). The secret from before the last roll is
    // valid until `old_until_ms` (docs/design/people.md).
    `CREATE TABLE keys (
      id ${text}${is_sqlite ? " PRIMARY KEY" : " NOT NULL UNIQUE"},
      account_id ${text} NOT NULL REFERENCES accounts (id),
      name ${text} NOT NULL,
      hash ${text} UNIQUE,
      hint ${text} NOT NULL,
      status ${text} NOT NULL CHECK (${isOneOf("status", "active", "disabled", "revoked")}),
      aliases ${text} NOT NULL,
      prefix_aliases ${text} NOT NULL,
      models ${text},
      rpm ${int},
      tpm ${int},
      concurrent ${int},
      cache_ms ${int},
      ${maybeAmount("budget_micro")},
      budget_window ${text} CHECK (${isOneOf("budget_window", "day", "week", "month")}),
      model_limits ${text},
      expires_ms ${int},
      created_ms ${int} NOT NULL,
      version ${int} NOT NULL,
      deleted_ms ${int},
      playground_user ${text},
      ceiling_models ${text},
      ceiling_rpm ${int},
      ceiling_tpm ${int},
      ceiling_concurrent ${int},
      ${maybeAmount("ceiling_budget_micro")},
      ceiling_budget_window ${text} CHECK (ceiling_budget_window IN ${WINDOWS}),
      ceiling_expires_ms ${int},
      ${flag("is_barred")},
      old_hash ${text},
      old_until_ms ${int},
      rolled_ms ${int},
      project_id ${text}${is_sqlite ? " REFERENCES projects (id)" : ""},
      ${[once, flag("ceiling_budget_once"), ...raise].join(",\n      ")},${
        is_sqlite
          ? ""
          : `
      PRIMARY KEY (account_id, id),
      FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id),`
      }
      CHECK ((budget_micro IS NULL) = (budget_window IS NULL)),
      CHECK ((deleted_ms IS NULL) = (hash IS NOT NULL))
    )${clustered}`,
    ...(is_sqlite ? ["CREATE INDEX keys_of_account ON keys (account_id)"] : []),
    "CREATE INDEX keys_of_project ON keys (project_id) WHERE project_id IS NOT NULL",
    // Few keys have one.
    "CREATE UNIQUE INDEX keys_by_old_hash ON keys (old_hash) WHERE old_hash IS NOT NULL",
    `CREATE UNIQUE INDEX one_playground_key_per_user ON keys (account_id, playground_user)
      WHERE playground_user IS NOT NULL AND deleted_ms IS NULL`,
    `CREATE TABLE key_state (
      key_id ${text} ${is_sqlite ? "PRIMARY KEY REFERENCES keys (id)" : "NOT NULL UNIQUE"},
      ${limitCounts(int)},
      ${count("open_count")},
      ${amount("held_micro")},
      spent_window ${text},
      spent_start_day ${int},
      ${amount("spent_micro")},
      last_used_ms ${int}${
        is_sqlite
          ? ""
          : `,
      key_account_id ${text} NOT NULL,
      PRIMARY KEY (key_account_id, key_id),
      FOREIGN KEY (key_account_id, key_id) REFERENCES keys (account_id, id)`
      }
    )${roomy(50)}`,
    // Tags (docs/design/tags-and-projects.md). A deleted key keeps them, as its row stays, for the usage that names it.
    `CREATE TABLE key_tags (
      key_id ${text} NOT NULL REFERENCES keys (id),
      name ${text} NOT NULL,
      value ${text} NOT NULL CHECK (value <> ''),
      PRIMARY KEY (key_id, name)
    )${clustered}`,
    "CREATE INDEX key_tags_by_value ON key_tags (name, value, key_id)",
  ];
}
