import type { Dialect } from "../sql/statement.ts";
import { columnTypes, isFlag, isOneOf, refusal } from "./column-types.ts";

/** Users with their ways to sign in and their accounts, and the log of what is changed. Only hashes and ids are stored: no token, no password. */
export function peopleTables(dialect: Dialect): string[] {
  return [
    ...users(dialect),
    ...waysIn(dialect),
    ...links(dialect),
    ...passing(dialect),
    ...managementKeys(dialect),
    ...prompts(dialect),
    ...auditLog(dialect),
  ];
}

const ROLES = "('owner', 'member', 'viewer', 'billing')";

function users(dialect: Dialect): string[] {
  const { int, text, clustered } = columnTypes(dialect);
  return [
    `CREATE TABLE users (
      id ${text} PRIMARY KEY,
      email ${text} NOT NULL,
      email_key ${text} NOT NULL UNIQUE,
      email_verified ${int} NOT NULL CHECK (${isFlag("email_verified")}),
      name ${text} NOT NULL,
      role ${text} NOT NULL CHECK (${isOneOf("role", "administrator", "member")}),
      status ${text} NOT NULL CHECK (${isOneOf("status", "active", "disabled")}),
      account_id ${text} NOT NULL REFERENCES accounts (id),
      password_hash ${text},
      created_ms ${int} NOT NULL,
      last_seen_ms ${int}
    )${clustered}`,
    "CREATE INDEX users_of_account ON users (account_id)",
    // The project is the one that the member's keys go into where nothing else is chosen (docs/design/tags-and-projects.md). A project that is deleted stays named:
    // whoever reads it passes it over.
    `CREATE TABLE memberships (
      user_id ${text} NOT NULL REFERENCES users (id),
      account_id ${text} NOT NULL REFERENCES accounts (id),
      role ${text} NOT NULL CHECK (role IN ${ROLES}),
      created_ms ${int} NOT NULL,
      project_id ${text} REFERENCES projects (id),
      PRIMARY KEY (user_id, account_id)
    )${clustered}`,
    "CREATE INDEX memberships_of_account ON memberships (account_id)",
  ];
}

function waysIn(dialect: Dialect): string[] {
  const { int, text, clustered } = columnTypes(dialect);
  return [
    `CREATE TABLE sessions (
      id ${text} PRIMARY KEY,
      token_hash ${text} NOT NULL UNIQUE,
      user_id ${text} NOT NULL REFERENCES users (id),
      method ${text} NOT NULL CHECK (${isOneOf("method", "password", "passkey", "oidc", "link")}),
      address ${text},
      user_agent ${text},
      created_ms ${int} NOT NULL,
      last_seen_ms ${int} NOT NULL,
      idle_ms ${int} NOT NULL,
      ends_ms ${int} NOT NULL
    )${clustered}`,
    "CREATE INDEX sessions_of_user ON sessions (user_id)",
    `CREATE TABLE passkeys (
      id ${text} PRIMARY KEY,
      user_id ${text} NOT NULL REFERENCES users (id),
      name ${text} NOT NULL,
      credential_id ${text} NOT NULL UNIQUE,
      public_key ${text} NOT NULL,
      counter ${int} NOT NULL CHECK (counter >= 0),
      transports ${text} NOT NULL,
      backed_up ${int} NOT NULL CHECK (${isFlag("backed_up")}),
      created_ms ${int} NOT NULL,
      last_used_ms ${int}
    )${clustered}`,
    "CREATE INDEX passkeys_of_user ON passkeys (user_id)",
    `CREATE TABLE identities (
      issuer ${text} NOT NULL,
      subject ${text} NOT NULL,
      provider ${text} NOT NULL,
      user_id ${text} NOT NULL REFERENCES users (id),
      created_ms ${int} NOT NULL,
      PRIMARY KEY (issuer, subject)
    )${clustered}`,
    "CREATE INDEX identities_of_user ON identities (user_id)",
  ];
}

/**
 * `account_role` is the role that an invitation gives in its account. `vouched`: an administrator stands for the e-mail. The credit is booked
 * when the invitation is accepted (docs/design/people.md).
 */
