import type { AccountRole, Membership } from "../../core/people/memberships.ts";
import type { Role, UserRecord, UserStatus } from "../../core/people/users.ts";
import { emailKey } from "../../people/users/email-key.ts";
import { sql } from "../sql/statement.ts";
import { toBoolean, toInt, toIntOrNull } from "../sql/values.ts";
import { row, type Work } from "../sql/work.ts";

export const SELECT_USER = `SELECT u.id, u.email, u.email_verified, u.name, u.role, u.status, u.account_id, u.created_ms, u.last_seen_ms,
    CASE WHEN u.password_hash IS NULL THEN 0 ELSE 1 END AS has_password,
    (SELECT count(*) FROM passkeys AS p WHERE p.user_id = u.id) AS passkeys,
    (SELECT string_agg(i.provider, ',') FROM identities AS i WHERE i.user_id = u.id) AS identities,
    (SELECT string_agg(m.account_id || ' ' || m.role || ' ' || COALESCE(p.id, ''), ',') FROM memberships AS m
      LEFT JOIN projects AS p ON p.id = m.project_id AND p.deleted_ms IS NULL WHERE m.user_id = u.id) AS memberships
  FROM users AS u`;

export interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly email_verified: unknown;
  readonly name: string;
  readonly role: Role;
  readonly status: UserStatus;
  readonly account_id: string;
  readonly created_ms: unknown;
  readonly last_seen_ms: unknown;
  readonly has_password: unknown;
  readonly passkeys: unknown;
  readonly identities: string | null;
  readonly memberships: string | null;
}

export function userRecord(found: UserRow): UserRecord {
  return {
    id: found.id,
    email: found.email,
    email_verified: toBoolean(found.email_verified),
    name: found.name,
    role: found.role,
    status: found.status,
    account_id: found.account_id,
    memberships: readMemberships(found.memberships),
    has_password: toBoolean(found.has_password),
    passkeys: toInt(found.passkeys),
    identities: [...new Set(found.identities?.split(",") ?? [])].sort(),
    created_ms: toInt(found.created_ms),
    last_seen_ms: toIntOrNull(found.last_seen_ms),
  };
}

function readMemberships(memberships: string | null): Membership[] {
  const found = (memberships?.split(",") ?? []).sort();
  return found.map((text) => {
    const [id = "", role, project_id = ""] = text.split(" ");
    return { account_id: id, role: role as AccountRole, ...(project_id !== "" && { project_id }) };
  });
}

/** Takes the id and the e-mail as two look-ups: PostgreSQL finds neither of two columns in one by an index alone. */
export const BY_ID_OR_EMAIL =
  "id IN (SELECT id FROM users WHERE id = ? UNION ALL SELECT id FROM users WHERE email_key = ?)";

const selectUser = sql(`${SELECT_USER} WHERE u.${BY_ID_OR_EMAIL}`);

export function* findUser(id_or_email: string): Work<UserRecord | null> {
  const found = yield* row<UserRow>(selectUser, [id_or_email, emailKey(id_or_email)]);
  return found && userRecord(found);
}

const selectById = sql(`${SELECT_USER} WHERE u.id = ?`);

export function* findUserById(user_id: string): Work<UserRecord | null> {
  const found = yield* row<UserRow>(selectById, [user_id]);
  return found && userRecord(found);
}

export function* requireUser(user_id: string): Work<UserRecord> {
  const user = yield* findUserById(user_id);
  if (user === null) throw new Error(`the user ${user_id} was not written`);
  return user;
}

/** A user as the audit log shows it. */
export function showUser({ last_seen_ms: _seen, ...shown }: UserRecord): Record<string, unknown> {
  return shown;
}
