import type { AccountRole, Membership } from "../../core/people/memberships.ts";
import type { Role, UserRecord, UserStatus } from "../../core/people/users.ts";
import { emailKey } from "../../people/users/email-key.ts";
import { columnsOf, flag, int, intOrNull, readFirst, text, word } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import type { Work } from "../sql/work.ts";

/** The lists are texts with commas between their parts. */
const ACCOUNTS = { read: (value: unknown) => readMemberships(value as string | null) };
const PROVIDERS = { read: (value: unknown) => [...new Set((value as string | null)?.split(",") ?? [])].sort() };

const OWN = {
  id: text,
  email: text,
  email_verified: flag,
  name: text,
  role: word<Role>(),
  status: word<UserStatus>(),
  account_id: text,
  created_ms: int,
  last_seen_ms: intOrNull,
} as const;
export const USER = {
  ...OWN,
  memberships: ACCOUNTS,
  has_password: flag,
  passkeys: int,
  identities: PROVIDERS,
} as const;

export const SELECT_USER = `SELECT ${columnsOf(OWN, "u")},
    CASE WHEN u.password_hash IS NULL THEN 0 ELSE 1 END AS has_password,
    (SELECT count(*) FROM passkeys AS p WHERE p.user_id = u.id) AS passkeys,
    (SELECT string_agg(i.provider, ',') FROM identities AS i WHERE i.user_id = u.id) AS identities,
    (SELECT string_agg(m.account_id || ' ' || m.role || ' ' || COALESCE(p.id, ''), ',') FROM memberships AS m
      LEFT JOIN projects AS p ON p.id = m.project_id AND p.deleted_ms IS NULL WHERE m.user_id = u.id) AS memberships
  FROM users AS u`;

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
  return yield* readFirst(USER, selectUser, [id_or_email, emailKey(id_or_email)]);
}

const selectById = sql(`${SELECT_USER} WHERE u.id = ?`);

export function* findUserById(user_id: string): Work<UserRecord | null> {
  return yield* readFirst(USER, selectById, [user_id]);
}

export function* requireUser(user_id: string): Work<UserRecord> {
  const user = yield* findUserById(user_id);
  if (user === null) throw new Error(`the user ${user_id} was not written`);
  return user;
}

export function showUser({ last_seen_ms: _seen, ...shown }: UserRecord): Record<string, unknown> {
  return shown;
}