function links(dialect: Dialect): string[] {
  const { int, text, clustered, flag } = columnTypes(dialect);
  return [
    `CREATE TABLE links (
      id ${text} PRIMARY KEY,
      token_hash ${text} NOT NULL UNIQUE,
      purpose ${text} NOT NULL CHECK (${isOneOf("purpose", "first-administrator", "invitation", "password-reset")}),
      email ${text},
      email_key ${text},
      role ${text} NOT NULL CHECK (${isOneOf("role", "administrator", "member")}),
      user_id ${text} REFERENCES users (id),
      account_id ${text} REFERENCES accounts (id),
      made_by ${text} NOT NULL,
      created_ms ${int} NOT NULL,
      expires_ms ${int} NOT NULL,
      used_ms ${int},
      account_role ${text} CHECK (account_role IN ${ROLES}),
      ${flag("vouched", 1)},
      credit_micro ${int} CHECK (credit_micro > 0),
      credit_booked_ms ${int},
      project_id ${text} REFERENCES projects (id),
      CHECK ((purpose = 'password-reset') = (user_id IS NOT NULL)),
      CHECK (purpose = 'first-administrator' OR email IS NOT NULL)
    )${clustered}`,
    // A partial index, as few links still owe their credit.
    `CREATE INDEX links_that_owe ON links (id)
        WHERE credit_micro IS NOT NULL AND credit_booked_ms IS NULL AND used_ms IS NOT NULL`,
  ];
}

/** Rows that live briefly: challenges that were issued, and counts of tries. */
function passing(dialect: Dialect): string[] {
  const { int, text, clustered } = columnTypes(dialect);
  return [
    `CREATE TABLE challenges (
      id ${text} PRIMARY KEY,
      kind ${text} NOT NULL,
      data ${text} NOT NULL,
      expires_ms ${int} NOT NULL
    )${clustered}`,
    "CREATE INDEX challenges_by_expiry ON challenges (expires_ms)",
    `CREATE TABLE tries (
      bucket ${text} PRIMARY KEY,
      count ${int} NOT NULL,
      resets_ms ${int} NOT NULL
    )${clustered}`,
    "CREATE INDEX tries_by_reset ON tries (resets_ms)",
  ];
}

/** `scopes` is a JSON array. A key that ends keeps its row, for the audit log that names it (docs/design/people.md). */
function managementKeys(dialect: Dialect): string[] {
  const { int, text, clustered } = columnTypes(dialect);
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

/** What people save in the playground. */
function prompts(dialect: Dialect): string[] {
  const { int, text, plain } = columnTypes(dialect);
  return [
    `CREATE TABLE prompts (
      id ${text} PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (id),
      user_id ${text} NOT NULL REFERENCES users (id),
      name ${text} NOT NULL,
      shared ${int} NOT NULL CHECK (shared IN (0, 1)),
      content ${text} NOT NULL,
      created_ms ${int} NOT NULL,
      updated_ms ${int} NOT NULL
    )${plain}`,
    "CREATE INDEX prompts_of_account ON prompts (account_id, user_id)",
  ];
}

/** The audit log is append-only: triggers refuse every other statement. */
function auditLog(dialect: Dialect): string[] {
  const { int, text, plain, serial } = columnTypes(dialect);
  return [
    `CREATE TABLE audit_log (
      seq ${serial},
      id ${text} NOT NULL UNIQUE,
      created_ms ${int} NOT NULL,
      actor_kind ${text} NOT NULL CHECK (${isOneOf("actor_kind", "user", "admin-token", "anonymous", "gateway")}),
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
    )${plain}`,
    "CREATE INDEX audit_by_object ON audit_log (object_id)",
    "CREATE INDEX audit_by_actor ON audit_log (actor_id)",
    "CREATE INDEX audit_by_account ON audit_log (account_id)",
    refusal(dialect, "audit_never_changes", "UPDATE ON audit_log", "the audit log never changes"),
    refusal(dialect, "audit_never_goes", "DELETE ON audit_log", "the audit log never goes"),
  ];
}
