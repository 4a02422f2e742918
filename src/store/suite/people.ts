import { newId } from "../../core/ids.ts";
import type { AuditNote } from "../../core/people/audit.ts";
import type {
  IdentitySignIn,
  NewLink,
  NewSession,
  ProviderIdentity,
  UserRecord,
  UserStore,
} from "../../core/people/users.ts";

export const NOTE: AuditNote = {
  actor: { kind: "admin-token", id: null, name: "admin-token" },
  action: "test.do",
  address: "::1",
};
export const ANYBODY: AuditNote = {
  actor: { kind: "anonymous", id: null, name: "anonymous" },
  action: "session.open",
  address: null,
};

export function newSession(fields: Partial<NewSession> = {}): NewSession {
  return {
    id: newId("sess"),
    token_hash: newId("sess"),
    method: "password",
    address: "203.0.113.7",
    user_agent: "a browser",
    absolute_ms: 1_000_000,
    idle_ms: 500_000,
    ...fields,
  };
}

export function newLink(fields: Partial<NewLink> = {}): NewLink {
  return {
    id: newId("link"),
    token_hash: newId("link"),
    purpose: "invitation",
    email: `${newId("user")}@example.com`,
    role: "member",
    user_id: null,
    account_id: null,
    made_by: "admin-token",
    ttl_ms: 60_000,
    ...fields,
  };
}

export function spending(token_hash: string, fields: Partial<Parameters<UserStore["spendLink"]>[0]> = {}) {
  const ids = { new_user_id: newId("user"), new_account_id: newId("acct") };
  return { token_hash, name: "Ann", password_hash: null, ...ids, session: newSession({ method: "link" }), ...fields };
}

/** A user by an invitation that was accepted. */
export async function newUser(
  users: UserStore,
  fields: Partial<NewLink> & { password_hash?: string | null } = {},
): Promise<UserRecord> {
  const { password_hash = "hash", ...rest } = fields;
  const link = newLink(rest);
  await users.createLink(link, NOTE);
  const opened = await users.spendLink(spending(link.token_hash, { password_hash }), ANYBODY);
  if (opened === null) throw new Error("the link was not accepted");
  return opened.user;
}

export function identity(fields: Partial<ProviderIdentity> = {}): ProviderIdentity {
  const subject = newId("user");
  const verified_email = `${subject}@corp.example`;
  return { provider: "corp", issuer: "https://id.example", subject, verified_email, name: "Bo", ...fields };
}

export function signInAs(who: ProviderIdentity, provision_as: IdentitySignIn["provision_as"] = null): IdentitySignIn {
  const ids = { new_user_id: newId("user"), new_account_id: newId("acct") };
  return { identity: who, provision_as, ...ids, session: newSession({ method: "oidc" }) };
}
