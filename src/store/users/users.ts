import type { AuditNote } from "../../core/audit.ts";
import type { AccountRole } from "../../core/memberships.ts";
import { StoreConflict } from "../../core/ports.ts";
import type { Role, UserListQuery, UserPatch, UserRecord } from "../../core/users.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { now_ms } from "../sql/clock.ts";
import { searchCondition, searchParams } from "../sql/search.ts";
import { lookup, sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { joinFirst, roleIn } from "./memberships.ts";
import { endAllSessions } from "./sessions.ts";
import {
  BY_ID_OR_EMAIL,
  emailKey,
  findUserById,
  requireUser,
  SELECT_USER,
  showUser,
  type UserRow,
  userRecord,
} from "./user-record.ts";

const selectUsers = sql(`${SELECT_USER} ORDER BY u.created_ms, u.id`);
const selectPassword = sql(`SELECT password_hash FROM users WHERE ${BY_ID_OR_EMAIL}`);

export function* listUsers(): Work<UserRecord[]> {
  return (yield* rows<UserRow>(selectUsers)).map(userRecord);
}

const selectCreated = sql("SELECT created_ms FROM users WHERE id = ?");
const selectPage = sql(
  `${SELECT_USER} WHERE (CAST(? AS TEXT) IS NULL OR u.status = ?) AND (CAST(? AS TEXT) IS NULL OR u.role = ?)
    AND (u.created_ms < ? OR (u.created_ms = ? AND u.id < ?))
    AND ${searchCondition("lower(u.email || ' ' || u.name || ' ' || u.id)")}
    ORDER BY u.created_ms DESC, u.id DESC LIMIT ?`,
);

export function* searchUsers(query: UserListQuery): Work<UserRecord[]> {
  const { status = null, role = null, before_id, limit, search } = query;
  const found = before_id === undefined ? null : yield* row<{ created_ms: unknown }>(selectCreated, [before_id]);
  if (before_id !== undefined && found === null) return [];
  const before_ms = found === null ? Number.MAX_SAFE_INTEGER : toInt(found.created_ms);
  const place = [before_ms, before_ms, before_id ?? ""];
  const params = [status, status, role, role, ...place, ...searchParams(search), limit];
  return (yield* rows<UserRow>(selectPage, params)).map(userRecord);
}

const selectEmails = lookup("SELECT id, email FROM users", { id: "text" });

export function* labelUsers(user_ids: readonly string[]): Work<{ readonly id: string; readonly email: string }[]> {
  const params = [...new Set(user_ids)].map((id) => [id]);
  return params.length === 0 ? [] : [...(yield* rows<{ id: string; email: string }>(selectEmails, params))];
}

export function* findPasswordHash(id_or_email: string): Work<string | null> {
  const params = [id_or_email, emailKey(id_or_email)];
  return (yield* row<{ password_hash: string | null }>(selectPassword, params))?.password_hash ?? null;
}

const insertUser = sql(
  `INSERT INTO users (id, email, email_key, email_verified, name, role, status, account_id, password_hash, created_ms)
    VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?, ?) ON CONFLICT (email_key) DO NOTHING RETURNING id`,
);

export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string;
  readonly role: Role;
  readonly account_id: string;
  /** Null: owner of an account without an owner, else member. */
  readonly account_role: AccountRole | null;
  /** The project of the membership, which the account has. */
  readonly project_id?: string | null;
  readonly password_hash: string | null;
}

/** Throws a StoreConflict when the e-mail is taken. */
export function* insertNewUser(user: NewUser): Work<UserRecord> {
  const email = user.email.trim();
  const verified = user.email_verified ? 1 : 0;
  const params = [user.id, email, emailKey(email), verified, user.name, user.role, user.account_id, user.password_hash];
  if ((yield* row(insertUser, [...params, yield* now_ms()])) === null) throw emailTaken(email);
  const { account_id, project_id = null } = user;
  yield* joinFirst(user.id, { account_id, role: yield* roleIn(account_id, user.account_role), project_id });
  return yield* requireUser(user.id);
}

