import type { Dialect } from "../sql/statement.ts";
import type { Migration } from "./migrations.ts";

/**
 * Users, their ways to sign in to the console, and the log of their changes. Only hashes and ids are stored: no token,
 * no password.
 */
export const usersMigration: Migration = {
  version: 2,
  name: "users, sessions, audit log",
  compatible_from: 1,
  statements: (dialect) => [
    ...userTables(dialect),
    ...passingTables(dialect),
    auditTable(dialect),
    ...INDICES,
    ...(dialect === "sqlite" ? SQLITE_LAWS : POSTGRES_LAWS),
  ],
};

function typesOf(dialect: Dialect) {
  return dialect === "sqlite"
    ? { int: "INTEGER", text: "TEXT", clustered: " STRICT, WITHOUT ROWID", plain: " STRICT" }
    : { int: "BIGINT", text: 'TEXT COLLATE "C"', clustered: "", plain: "" };
}

const oneOf = (name: string, ...values: string[]): string =>
  `CHECK (${values.map((value) => `${name} = '${value}'`).join(" OR ")})`;

function userTables(dialect: Dialect): string[] {
  const { int, text, clustered } = typesOf(dialect);
  const flag = (name: string): string => `${name} ${int} NOT NULL CHECK (${name} = 0 OR ${name} = 1)`;
  return [
    `CREATE TABLE users (
      id ${text} PRIMARY KEY,
      email ${text} NOT NULL,
      email_key ${text} NOT NULL UNIQUE,
      ${flag("email_verified")},
      name ${text} NOT NULL,
      role ${text} NOT NULL ${oneOf("role", "administrator", "member")},
      status ${text} NOT NULL ${oneOf("status", "active", "disabled")},
      account_id ${text} NOT NULL REFERENCES accounts (id),
      password_hash ${text},
      created_ms ${int} NOT NULL,
      last_seen_ms ${int}
    )${clustered}`,
    `CREATE TABLE sessions (
      id ${text} PRIMARY KEY,
      token_hash ${text} NOT NULL UNIQUE,
      user_id ${text} NOT NULL REFERENCES users (id),
      method ${text} NOT NULL ${oneOf("method", "password", "passkey", "oidc", "link")},
      address ${text},
      user_agent ${text},
      created_ms ${int} NOT NULL,
      last_seen_ms ${int} NOT NULL,
      idle_ms ${int} NOT NULL,
      ends_ms ${int} NOT NULL
    )${clustered}`,
    `CREATE TABLE passkeys (
      id ${text} PRIMARY KEY,
      user_id ${text} NOT NULL REFERENCES users (id),
      name ${text} NOT NULL,
      credential_id ${text} NOT NULL UNIQUE,
      public_key ${text} NOT NULL,
      counter ${int} NOT NULL CHECK (counter >= 0),
      transports ${text} NOT NULL,
      ${flag("backed_up")},
      created_ms ${int} NOT NULL,
      last_used_ms ${int}
    )${clustered}`,
    `CREATE TABLE identities (
      issuer ${text} NOT NULL,
      subject ${text} NOT NULL,
      provider ${text} NOT NULL,
      user_id ${text} NOT NULL REFERENCES users (id),
      created_ms ${int} NOT NULL,
      PRIMARY KEY (issuer, subject)
    )${clustered}`,
    `CREATE TABLE links (
      id ${text} PRIMARY KEY,
      token_hash ${text} NOT NULL UNIQUE,
      purpose ${text} NOT NULL ${oneOf("purpose", "first-administrator", "invitation", "password-reset")},
      email ${text},
      email_key ${text},
      role ${text} NOT NULL ${oneOf("role", "administrator", "member")},
      user_id ${text} REFERENCES users (id),
      account_id ${text} REFERENCES accounts (id),
      made_by ${text} NOT NULL,
      created_ms ${int} NOT NULL,
      expires_ms ${int} NOT NULL,
      used_ms ${int},
      CHECK ((purpose = 'password-reset') = (user_id IS NOT NULL)),
      CHECK (purpose = 'first-administrator' OR email IS NOT NULL)
    )${clustered}`,
  ];
}

/** Rows that live briefly: challenges that were issued, and counts of tries. */
function passingTables(dialect: Dialect): string[] {
  const { int, text, clustered } = typesOf(dialect);
  return [
    `CREATE TABLE challenges (
      id ${text} PRIMARY KEY,
      kind ${text} NOT NULL,
      data ${text} NOT NULL,
      expires_ms ${int} NOT NULL
    )${clustered}`,
    `CREATE TABLE tries (
      bucket ${text} PRIMARY KEY,
      count ${int} NOT NULL,
      resets_ms ${int} NOT NULL
    )${clustered}`,
  ];
}

function auditTable(dialect: Dialect): string {
  const { int, text, plain } = typesOf(dialect);
  const serial = dialect === "sqlite" ? "INTEGER PRIMARY KEY" : "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY";
  return `CREATE TABLE audit_log (
      seq ${serial},
      id ${text} NOT NULL UNIQUE,
      created_ms ${int} NOT NULL,
      actor_kind ${text} NOT NULL ${oneOf("actor_kind", "user", "admin-token", "anonymous", "gateway")},
      actor_id ${text},
      actor_name ${text} NOT NULL,
      action ${text} NOT NULL,
      noun ${text} NOT NULL,
      object_kind ${text} NOT NULL,
      object_id ${text},
      account_id ${text},
      was ${text},
      became ${text},
      address ${text}
    )${plain}`;
}

const INDICES: readonly string[] = [
  "CREATE INDEX users_of_account ON users (account_id)",
  "CREATE INDEX sessions_of_user ON sessions (user_id)",
  "CREATE INDEX passkeys_of_user ON passkeys (user_id)",
  "CREATE INDEX identities_of_user ON identities (user_id)",
  "CREATE INDEX challenges_by_expiry ON challenges (expires_ms)",
  "CREATE INDEX tries_by_reset ON tries (resets_ms)",
  "CREATE INDEX audit_by_object ON audit_log (object_id)",
  "CREATE INDEX audit_by_actor ON audit_log (actor_id)",
  "CREATE INDEX audit_by_account ON audit_log (account_id)",
];

/** The audit log only grows, whoever sends another statement. */
const SQLITE_LAWS: readonly string[] = [
  `CREATE TRIGGER audit_never_changes BEFORE UPDATE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the audit log never changes'); END`,
  `CREATE TRIGGER audit_never_goes BEFORE DELETE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the audit log never goes'); END`,
];

const POSTGRES_LAWS: readonly string[] = [
  `CREATE TRIGGER audit_never_changes BEFORE UPDATE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION refuse_change('the audit log never changes')`,
  `CREATE TRIGGER audit_never_goes BEFORE DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION refuse_change('the audit log never goes')`,
];
