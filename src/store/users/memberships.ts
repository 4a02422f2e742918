import type { AuditNote } from "../../core/people/audit.ts";
import type { AccountRole, MemberListQuery, MemberRecord, Membership } from "../../core/people/memberships.ts";
import type { UserStatus } from "../../core/people/users.ts";
import { decideMembership, refuseLeaving, wantedProject } from "../../people/members/change-membership.ts";
import { homeAccount } from "../../people/members/home-account.ts";
import type { Owner } from "../../people/members/last-owner.ts";
import { allowed } from "../accounts/allowed.ts";
import { lockAccount, lockUser } from "../accounts/locks.ts";
import { endPlaygroundKey } from "../accounts/playground-keys.ts";
import { hasProject } from "../accounts/projects.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { now_ms } from "../sql/clock.ts";
import { int, intOrNull, type ReadRow, readFirst, readRows, text, textOrNull, word } from "../sql/columns.ts";
import { searchCondition, searchParams } from "../sql/search.ts";
import { sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

const MEMBER = {
  user_id: text,
  account_id: text,
  role: word<AccountRole>(),
  joined_ms: int,
  email: text,
  name: text,
  status: word<UserStatus>(),
  last_seen_ms: intOrNull,
  project_id: textOrNull,
  project_name: textOrNull,
} as const;

const MEMBERS = `SELECT m.user_id, m.account_id, m.role, m.created_ms AS joined_ms, u.email, u.name, u.status, u.last_seen_ms,
      p.id AS project_id, p.name AS project_name
    FROM memberships AS m JOIN users AS u ON u.id = m.user_id
      LEFT JOIN projects AS p ON p.id = m.project_id AND p.deleted_ms IS NULL WHERE m.account_id = ?`;

const selectMembers = sql(`${MEMBERS} ORDER BY joined_ms, user_id`);
const selectMember = sql(`SELECT * FROM (${MEMBERS}) AS members WHERE user_id = ?`);

export function* listMembers(account_id: string): Work<MemberRecord[]> {
  return (yield* readRows(MEMBER, selectMembers, [account_id])).map(memberRecord);
}

const selectPage = sql(
  `SELECT * FROM (${MEMBERS}) AS members
    WHERE (CAST(? AS TEXT) IS NULL OR status = ?) AND (CAST(? AS TEXT) IS NULL OR role = ?)
    AND (joined_ms < ? OR (joined_ms = ? AND user_id < ?))
    AND ${searchCondition("lower(email || ' ' || name || ' ' || user_id)")}
    ORDER BY joined_ms DESC, user_id DESC LIMIT ?`,
);

export function* searchMembers(account_id: string, query: MemberListQuery): Work<MemberRecord[]> {
  const { status = null, role = null, before_id, limit, search } = query;
  const before = before_id === undefined ? null : yield* findMember(account_id, before_id);
  if (before_id !== undefined && before === null) return [];
  const before_ms = before?.joined_ms ?? Number.MAX_SAFE_INTEGER;
  const filters = [account_id, status, status, role, role];
  const params = [...filters, before_ms, before_ms, before_id ?? "", ...searchParams(search), limit];
  return (yield* readRows(MEMBER, selectPage, params)).map(memberRecord);
}

export function* findMember(account_id: string, user_id: string): Work<MemberRecord | null> {
  const found = yield* readFirst(MEMBER, selectMember, [account_id, user_id]);
  return found && memberRecord(found);
}

function memberRecord({ project_id, project_name, ...found }: ReadRow<typeof MEMBER>): MemberRecord {
  return { ...found, project: project_id === null ? null : { id: project_id, name: project_name ?? "" } };
}

const upsert = sql(
  `INSERT INTO memberships (user_id, account_id, role, created_ms, project_id) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (user_id, account_id) DO UPDATE SET role = excluded.role, project_id = excluded.project_id`,
);

/** Holds account and user: two owners cannot remove each other at the same time. False: one of them is not there. */
function* lock(account_id: string, user_id: string): Work<boolean> {
  return (yield* lockAccount(account_id)) && (yield* lockUser(user_id));
}

const selectOwners = sql(
  `SELECT m.user_id, u.status FROM memberships AS m JOIN users AS u ON u.id = m.user_id
    WHERE m.account_id = ? AND m.role = 'owner'`,
);

function* ownersOf(account_id: string): Work<readonly Owner[]> {
  return yield* rows<Owner>(selectOwners, [account_id]);
}

/** Whether an account has an owner, if only a disabled one. */
export function* hasOwner(account_id: string): Work<boolean> {
  return (yield* ownersOf(account_id)).length > 0;
}

export function* setMembership(user_id: string, wanted: Membership, note: AuditNote): Work<MemberRecord | null> {
  const { account_id } = wanted;
  if (!(yield* lock(account_id, user_id))) return null;
  const before = yield* findMember(account_id, user_id);
  const has_project = yield* hasProject(account_id, wantedProject(before, wanted));
  const decided = allowed(decideMembership(before, wanted, { owners: yield* ownersOf(account_id), has_project }));
  if (decided === "unchanged") return before;
  yield* rows(upsert, [user_id, account_id, decided.role, yield* now_ms(), decided.project_id]);
  const after = yield* findMember(account_id, user_id);
  if (after === null) throw new Error("the membership was not written");
  yield* adoptHome(user_id);
  yield* writeAuditEntry({ ...note, ...subject(after), before: before && shown(before), after: shown(after) });
  return after;
}

/** Writes the membership of a new user; the audit log has the user's creation instead. */
export function* joinFirst(user_id: string, { account_id, role, project_id = null }: Membership): Work<void> {
  yield* rows(upsert, [user_id, account_id, role, yield* now_ms(), project_id]);
}

const deleteMembership = sql("DELETE FROM memberships WHERE user_id = ? AND account_id = ?");

export function* removeMembership(user_id: string, account_id: string, note: AuditNote): Work<boolean> {
  if (!(yield* lock(account_id, user_id))) return false;
  const before = yield* findMember(account_id, user_id);
  if (before === null) return false;
  allowed(refuseLeaving(before, yield* ownersOf(account_id)));
  yield* rows(deleteMembership, [user_id, account_id]);
  yield* endPlaygroundKey(account_id, user_id);
  yield* adoptHome(user_id);
  yield* writeAuditEntry({ ...note, ...subject(before), before: shown(before), after: null });
  return true;
}

const selectHome = sql("SELECT account_id FROM users WHERE id = ?");
const selectJoined = sql("SELECT account_id, created_ms FROM memberships WHERE user_id = ?");
const moveHome = sql("UPDATE users SET account_id = ? WHERE id = ?");

/** The caller holds the user. */
function* adoptHome(user_id: string): Work<void> {
  const user = yield* row<{ account_id: string }>(selectHome, [user_id]);
  const found = yield* rows<{ account_id: string; created_ms: unknown }>(selectJoined, [user_id]);
  const joined = found.map(({ account_id, created_ms }) => ({ account_id, joined_ms: toInt(created_ms) }));
  const home = homeAccount(user?.account_id ?? "", joined);
  if (home !== user?.account_id) yield* rows(moveHome, [home, user_id]);
}

function subject({ account_id, user_id }: MemberRecord) {
  return { object: { kind: "member", id: user_id }, account_id };
}

function shown({ user_id, account_id, role, email, project }: MemberRecord): Record<string, unknown> {
  return { user_id, account_id, role, email, ...(project !== null && { project: project.name }) };
}
