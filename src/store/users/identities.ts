import type { AuditNote } from "../../core/audit.ts";
import type { IdentityOutcome, IdentitySignIn, ProviderIdentity, UserRecord } from "../../core/users.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { acceptInvitation, takeInvitation } from "./links.ts";
import { openSession } from "./sessions.ts";
import { findUser, findUserById, requireOtherWay, requireUser } from "./user-record.ts";

const selectOwner = sql("SELECT user_id FROM identities WHERE issuer = ? AND subject = ?");

/**
 * Signs a person in by the identity that a provider confirmed. A known identity signs in its user. An unknown identity
 * needs an e-mail that the provider has verified. It is added to the user of that e-mail only if the e-mail was
 * verified here too: otherwise, whoever had signed up with another person's address would get that person's identity.
 * An unknown identity without such a user becomes a new user if the e-mail was invited, or if the provider's domains
 * admit it.
 */
export function* signInByIdentity(sign_in: IdentitySignIn, note: AuditNote): Work<IdentityOutcome> {
  const { identity } = sign_in;
  const owner = yield* row<{ user_id: string }>(selectOwner, [identity.issuer, identity.subject]);
  const user = owner === null ? yield* newlyKnown(sign_in, note) : yield* findUserById(owner.user_id);
  if (typeof user === "string") return { outcome: user };
  const opened = user && (yield* openSession(user.id, sign_in.session, note));
  return opened === null ? { outcome: "oidc_user_disabled" } : { outcome: "signed-in", ...opened };
}

type Refusal = Exclude<IdentityOutcome["outcome"], "signed-in">;

function* newlyKnown(sign_in: IdentitySignIn, note: AuditNote): Work<UserRecord | Refusal> {
  const { identity, provision_as } = sign_in;
  const email = identity.verified_email;
  if (email === null) return "oidc_no_verified_email";
  const known = yield* findUser(email);
  if (known !== null) {
    if (known.status !== "active") return "oidc_user_disabled";
    if (!known.email_verified) return "oidc_email_in_use";
    yield* writeIdentity(known, identity, note);
    return known;
  }
  const invitation = yield* takeInvitation(email);
  const entry = invitation ?? (provision_as === null ? null : { role: provision_as, account_id: null });
  if (entry === null) return "oidc_not_invited";
  const { new_user_id, new_account_id } = sign_in;
  const accepting = {
    email,
    is_verified: true,
    name: identity.name,
    password_hash: null,
    new_user_id,
    new_account_id,
  } as const;
  const user = yield* acceptInvitation(entry, accepting, note);
  yield* writeIdentity(user, identity, note);
  return user;
}

const insertIdentity = sql(
  "INSERT INTO identities (issuer, subject, provider, user_id, created_ms) VALUES (?, ?, ?, ?, ?)",
);

function* writeIdentity(user: UserRecord, identity: ProviderIdentity, note: AuditNote): Work<void> {
  const { issuer, subject, provider } = identity;
  yield* rows(insertIdentity, [issuer, subject, provider, user.id, yield* now_ms()]);
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

const lockUser = sql("SELECT id FROM users WHERE id = ? {lock}");
const deleteOfProvider = sql("DELETE FROM identities WHERE user_id = ? AND provider = ? RETURNING subject");

export function* deleteIdentity(user_id: string, provider: string, note: AuditNote): Work<boolean> {
  if ((yield* row(lockUser, [user_id])) === null) return false;
  const user = yield* requireUser(user_id);
  const deleted = yield* rows<{ subject: string }>(deleteOfProvider, [user_id, provider]);
  if (deleted.length === 0) return false;
  requireOtherWay(user, "this one");
  const object = { kind: "identity", id: `${provider}:${deleted[0]?.subject}` };
  yield* writeAuditEntry({ ...note, object, account_id: user.account_id, before: { provider, user_id }, after: null });
  return true;
}
