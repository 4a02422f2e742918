import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/**
 * Members of accounts with their roles, and management keys (docs/adr/0043). A program that knows neither makes users of
 * one account: they count as its members until a newer program writes their membership (`joined`).
 */
export const teamsMigration: Migration = {
  version: 21,
  name: "members of accounts, management keys",
  compatible_from: 16,
  statements: (dialect) => [...memberships(dialect), ...links(dialect), ...managementKeys(dialect)],
};

const ROLES = "('owner', 'member', 'viewer', 'billing')";

function types(dialect: Dialect) {
  return dialect === "sqlite"
    ? { int: "INTEGER", text: "TEXT", clustered: " STRICT, WITHOUT ROWID" }
    : { int: "BIGINT", text: 'TEXT COLLATE "C"', clustered: "" };
}

/** Everybody keeps what they could do; the first user of each account becomes its owner. */
function memberships(dialect: Dialect): string[] {
  const { int, text, clustered } = types(dialect);
  return [
    `CREATE TABLE memberships (
      user_id ${text} NOT NULL REFERENCES users (id),
      account_id ${text} NOT NULL REFERENCES accounts (id),
      role ${text} NOT NULL CHECK (role IN ${ROLES}),
      created_ms ${int} NOT NULL,
      PRIMARY KEY (user_id, account_id)
    )${clustered}`,
    "CREATE INDEX memberships_of_account ON memberships (account_id)",
    `ALTER TABLE users ADD COLUMN joined ${int} NOT NULL DEFAULT 0 CHECK (joined IN (0, 1))`,
    `INSERT INTO memberships (user_id, account_id, role, created_ms)
      SELECT id, account_id, CASE WHEN place = 1 THEN 'owner' ELSE 'member' END, created_ms FROM (
        SELECT id, account_id, created_ms, ROW_NUMBER() OVER (PARTITION BY account_id
          ORDER BY CASE WHEN status = 'active' THEN 0 ELSE 1 END, created_ms, id) AS place FROM users) AS ranked`,
    "UPDATE users SET joined = 1",
  ];
}

/** The role that an invitation gives in its account. `vouched`: an administrator stands for the e-mail. */
function links(dialect: Dialect): string[] {
  const { int, text } = types(dialect);
  return [
    `ALTER TABLE links ADD COLUMN account_role ${text} CHECK (account_role IN ${ROLES})`,
    `ALTER TABLE links ADD COLUMN vouched ${int} NOT NULL DEFAULT 1 CHECK (vouched IN (0, 1))`,
  ];
}

/** `scopes` is a JSON array. A key that ends keeps its row, for the audit log that names it. */
function managementKeys(dialect: Dialect): string[] {
  const { int, text, clustered } = types(dialect);
  return [
    `CREATE TABLE management_keys (
      id ${text} PRIMARY KEY,
      hash ${text} UNIQUE,
      hint ${text} NOT NULL,
      name ${text} NOT NULL,
      scopes ${text} NOT NULL,
      account_id ${text} REFERENCES accounts (id),
      created_by ${text} NOT NULL,
      created_ms ${int} NOT NULL,
      expires_ms ${int},
      last_used_ms ${int},
      revoked_ms ${int}
    )${clustered}`,
    "CREATE INDEX management_keys_of_account ON management_keys (account_id)",
  ];
}
