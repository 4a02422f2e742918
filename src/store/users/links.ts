import type { AuditChange, AuditNote } from "../../core/audit.ts";
import type { ListQuery } from "../../core/list-query.ts";
import type { AccountRole, JoinOutcome } from "../../core/memberships.ts";
import { StoreConflict } from "../../core/ports.ts";
import type { LinkPurpose, LinkRecord, NewLink, Role, SignedIn, SpendLink, UserRecord } from "../../core/users.ts";
import { createAccount, findAccount } from "../accounts/accounts.ts";
import { hasProject } from "../accounts/projects.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { now_ms } from "../sql/clock.ts";
import { searchCondition, searchParams } from "../sql/search.ts";
import { sql } from "../sql/statement.ts";
import { toBoolean, toInt, toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { bookInvitedCredit } from "./invited-credit.ts";
import { roleIn, setMembership } from "./memberships.ts";
import { openSession } from "./sessions.ts";
import { emailKey, findUser, findUserById, showUser } from "./user-record.ts";
import { administratorCanSignIn, firstAdministrator, insertNewUser, setPassword } from "./users.ts";

/** The e-mail of the first administrator until they set their own: an address that receives no mail. */
const FIRST_EMAIL = "admin@camino.local";

const COLUMNS =
  "id, purpose, email, role, user_id, account_id, account_role, vouched, made_by, created_ms, expires_ms, credit_micro, project_id";

interface LinkRow {
  readonly id: string;
  readonly purpose: LinkPurpose;
  readonly email: string | null;
  readonly role: Role;
  readonly user_id: string | null;
  readonly account_id: string | null;
  readonly account_role: AccountRole | null;
  readonly vouched: unknown;
  readonly made_by: string;
  readonly created_ms: unknown;
  readonly expires_ms: unknown;
  readonly credit_micro: unknown;
  readonly project_id: string | null;
}

function linkRecord(found: LinkRow): LinkRecord {
  return {
    ...found,
    vouched: toBoolean(found.vouched),
    created_ms: toInt(found.created_ms),
    expires_ms: toInt(found.expires_ms),
    credit_micro: found.credit_micro === null ? null : toMicro(found.credit_micro),
  };
}

const insertLink = sql(
  `INSERT INTO links (${COLUMNS}, token_hash, email_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
);
/**
 * A new link for a person replaces the earlier links of that purpose, for the same account. One account's owners cannot withdraw what
 * an administrator, or another account, has sent.
 */
const withdrawEarlier = sql(
  `DELETE FROM links WHERE purpose = ? AND email_key = ? AND used_ms IS NULL AND purpose <> 'first-administrator'
    AND (account_id = ? OR (account_id IS NULL AND CAST(? AS TEXT) IS NULL) OR purpose = 'password-reset')
    AND vouched <= ?`,
);

/** An invitation of a user must give them something: an account that they do not belong to yet. */
function* requireUse({ account_id }: NewLink, email: string): Work<void> {
  const user = yield* findUser(email);
  if (user === null) return;
  if (account_id === null) throw userExists(email);
  if (user.memberships.some((each) => each.account_id === account_id))
    throw new StoreConflict(`${email} belongs to this account already.`);
}

export function* createLink(link: NewLink, note: AuditNote): Work<LinkRecord> {
  const { purpose } = link;
  const vouched = link.vouched === false ? 0 : 1;
  const email = link.email?.trim() ?? null;
  if (purpose === "invitation" && email !== null) yield* requireUse(link, email);
  const key = email === null ? null : emailKey(email);
  if (key !== null) yield* rows(withdrawEarlier, [purpose, key, link.account_id, link.account_id, vouched]);
  const now = yield* now_ms();
  const gives = [link.account_role ?? null, vouched];
  const params = [link.id, purpose, email, link.role, link.user_id, link.account_id, ...gives, link.made_by];
  const made = yield* row<LinkRow>(insertLink, [
    ...params,
    ...[now, now + link.ttl_ms, link.credit_micro ?? null, link.project_id ?? null, link.token_hash, key],
  ]);
  if (made === null) throw new StoreConflict("There is or was such a link: its Idempotency-Key made it.");
  const record = linkRecord(made);
  const { account_id } = record;
  yield* writeAuditEntry({ ...note, object: objectOf(record), account_id, before: null, after: showLink(record) });
  return record;
}

const selectUsable = sql(`SELECT ${COLUMNS} FROM links WHERE token_hash = ? AND used_ms IS NULL AND expires_ms > ?`);

export function* findLink(token_hash: string): Work<LinkRecord | null> {
  const found = yield* row<LinkRow>(selectUsable, [token_hash, yield* now_ms()]);
  if (found === null || (found.purpose === "first-administrator" && (yield* administratorCanSignIn()))) return null;
  return linkRecord(found);
}

const INVITED = "purpose = 'invitation' AND used_ms IS NULL";
const selectInvitations = sql(`SELECT ${COLUMNS} FROM links WHERE ${INVITED} ORDER BY created_ms DESC, id DESC`);

export function* listInvitations(): Work<LinkRecord[]> {
  return (yield* rows<LinkRow>(selectInvitations)).map(linkRecord);
}

const selectInvitation = sql(`SELECT ${COLUMNS} FROM links WHERE id = ? AND ${INVITED}`);

export function* findInvitation(link_id: string): Work<LinkRecord | null> {
  const found = yield* row<LinkRow>(selectInvitation, [link_id]);
  return found && linkRecord(found);
}

const selectCreated = sql("SELECT created_ms FROM links WHERE id = ?");
const selectPage = sql(
  `SELECT ${COLUMNS} FROM links WHERE ${INVITED} AND (CAST(? AS TEXT) IS NULL OR account_id = ?)
    AND (created_ms < ? OR (created_ms = ? AND id < ?)) AND ${searchCondition("lower(email || ' ' || id)")}
    ORDER BY created_ms DESC, id DESC LIMIT ?`,
);

export function* searchInvitations(account_id: string | null, query: ListQuery): Work<LinkRecord[]> {
  const { before_id, limit, search } = query;
  const found = before_id === undefined ? null : yield* row<{ created_ms: unknown }>(selectCreated, [before_id]);
  if (before_id !== undefined && found === null) return [];
  const before_ms = found === null ? Number.MAX_SAFE_INTEGER : toInt(found.created_ms);
  const place = [before_ms, before_ms, before_id ?? ""];
  const params = [account_id, account_id, ...place, ...searchParams(search), limit];
  return (yield* rows<LinkRow>(selectPage, params)).map(linkRecord);
}

const deleteUnused = sql(`DELETE FROM links WHERE id = ? AND ${INVITED} RETURNING ${COLUMNS}`);

export function* deleteInvitation(link_id: string, note: AuditNote): Work<boolean> {
  const found = yield* row<LinkRow>(deleteUnused, [link_id]);
  if (found === null) return false;
  const link = linkRecord(found);
  const { account_id } = link;
  yield* writeAuditEntry({ ...note, object: objectOf(link), account_id, before: showLink(link), after: null });
  return true;
}

/** The one statement that spends a link: of several uses at the same time, it finds the link for only one. */
const spend = sql(
  `UPDATE links SET used_ms = ? WHERE token_hash = ? AND used_ms IS NULL AND expires_ms > ? RETURNING ${COLUMNS}`,
);

export function* spendLink(
  use: SpendLink,
  note: AuditNote,
): Work<(SignedIn & { readonly purpose: LinkPurpose }) | null> {
  const now = yield* now_ms();
  const found = yield* row<LinkRow>(spend, [now, use.token_hash, now]);
  if (found === null) return null;
  const link = linkRecord(found);
  const user = yield* userOf(link, use, note);
  if (user === null) return null;
  const opened = yield* openSession(user.id, use.session, { ...note, action: "session.open" });
  if (opened === null) throw new StoreConflict("The user of this link is disabled.");
  return { ...opened, purpose: link.purpose };
}

function* userOf(link: LinkRecord, use: SpendLink, note: AuditNote): Work<UserRecord | null> {
  switch (link.purpose) {
    case "invitation":
      return yield* acceptInvitation(link, { ...use, email: link.email ?? "" }, note);
    case "password-reset":
      return yield* resetPassword(link.user_id === null ? null : yield* findUserById(link.user_id), use, note);
    case "first-administrator":
      return yield* firstOf(link, use, note);
  }
}

export interface Accepting extends Pick<SpendLink, "name" | "password_hash" | "new_user_id" | "new_account_id"> {
  /** The e-mail that was invited, or that a provider has verified. */
  readonly email: string;
  /** Whether a provider has verified the e-mail. */
  readonly is_verified?: true;
}

/** Creates the invited user, and an account for them where the invitation names none. */
export function* acceptInvitation(
  link: Pick<LinkRecord, "account_id" | "role"> & Partial<Pick<LinkRecord, "account_role" | "vouched" | "project_id">>,
  accepting: Accepting,
  note: AuditNote,
): Work<UserRecord> {
  const { email, name, password_hash, new_user_id } = accepting;
  const account_id = link.account_id ?? (yield* accountFor(email, name ?? "", accepting.new_account_id));
  const user = yield* insertNewUser({
    id: new_user_id,
    email,
    email_verified: accepting.is_verified ?? link.vouched ?? true,
    name: name ?? "",
    role: link.role,
    account_id,
    account_role: link.account_role ?? null,
    project_id: yield* projectFor(account_id, link.project_id),
    password_hash,
  });
  yield* noteOwnChange(note, user, { action: "user.create", account_id, before: null, after: showUser(user) });
  return user;
}

/** The project that an invitation names, where the account still has it: its end is no reason to keep anybody out. */
function* projectFor(account_id: string, project_id: string | null | undefined): Work<string | null> {
  return project_id != null && (yield* hasProject(account_id, project_id)) ? project_id : null;
}

function* accountFor(email: string, name: string, new_account_id: string): Work<string> {
  const known = yield* findAccount(email);
  return (known ?? (yield* createAccount({ id: new_account_id, email, name }))).id;
}

/** Sets the password that came with the use of the link, if there is one. */
function* resetPassword(
  user: UserRecord | null,
  { password_hash }: SpendLink,
  note: AuditNote,
): Work<UserRecord | null> {
  if (user === null || password_hash === null) return user;
  yield* setPassword(user.id, password_hash, null);
  const shown = { before: showUser(user), after: { ...showUser(user), has_password: true, password: "changed" } };
  yield* noteOwnChange(note, user, { action: "user.reset-password", account_id: user.account_id, ...shown });
  return user;
}

/** Writes a user's change of their own record into the audit log: the user is both the actor and the object. */
function* noteOwnChange(
  note: AuditNote,
  { id, email }: UserRecord,
  change: Pick<AuditChange, "action" | "account_id" | "before" | "after">,
): Work<void> {
  const actor = { kind: "user", id, name: email } as const;
  yield* writeAuditEntry({ ...note, ...change, actor, object: { kind: "user", id } });
}

/**
 * Signs in the first administrator. Only the person who started the gateway has this link; it is refused once an
 * administrator can sign in another way.
 */
function* firstOf(link: LinkRecord, use: SpendLink, note: AuditNote): Work<UserRecord | null> {
  const first = yield* firstAdministrator();
  if (yield* administratorCanSignIn()) return null;
  if (first !== null) return yield* resetPassword(first, use, note);
  const account_id = link.account_id ?? (yield* accountFor(FIRST_EMAIL, "Administrator", use.new_account_id));
  const user = yield* insertNewUser({
    id: use.new_user_id,
    email: FIRST_EMAIL,
    email_verified: false,
    name: use.name ?? "Administrator",
    role: "administrator",
    account_id,
    account_role: null,
    password_hash: use.password_hash,
  });
  yield* noteOwnChange(note, user, { action: "user.create", account_id, before: null, after: showUser(user) });
  return user;
}

const spendInvitation = sql(
  `UPDATE links SET used_ms = ? WHERE id = (SELECT id FROM links WHERE email_key = ? AND purpose = 'invitation'
      AND used_ms IS NULL AND expires_ms > ? AND vouched = 1 ORDER BY created_ms DESC LIMIT 1) AND used_ms IS NULL
    RETURNING ${COLUMNS}`,
);

/**
 * Spends an administrator's invitation for an e-mail that a provider has verified; null when there is none. Nobody becomes a member of
 * an account by an owner's invitation without opening its link.
 */
export function* takeInvitation(verified_email: string): Work<LinkRecord | null> {
  const now = yield* now_ms();
  const found = yield* row<LinkRow>(spendInvitation, [now, emailKey(verified_email), now]);
  return found && linkRecord(found);
}

function objectOf({ purpose, id, user_id }: LinkRecord): { kind: string; id: string } {
  return purpose === "password-reset" && user_id !== null ? { kind: "user", id: user_id } : { kind: "invitation", id };
}

function showLink(link: LinkRecord): Record<string, unknown> {
  const { purpose, email, role, account_id, account_role, credit_micro, project_id, expires_ms } = link;
  const brings = { ...(credit_micro !== null && { credit_micro }), ...(project_id !== null && { project_id }) };
  const gives = { ...(account_role && { account_role }), ...brings };
  return { purpose, email, role, account_id, ...gives, expires_ms };
}

function userExists(email: string): StoreConflict {
  return new StoreConflict(`There is a user with the e-mail ${email} already.`);
}

const spendFor = sql(
  `UPDATE links SET used_ms = ? WHERE token_hash = ? AND purpose = 'invitation' AND used_ms IS NULL RETURNING ${COLUMNS}`,
);

export function* joinByLink(token_hash: string, user_id: string, note: AuditNote): Work<JoinOutcome> {
  const link = yield* findLink(token_hash);
  const user = yield* findUserById(user_id);
  if (link?.purpose !== "invitation" || link.account_id === null || user === null) return { outcome: "gone" };
  const email = link.email ?? "";
  if (emailKey(email) !== emailKey(user.email)) return { outcome: "other-email", email };
  if ((yield* row(spendFor, [yield* now_ms(), token_hash])) === null) return { outcome: "gone" };
  yield* bookInvitedCredit(note);
  const { account_id } = link;
  const project_id = yield* projectFor(account_id, link.project_id);
  const membership = { account_id, role: yield* roleIn(account_id, link.account_role), project_id };
  if (user.memberships.some((each) => each.account_id === account_id)) return { outcome: "joined", membership };
  yield* setMembership(user_id, membership, { ...note, action: "member.join" });
  return { outcome: "joined", membership };
}
