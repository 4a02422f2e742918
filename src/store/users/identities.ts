import type { AuditNote } from "../../core/people/audit.ts";
import type {
  IdentityOutcome,
  IdentityRefusal,
  IdentitySignIn,
  ProviderIdentity,
  UserRecord,
} from "../../core/people/users.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { decideIdentityOwner } from "../../people/sign-in/join-by-verified-email.ts";
import { refuseLastWay } from "../../people/users/last-way-to-sign-in.ts";
import { allowed } from "../accounts/allowed.ts";
import { lockUser } from "../accounts/locks.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { acceptInvitation, type Entering, enter, lockInvitationFor } from "./links.ts";
import { openSession } from "./sessions.ts";
import { findUser, requireUser } from "./user-record.ts";

/** Another one: the same may have been added since it was looked for, and adding it once more says so. */
const selectOther = sql("SELECT subject FROM identities WHERE user_id = ? AND issuer = ? AND subject <> ?");
const selectOwner = sql("SELECT user_id FROM identities WHERE issuer = ? AND subject = ?");

/**
 * Signs a person in by the identity that a provider confirmed. A known identity signs in its user; whom an unknown one belongs to is
 * decided in people/sign-in/join-by-verified-email.ts (docs/rulings.md 118).
 */
export function* signInByIdentity(sign_in: IdentitySignIn, note: AuditNote): Work<IdentityOutcome> {
  const { identity } = sign_in;
  const owner = yield* row<{ user_id: string }>(selectOwner, [identity.issuer, identity.subject]);
  const found = owner === null ? yield* newlyKnown(sign_in, note) : { user_id: owner.user_id };
  if ("outcome" in found) return found;
  const opened = yield* openSession(found.user_id, sign_in.session, note);
  return opened === null ? { outcome: "oidc_user_disabled" } : { outcome: "signed-in", ...opened };
}

type NewlyKnown = { readonly user_id: string } | { readonly outcome: IdentityRefusal };

function* newlyKnown(sign_in: IdentitySignIn, note: AuditNote): Work<NewlyKnown> {
  const { identity, provision_as } = sign_in;
  const email = identity.verified_email;
  const of_email = email === null ? null : yield* findUser(email);
  const { issuer, subject } = identity;
  const has_other = of_email !== null && (yield* row(selectOther, [of_email.id, issuer, subject])) !== null;
  const invitation = email === null || of_email !== null ? null : yield* lockInvitationFor(email);
  const decided = decideIdentityOwner(identity, { of_email, has_other, invitation, provision_as });
  switch (decided.outcome) {
    case "adds-to":
      yield* writeIdentity(decided.user, identity, note);
      return { user_id: decided.user.id };
    case "enters": {
      if (invitation !== null) yield* acceptInvitation(invitation.id);
      const user = yield* enter(decided.entry, personOf(sign_in, decided.email), note);
      yield* writeIdentity(user, identity, note);
      return { user_id: user.id };
    }
    default:
      return decided;
  }
}

function personOf({ identity, new_user_id, new_account_id }: IdentitySignIn, email: string): Entering {
  const { name } = identity;
  return { id: new_user_id, email, email_verified: true, name, password_hash: null, new_account_id };
}

const insertIdentity = sql(
  `INSERT INTO identities (issuer, subject, provider, user_id, created_ms) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (issuer, subject) DO NOTHING RETURNING user_id`,
);

function* writeIdentity(user: UserRecord, identity: ProviderIdentity, note: AuditNote): Work<void> {
  const { issuer, subject, provider } = identity;
  const written = yield* row(insertIdentity, [issuer, subject, provider, user.id, yield* now_ms()]);
  if (written === null) throw new StoreConflict("This identity was added just now.");
  const actor = { kind: "user", id: user.id, name: user.email } as const;
  yield* writeAuditEntry({
    ...note,
    actor,
    action: "identity.add",
    object: { kind: "identity", id: `${provider}:${subject}` },
    account_id: user.account_id,
    before: null,
    after: { provider, issuer, subject, user_id: user.id },
  });
}

export function* addIdentity(user_id: string, identity: ProviderIdentity, note: AuditNote): Work<boolean> {
  const owner = yield* row<{ user_id: string }>(selectOwner, [identity.issuer, identity.subject]);
  if (owner !== null) return owner.user_id === user_id;
  yield* writeIdentity(yield* requireUser(user_id), identity, note);
  return true;
}

const deleteOfProvider = sql("DELETE FROM identities WHERE user_id = ? AND provider = ? RETURNING subject");

export function* deleteIdentity(user_id: string, provider: string, note: AuditNote): Work<boolean> {
  if (!(yield* lockUser(user_id))) return false;
  const user = yield* requireUser(user_id);
  const deleted = yield* rows<{ subject: string }>(deleteOfProvider, [user_id, provider]);
  if (deleted.length === 0) return false;
  allowed(refuseLastWay(user, "this one"));
  const object = { kind: "identity", id: `${provider}:${deleted[0]?.subject}` };
  yield* writeAuditEntry({ ...note, object, account_id: user.account_id, before: { provider, user_id }, after: null });
  return true;
}
