import type { AuditChange, AuditNote } from "../../core/people/audit.ts";
import type { ListQuery } from "../../core/people/list-query.ts";
import type { AccountRole, JoinOutcome } from "../../core/people/memberships.ts";
import type {
  LinkPurpose,
  LinkRecord,
  NewLink,
  Role,
  SignedIn,
  SpendLink,
  UserRecord,
} from "../../core/people/users.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { accountOfEntry, type Entry, type Person, userOfEntry } from "../../people/links/accept-invitation.ts";
import { decideFirstAdministrator, firstEntry, firstPerson } from "../../people/links/first-administrator.ts";
import { refuseUselessInvitation, replacesLink } from "../../people/links/invite.ts";
import { decideJoining } from "../../people/links/join-by-link.ts";
import { isOpenLink } from "../../people/links/link-lives.ts";
import { roleOfJoining } from "../../people/members/default-role.ts";
import { invitationFor } from "../../people/sign-in/join-by-verified-email.ts";
import { emailKey } from "../../people/users/email-key.ts";
import { createAccount, findAccount } from "../accounts/accounts.ts";
import { allowed } from "../accounts/allowed.ts";
import { hasProject } from "../accounts/projects.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { addLetter } from "../deliveries/deliveries.ts";
import { now_ms } from "../sql/clock.ts";
import {
  amountOrNull,
  columnsOf,
  flag,
  int,
  intOrNull,
  readFirst,
  readRows,
  text,
  textOrNull,
  word,
} from "../sql/columns.ts";
import { behind, placeIn } from "../sql/page.ts";
import { searchCondition, searchParams } from "../sql/search.ts";
import { sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import { bookInvitedCredit } from "./invited-credit.ts";
import { hasOwner, setMembership } from "./memberships.ts";
import { openSession } from "./sessions.ts";
import { findUser, findUserById, showUser } from "./user-record.ts";
import { activeAdministrators, insertNewUser, lockedAdministrators, resetPassword } from "./users.ts";

const LINK = {
  id: text,
  purpose: word<LinkPurpose>(),
  email: textOrNull,
  role: word<Role>(),
  user_id: textOrNull,
  account_id: textOrNull,
  account_role: word<AccountRole | null>(),
  vouched: flag,
  made_by: text,
  created_ms: int,
  expires_ms: int,
  credit_micro: amountOrNull,
  project_id: textOrNull,
} as const;
const COLUMNS = columnsOf(LINK);

const insertLink = sql(
  `INSERT INTO links (${COLUMNS}, token_hash, email_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
);
const selectEarlier = sql(`SELECT ${COLUMNS} FROM links WHERE email_key = ? AND used_ms IS NULL ORDER BY id {lock}`);
const deleteEarlier = sql("DELETE FROM links WHERE id = ?");

export function* createLink(link: NewLink, note: AuditNote): Work<LinkRecord> {
  const { purpose, vouched = true } = link;
  const email = link.email?.trim() ?? null;
  if (purpose === "invitation" && email !== null) allowed(refuseUselessInvitation(email, link, yield* findUser(email)));
  const key = email === null ? null : emailKey(email);
  for (const earlier of key === null ? [] : yield* readRows(LINK, selectEarlier, [key]))
    if (replacesLink({ ...link, vouched }, earlier)) yield* rows(deleteEarlier, [earlier.id]);
  const now = yield* now_ms();
  const gives = [link.account_role ?? null, vouched ? 1 : 0];
  const params = [link.id, purpose, email, link.role, link.user_id, link.account_id, ...gives, link.made_by];
  const record = yield* readFirst(LINK, insertLink, [
    ...params,
    ...[now, now + link.ttl_ms, link.credit_micro ?? null, link.project_id ?? null, link.token_hash, key],
  ]);
  if (record === null) throw new StoreConflict("There is or was such a link: its Idempotency-Key made it.");
  const { account_id } = record;
  yield* writeAuditEntry({ ...note, object: objectOf(record), account_id, before: null, after: showLink(record) });
  const kind = purpose === "first-administrator" ? null : purpose;
  if (link.mail !== undefined && kind !== null)
    yield* addLetter({ id: link.id, kind, recipient: email ?? "", ...link.mail });
  return record;
}

const selectByToken = sql(`SELECT ${COLUMNS}, used_ms FROM links WHERE token_hash = ?`);
/** Uses of a link at the same time wait for each other, and each sees what the one before it did. */
const lockByToken = sql(`SELECT ${COLUMNS}, used_ms FROM links WHERE token_hash = ? {lock}`);
const markUsed = sql("UPDATE links SET used_ms = ? WHERE id = ?");

export function* findLink(token_hash: string): Work<LinkRecord | null> {
  const link = yield* openLinkBy(selectByToken, token_hash);
  if (link?.purpose !== "first-administrator") return link;
  return decideFirstAdministrator(yield* activeAdministrators()) === "dead" ? null : link;
}

function* openLinkBy(statement: typeof selectByToken, token_hash: string): Work<LinkRecord | null> {
  const found = yield* readFirst({ ...LINK, used_ms: intOrNull }, statement, [token_hash]);
  if (found === null) return null;
  const { used_ms, ...link } = found;
  return isOpenLink({ ...link, used_ms }, yield* now_ms()) ? link : null;
}

const INVITED = "purpose = 'invitation' AND used_ms IS NULL";
const selectInvitations = sql(`SELECT ${COLUMNS} FROM links WHERE ${INVITED} ORDER BY created_ms DESC, id DESC`);

export function* listInvitations(): Work<LinkRecord[]> {
  return yield* readRows(LINK, selectInvitations);
}

const selectInvitation = sql(`SELECT ${COLUMNS} FROM links WHERE id = ? AND ${INVITED}`);

export function* findInvitation(link_id: string): Work<LinkRecord | null> {
  return yield* readFirst(LINK, selectInvitation, [link_id]);
}

const selectPage = sql(
  `SELECT ${COLUMNS} FROM links WHERE ${INVITED} AND (CAST(? AS TEXT) IS NULL OR account_id = ?)
    AND ${behind("")} AND ${searchCondition("lower(email || ' ' || id)")}
    ORDER BY created_ms DESC, id DESC LIMIT ?`,
);

export function* searchInvitations(account_id: string | null, query: ListQuery): Work<LinkRecord[]> {
  const { limit, search } = query;
  const place = yield* placeIn("links", query);
  if (place === null) return [];
  const params = [account_id, account_id, ...place, ...searchParams(search), limit];
  return yield* readRows(LINK, selectPage, params);
}

const deleteUnused = sql(`DELETE FROM links WHERE id = ? AND ${INVITED} RETURNING ${COLUMNS}`);

export function* deleteInvitation(link_id: string, note: AuditNote): Work<boolean> {
  const link = yield* readFirst(LINK, deleteUnused, [link_id]);
  if (link === null) return false;
  const { account_id } = link;
  yield* writeAuditEntry({ ...note, object: objectOf(link), account_id, before: showLink(link), after: null });
  return true;
}

export function* spendLink(
  use: SpendLink,
  note: AuditNote,
): Work<(SignedIn & { readonly purpose: LinkPurpose }) | null> {
  const link = yield* openLinkBy(lockByToken, use.token_hash);
  if (link === null) return null;
  yield* rows(markUsed, [yield* now_ms(), link.id]);
  const user = yield* userOf(link, use, note);
  if (user === null) return null;
  const opened = yield* openSession(user.id, use.session, { ...note, action: "session.open" });
  if (opened === null) throw new StoreConflict("The user of this link is disabled.");
  return { ...opened, purpose: link.purpose };
}

function* userOf(link: LinkRecord, use: SpendLink, note: AuditNote): Work<UserRecord | null> {
  const { new_user_id: id, name, password_hash } = use;
  switch (link.purpose) {
    case "invitation": {
      const person = { id, email: link.email ?? "", email_verified: link.vouched, name: name ?? "", password_hash };
      return yield* enter(link, { ...person, new_account_id: use.new_account_id }, note);
    }
    case "password-reset":
      return yield* signInWith(link.user_id === null ? null : yield* findUserById(link.user_id), use, note);
    case "first-administrator": {
      const first = decideFirstAdministrator(yield* lockedAdministrators());
      if (first === "dead") return null;
      if (first !== "new") return yield* signInWith(first, use, note);
      const person = firstPerson({ id, name, password_hash });
      return yield* enter(firstEntry(link), { ...person, new_account_id: use.new_account_id }, note);
    }
  }
}

/** A person who becomes a user, and the id of the account that is made for them where they need one. */
export type Entering = Person & { readonly new_account_id: string };

/** Makes the user whom an entry lets in, and an account for them where they need one of their own. */
export function* enter(entry: Entry, { new_account_id, ...person }: Entering, note: AuditNote): Work<UserRecord> {
  const account_id = yield* accountFor(entry, person, new_account_id);
  const has_project = yield* hasProject(account_id, entry.project_id ?? null);
  const account = { account_id, has_owner: yield* hasOwner(account_id), has_project };
  const user = yield* insertNewUser(userOfEntry(entry, person, account));
  yield* noteOwnChange(note, user, { action: "user.create", account_id, before: null, after: showUser(user) });
  return user;
}

function* accountFor(entry: Entry, { email, name }: Person, new_account_id: string): Work<string> {
  const known = accountOfEntry(entry, entry.account_id === null ? yield* findAccount(email) : null);
  return known ?? (yield* createAccount({ id: new_account_id, email, name })).id;
}

/** Sets the password that came with the use of the link, if there is one. */
function* signInWith(user: UserRecord | null, { password_hash }: SpendLink, note: AuditNote): Work<UserRecord | null> {
  if (user === null || password_hash === null) return user;
  yield* resetPassword(user.id, password_hash);
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

const lockInvitations = sql(`SELECT ${COLUMNS} FROM links WHERE email_key = ? AND ${INVITED} ORDER BY id {lock}`);

/** The invitation that lets in whoever has this verified e-mail, held for who accepts it; null where there is none. */
export function* lockInvitationFor(verified_email: string): Work<LinkRecord | null> {
  return invitationFor(yield* readRows(LINK, lockInvitations, [emailKey(verified_email)]), yield* now_ms());
}

/** Notes that an invitation, which the caller holds, was accepted (docs/rulings.md 117). */
export function* acceptInvitation(link_id: string): Work<void> {
  yield* rows(markUsed, [yield* now_ms(), link_id]);
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

export function* joinByLink(token_hash: string, user_id: string, note: AuditNote): Work<JoinOutcome> {
  const link = yield* openLinkBy(lockByToken, token_hash);
  const joining = decideJoining(link, yield* findUserById(user_id));
  if (link === null || joining.outcome === "gone") return { outcome: "gone" };
  if (joining.outcome === "other-email") return joining;
  yield* acceptInvitation(link.id);
  yield* bookInvitedCredit(note);
  const { account_id } = joining;
  const has_project = yield* hasProject(account_id, link.project_id);
  const role = roleOfJoining(link.account_role, yield* hasOwner(account_id));
  const membership = { account_id, role, project_id: has_project ? link.project_id : null };
  if (joining.outcome === "joins") yield* setMembership(user_id, membership, { ...note, action: "member.join" });
  return { outcome: "joined", membership };
}