/**
 * Locks all administrators, so that two administrators cannot remove or demote each other at the same time, which would
 * leave none.
 */
const lockAdministrators = sql(
  "SELECT id FROM users WHERE role = 'administrator' AND status = 'active' ORDER BY id {lock}",
);
const selectEmailOwner = sql("SELECT id FROM users WHERE email_key = ? AND id <> ?");
const updateFields = sql(
  "UPDATE users SET email = ?, email_key = ?, email_verified = ?, name = ?, role = ?, status = ? WHERE id = ?",
);
const updatePassword = sql("UPDATE users SET password_hash = ? WHERE id = ?");

export function* updateUser(user_id: string, patch: UserPatch, note: AuditNote): Work<UserRecord | null> {
  const administrators = yield* rows<{ id: string }>(lockAdministrators);
  const before = yield* findUserById(user_id);
  if (before === null) return null;
  const { password_hash, keep_session_id, ...fields } = patch;
  const email = fields.email?.trim() ?? before.email;
  const wanted = { ...before, ...fields, email };
  if (emailKey(email) !== emailKey(before.email)) {
    if ((yield* row(selectEmailOwner, [emailKey(email), user_id])) !== null) throw emailTaken(email);
  }
  const verified = before.email_verified && emailKey(email) === emailKey(before.email);
  const stays = wanted.role === "administrator" && wanted.status === "active";
  if (!stays && administrators.every(({ id }) => id === user_id) && administrators.length > 0)
    throw lastAdministrator();
  const params = [email, emailKey(email), verified ? 1 : 0, wanted.name, wanted.role, wanted.status, user_id];
  yield* rows(updateFields, params);
  if (password_hash !== undefined) yield* setPassword(user_id, password_hash, keep_session_id ?? null);
  if (wanted.status === "disabled") yield* endAllSessions(user_id);
  const after = yield* requireUser(user_id);
  const changed = password_hash === undefined ? {} : { password: "changed" };
  const object = { kind: "user", id: user_id };
  const shown = { before: showUser(before), after: { ...showUser(after), ...changed } };
  yield* writeAuditEntry({ ...note, object, account_id: after.account_id, ...shown });
  return after;
}

/**
 * Sets the password and ends every session of the user but `keep_session_id`, so that whoever knew the old password is
 * signed out.
 */
export function* setPassword(user_id: string, password_hash: string, keep_session_id: string | null): Work<void> {
  yield* rows(updatePassword, [password_hash, user_id]);
  yield* endAllSessions(user_id, keep_session_id);
}

const selectAble = sql(
  `SELECT u.id FROM users AS u WHERE u.role = 'administrator' AND u.status = 'active' AND (u.password_hash IS NOT NULL
    OR EXISTS (SELECT 1 FROM passkeys AS p WHERE p.user_id = u.id)
    OR EXISTS (SELECT 1 FROM identities AS i WHERE i.user_id = u.id)) LIMIT 1`,
);

export function* administratorCanSignIn(): Work<boolean> {
  return (yield* row(selectAble)) !== null;
}

const selectFirst = sql(
  `${SELECT_USER} WHERE u.role = 'administrator' AND u.status = 'active' ORDER BY u.created_ms, u.id LIMIT 1`,
);

/** The administrator who was created first. */
export function* firstAdministrator(): Work<UserRecord | null> {
  yield* rows(lockAdministrators);
  const found = yield* row<UserRow>(selectFirst);
  return found && userRecord(found);
}

function emailTaken(email: string): StoreConflict {
  return new StoreConflict(`There is a user with the e-mail ${email} already.`);
}

function lastAdministrator(): StoreConflict {
  return new StoreConflict("This is the last administrator: make somebody else an administrator first.");
}
