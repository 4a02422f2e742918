import type { AuditNote } from "../../core/people/audit.ts";
import type {
  NewSession,
  OpenSession,
  SessionRecord,
  SignedIn,
  SignInMethod,
  UserRecord,
  UserStatus,
} from "../../core/people/users.ts";
import { isOpenSession, isUseStale, maySignIn, sessionEnd } from "../../people/sign-in/session-life.ts";
import type { EndedSessions } from "../../people/users/change-user.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { now_ms } from "../sql/clock.ts";
import { columnsOf, int, type ReadRow, readFirst, readRows, text, textOrNull, word } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { bookInvitedCredit } from "./invited-credit.ts";
import { findUserById, requireUser } from "./user-record.ts";

const SESSION = {
  id: text,
  user_id: text,
  method: word<SignInMethod>(),
  address: textOrNull,
  user_agent: textOrNull,
  created_ms: int,
  last_seen_ms: int,
  idle_ms: int,
  ends_ms: int,
} as const;
const COLUMNS = columnsOf(SESSION);

function sessionRecord({ idle_ms, ends_ms, ...found }: ReadRow<typeof SESSION>): SessionRecord {
  return { ...found, expires_ms: sessionEnd({ last_seen_ms: found.last_seen_ms, idle_ms, ends_ms }) };
}

const purgeSessions = sql("DELETE FROM sessions WHERE ends_ms <= ? OR last_seen_ms + idle_ms <= ?");
const lockUser = sql("SELECT status FROM users WHERE id = ? {lock}");
const insertSession = sql(
  `INSERT INTO sessions (${COLUMNS}, token_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
);
const markUser = sql("UPDATE users SET last_seen_ms = ? WHERE id = ?");

export function* openSession(user_id: string, session: NewSession, note: AuditNote): Work<SignedIn | null> {
  if (!maySignIn(yield* row<{ status: UserStatus }>(lockUser, [user_id]))) return null;
  const now = yield* now_ms();
  yield* rows(purgeSessions, [now, now]);
  const { id, token_hash, method, address, user_agent, idle_ms, absolute_ms } = session;
  const params = [id, user_id, method, address, user_agent, now, now, idle_ms, now + absolute_ms, token_hash];
  const made = yield* readFirst(SESSION, insertSession, params);
  if (made === null) throw new Error("the session was not written");
  yield* rows(markUser, [now, user_id]);
  yield* bookInvitedCredit(note);
  const user = yield* requireUser(user_id);
  const object = { kind: "session", id };
  yield* writeAuditEntry({
    ...note,
    ...actingAs(note, user),
    object,
    account_id: user.account_id,
    before: null,
    after: { method, user_agent },
  });
  return { user, session: sessionRecord(made) };
}

/** A sign-in is asked for anonymously; the audit log names the user who signed in. */
function actingAs({ actor }: AuditNote, user: UserRecord): Pick<AuditNote, "actor"> {
  return { actor: actor.kind === "anonymous" ? { kind: "user", id: user.id, name: user.email } : actor };
}

const selectByToken = sql(`SELECT ${COLUMNS} FROM sessions WHERE token_hash = ?`);

export function* findSession(token_hash: string): Work<OpenSession | null> {
  const found = yield* readFirst(SESSION, selectByToken, [token_hash]);
  if (found === null) return null;
  const session = sessionRecord(found);
  const now = yield* now_ms();
  if (!isOpenSession(session, now)) return null;
  const user = yield* findUserById(session.user_id);
  if (user === null || !maySignIn(user)) return null;
  return { session, user, stale: isUseStale(session, now) };
}

const markSession = sql("UPDATE sessions SET last_seen_ms = ? WHERE id = ? RETURNING user_id");

export function* touchSession(session_id: string): Work<void> {
  const now = yield* now_ms();
  const touched = yield* row<{ user_id: string }>(markSession, [now, session_id]);
  if (touched !== null) yield* rows(markUser, [now, touched.user_id]);
}

const selectOfUser = sql(`SELECT ${COLUMNS} FROM sessions WHERE user_id = ? ORDER BY last_seen_ms DESC, id`);

export function* listSessions(user_id: string): Work<SessionRecord[]> {
  const now = yield* now_ms();
  const found = yield* readRows(SESSION, selectOfUser, [user_id]);
  return found.map(sessionRecord).filter((session) => isOpenSession(session, now));
}

const deleteSession = sql("DELETE FROM sessions WHERE id = ? AND user_id = ? RETURNING method, user_agent");
const deleteSessions = sql("DELETE FROM sessions WHERE user_id = ? AND id <> ?");

export function* endSession(user_id: string, session_id: string, note: AuditNote): Work<boolean> {
  const ended = yield* row<{ method: string; user_agent: string | null }>(deleteSession, [session_id, user_id]);
  if (ended === null) return false;
  const user = yield* requireUser(user_id);
  const object = { kind: "session", id: session_id };
  const before = { method: ended.method, user_agent: ended.user_agent };
  yield* writeAuditEntry({ ...note, object, account_id: user.account_id, before, after: null });
  return true;
}

export function* endSessions(user_id: string, { but_id }: EndedSessions): Work<void> {
  yield* rows(deleteSessions, [user_id, but_id ?? ""]);
}
