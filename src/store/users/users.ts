import type { AuditNote } from "../../core/people/audit.ts";
import type { UserListQuery, UserPatch, UserRecord } from "../../core/people/users.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import type { NewUser } from "../../people/links/accept-invitation.ts";
import { changesEmail, decideUserChange } from "../../people/users/change-user.ts";
import { emailKey, emailTaken } from "../../people/users/email-key.ts";
import { someoneCanAdminister } from "../../people/users/last-administrator.ts";
import { allowed } from "../accounts/allowed.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { now_ms } from "../sql/clock.ts";
import { readRows } from "../sql/columns.ts";
import { behind, placeIn } from "../sql/page.ts";
import { searchCondition, searchParams } from "../sql/search.ts";
import { lookup, sql } from "../sql/statement.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { joinFirst } from "./memberships.ts";
import { endSessions } from "./sessions.ts";
import { BY_ID_OR_EMAIL, findUserById, requireUser, SELECT_USER, showUser, USER } from "./user-record.ts";

const selectUsers = sql(`${SELECT_USER} ORDER BY u.created_ms, u.id`);
const selectPassword = sql(`SELECT password_hash FROM users WHERE ${BY_ID_OR_EMAIL}`);

export function* listUsers(): Work<UserRecord[]> {
  return yield* readRows(USER, selectUsers);
}

const selectPage = sql(
  `${SELECT_USER} WHERE (CAST(? AS TEXT) IS NULL OR u.status = ?) AND (CAST(? AS TEXT) IS NULL OR u.role = ?)
    AND ${behind("u.")}
    AND ${searchCondition("lower(u.email || ' ' || u.name || ' ' || u.id)")}
    ORDER BY u.created_ms DESC, u.id DESC LIMIT ?`,
);

export function* searchUsers(query: UserListQuery): Work<UserRecord[]> {
  const { status = null, role = null, limit, search } = query;
  const place = yield* placeIn("users", query);
  if (place === null) return [];
  const params = [status, status, role, role, ...place, ...searchParams(search), limit];
  return yield* readRows(USER, selectPage, params);
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

/** Throws a StoreConflict when the e-mail is taken. */
export function* insertNewUser(user: NewUser): Work<UserRecord> {
  const email = user.email.trim();
  const verified = user.email_verified ? 1 : 0;
  const params = [user.id, email, emailKey(email), verified, user.name, user.role, user.account_id, user.password_hash];
  if ((yield* row(insertUser, [...params, yield* now_ms()])) === null) throw new StoreConflict(emailTaken(email));
  const { account_id, account_role, project_id } = user;
  yield* joinFirst(user.id, { account_id, role: account_role, project_id });
  return yield* requireUser(user.id);
}

const ACTIVE_ADMINISTRATORS = "role = 'administrator' AND status = 'active'";
/**
 * Locks all administrators, so that two administrators cannot remove or demote each other at the same time, which would
 * leave none (docs/rulings.md 119).
 */
const lockAdministrators = sql(`SELECT id FROM users WHERE ${ACTIVE_ADMINISTRATORS} ORDER BY id {lock}`);
const selectAdministrators = sql(`${SELECT_USER} WHERE ${ACTIVE_ADMINISTRATORS} ORDER BY u.created_ms, u.id`);
const selectEmailOwner = sql("SELECT id FROM users WHERE email_key = ? AND id <> ?");
const updateFields = sql(
  "UPDATE users SET email = ?, email_key = ?, email_verified = ?, name = ?, role = ?, status = ? WHERE id = ?",
);
const updatePassword = sql("UPDATE users SET password_hash = ? WHERE id = ?");
/** Password resets that are open: of several that were asked for one is used, and an old mailbox keeps none (docs/rulings.md 224). */
const deleteResets = sql("DELETE FROM links WHERE user_id = ? AND used_ms IS NULL");

/** The active administrators, the oldest first. */
export function* activeAdministrators(): Work<UserRecord[]> {
  return yield* readRows(USER, selectAdministrators);
}

/** The same, locked until the end of the transaction. */
export function* lockedAdministrators(): Work<UserRecord[]> {
  yield* rows(lockAdministrators);
  return yield* activeAdministrators();
}

export function* administratorCanSignIn(): Work<boolean> {
  return someoneCanAdminister(yield* activeAdministrators());
}

export function* updateUser(user_id: string, patch: UserPatch, note: AuditNote): Work<UserRecord | null> {
  const administrators = yield* rows<{ id: string }>(lockAdministrators);
  const before = yield* findUserById(user_id);
  if (before === null) return null;
  const is_email_taken = changesEmail(before, patch) && (yield* isEmailTaken(patch.email ?? "", user_id));
  const change = allowed(decideUserChange(before, patch, { administrators, is_email_taken }));
  const { email, name, role, status, password_hash, ended_sessions } = change;
  const params = [email, emailKey(email), change.email_verified ? 1 : 0, name, role, status, user_id];
  yield* rows(updateFields, params);
  if (password_hash !== null) yield* rows(updatePassword, [password_hash, user_id]);
  if (password_hash !== null || changesEmail(before, patch)) yield* rows(deleteResets, [user_id]);
  if (ended_sessions !== null) yield* endSessions(user_id, ended_sessions);
  const after = yield* requireUser(user_id);
  const changed = password_hash === null ? {} : { password: "changed" };
  const object = { kind: "user", id: user_id };
  const shown = { before: showUser(before), after: { ...showUser(after), ...changed } };
  yield* writeAuditEntry({ ...note, object, account_id: after.account_id, ...shown });
  return after;
}

function* isEmailTaken(email: string, but_user_id: string): Work<boolean> {
  return (yield* row(selectEmailOwner, [emailKey(email), but_user_id])) !== null;
}

/** Sets the password that came with a link, and ends every session of the user: whoever knew the old password is signed out. */
export function* resetPassword(user_id: string, password_hash: string): Work<void> {
  yield* rows(updatePassword, [password_hash, user_id]);
  yield* rows(deleteResets, [user_id]);
  yield* endSessions(user_id, { but_id: null });
}
