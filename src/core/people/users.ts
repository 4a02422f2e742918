import type { Micro } from "../money/money.ts";
import type { AuditChange, AuditLogQuery, AuditNote, AuditRecord } from "./audit.ts";
import type { ListQuery } from "./list-query.ts";
import type { ManagementKeyStore } from "./management-keys.ts";
import type { AccountRole, Membership, MembershipStore } from "./memberships.ts";
import type { PromptStore } from "./prompts.ts";

/**
 * Users and how they sign in to the console. Tokens are stored as keyed hashes only. Times are milliseconds since the
 * epoch on the database's clock.
 */

/** A user's role for the gateway: an administrator sees and changes everything, a member what their accounts' roles allow. */
export type Role = "administrator" | "member";
export type UserStatus = "active" | "disabled";

export interface UserRecord {
  readonly id: string;
  readonly email: string;
  /** Whether someone other than the user confirmed the e-mail: an inviting administrator, or a provider. */
  readonly email_verified: boolean;
  readonly name: string;
  readonly role: Role;
  readonly status: UserStatus;
  /** The account that the console shows first. */
  readonly account_id: string;
  /** The accounts that the user belongs to; none where they were removed from the last. */
  readonly memberships: readonly Membership[];
  readonly has_password: boolean;
  readonly passkeys: number;
  /** The ids of the providers that they can sign in with. */
  readonly identities: readonly string[];
  readonly created_ms: number;
  readonly last_seen_ms: number | null;
}

export interface UserListQuery extends ListQuery {
  readonly role?: Role;
}

export interface UserPatch {
  readonly name?: string;
  /** A changed e-mail counts as not verified. */
  readonly email?: string;
  readonly role?: Role;
  readonly status?: UserStatus;
  /** Ends all of the user's sessions but `keep_session_id`. */
  readonly password_hash?: string;
  readonly keep_session_id?: string;
}

/** The way of a sign-in that was refused: the values of a metric's label. */
export type RefusedWay = SignInMethod | "admin_token" | "operations_token";

export type SignInMethod = "password" | "passkey" | "oidc" | "link";

export interface NewSession {
  readonly id: string;
  /** The keyed hash of the token in the cookie. */
  readonly token_hash: string;
  readonly method: SignInMethod;
  readonly address: string | null;
  readonly user_agent: string | null;
  /** How long the session may last at most, and how long without use. */
  readonly absolute_ms: number;
  readonly idle_ms: number;
}

export interface SessionRecord {
  readonly id: string;
  readonly user_id: string;
  readonly method: SignInMethod;
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly created_ms: number;
  readonly last_seen_ms: number;
  /** When the session ends unless it is used before. */
  readonly expires_ms: number;
}

export interface OpenSession {
  readonly session: SessionRecord;
  readonly user: UserRecord;
  /** Whether the last recorded use is old enough to record another. */
  readonly stale: boolean;
}

export type LinkPurpose = "first-administrator" | "invitation" | "password-reset";

export interface NewLink {
  readonly id: string;
  readonly token_hash: string;
  readonly purpose: LinkPurpose;
  /** The e-mail of the person whom the link is for. Null for the first administrator. */
  readonly email: string | null;
  readonly role: Role;
  /** The user whom a `password-reset` signs in; null otherwise. */
  readonly user_id: string | null;
  /** The account that an invited person will belong to; null for an account of their own. */
  readonly account_id: string | null;
  /** The role in that account. Default: owner of an account without an owner, else member. */
  readonly account_role?: AccountRole | null;
  /** Whether an administrator made it, who stands for the e-mail. Default: yes. */
  readonly vouched?: boolean;
  /** The credit that the account gets when the invitation is accepted. Default: none. */
  readonly credit_micro?: Micro | null;
  /** The project of the account for keys that the member makes without choosing a project. Default: none. */
  readonly project_id?: string | null;
  /** The maker of the link: a user's id, a management key's id, `admin-token` or `gateway`. */
  readonly made_by: string;
  readonly ttl_ms: number;
  /** The mail that brings it, put among those that wait in the same transaction. Default: none. */
  readonly mail?: { readonly asked_from: string | null; readonly ttl_ms: number };
}

export interface LinkRecord {
  readonly id: string;
  readonly purpose: LinkPurpose;
  readonly email: string | null;
  readonly role: Role;
  readonly user_id: string | null;
  readonly account_id: string | null;
  readonly account_role: AccountRole | null;
  readonly vouched: boolean;
  readonly made_by: string;
  readonly created_ms: number;
  readonly expires_ms: number;
  /** The credit that the account gets when the invitation is accepted; null for none. */
  readonly credit_micro: Micro | null;
  /** The project that the new link named. Null where it was deleted meanwhile. */
  readonly project_id: string | null;
}

/** Signs someone in by a link, which can be used once. */
export interface SpendLink {
  readonly token_hash: string;
  readonly name: string | null;
  readonly password_hash: string | null;
  /** Ids for the records that the link may create. */
  readonly new_user_id: string;
  readonly new_account_id: string;
  readonly session: NewSession;
}

export interface PasskeyRecord {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  /** The authenticator's name of the credential, base64url. */
  readonly credential_id: string;
  /** COSE, base64url. */
  readonly public_key: string;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly backed_up: boolean;
  readonly created_ms: number;
  readonly last_used_ms: number | null;
}

export type NewPasskey = Omit<PasskeyRecord, "created_ms" | "last_used_ms">;

/** A person's identity at an OpenID Connect provider. */
export interface ProviderIdentity {
  /** The provider's id in the configuration. */
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /** The e-mail, where the provider says that it is verified; null otherwise. */
  readonly verified_email: string | null;
  readonly name: string;
}

export interface IdentitySignIn {
  readonly identity: ProviderIdentity;
  /** The role of the user who is created for an unknown identity; null where an invitation is needed. */
  readonly provision_as: Role | null;
  readonly new_user_id: string;
  readonly new_account_id: string;
  readonly session: NewSession;
}

export type IdentityRefusal =
  | "oidc_no_verified_email"
  | "oidc_not_invited"
  | "oidc_email_in_use"
  | "oidc_other_identity"
  | "oidc_user_disabled";

export type IdentityOutcome =
  | { readonly outcome: "signed-in"; readonly user: UserRecord; readonly session: SessionRecord }
  | { readonly outcome: IdentityRefusal };

export interface SignedIn {
  readonly user: UserRecord;
  readonly session: SessionRecord;
}

/** How the wait between the tries of one bucket grows: none while tries are free, then doubling up to the longest. */
export interface TryRule {
  readonly free: number;
  readonly first_wait_ms: number;
  readonly longest_wait_ms: number;
  /** The bucket is forgotten this long after the last try that was taken; more than the longest wait. */
  readonly window_ms: number;
}

export interface TakenTry {
  readonly taken: boolean;
  /** How many tries were taken, with this one. */
  readonly count: number;
  /** How long to wait where it was not taken, else 0. */
  readonly wait_ms: number;
}

/** An invitation that was accepted and whose credit is not booked yet. */
export interface OwingInvitation {
  readonly id: string;
  readonly email: string;
  readonly account_id: string | null;
  readonly made_by: string;
  readonly credit_micro: Micro;
}

/** A project as the directory shows it, of an account that lives in another cell. */
export interface MirroredProject {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly created_ms: number;
  readonly is_deleted: boolean;
}

/**
 * Users, sessions, links, passkeys and the audit log. Methods that take a note write it to the audit log in the
 * transaction of the change.
 */
export interface UserStore extends MembershipStore, ManagementKeyStore, PromptStore {
  listUsers(): Promise<UserRecord[]>;
  searchUsers(query: UserListQuery): Promise<UserRecord[]>;
  /** E-mail addresses of users. In no order; unknown ids are left out. */
  labelUsers(user_ids: readonly string[]): Promise<{ readonly id: string; readonly email: string }[]>;
  /** By user id or e-mail (case-insensitive). */
  findUser(id_or_email: string): Promise<UserRecord | null>;
  /** The stored password hash of the user with this id or e-mail; null where there is no user or no password. */
  findPasswordHash(id_or_email: string): Promise<string | null>;
  /**
   * Disabling a user ends their sessions for good. Rejects with a StoreConflict when the e-mail is taken, or when no
   * active administrator would be left.
   */
  updateUser(user_id: string, patch: UserPatch, note: AuditNote): Promise<UserRecord | null>;
  /** Whether any active administrator has a password, a passkey or an identity at a provider. */
  administratorCanSignIn(): Promise<boolean>;

  /** Null when the user is not there or not active. */
  openSession(user_id: string, session: NewSession, note: AuditNote): Promise<SignedIn | null>;
  /** Null when the session has ended or expired, or its user is disabled. */
  findSession(token_hash: string): Promise<OpenSession | null>;
  /** Records a use of the session now. */
  touchSession(session_id: string): Promise<void>;
  listSessions(user_id: string): Promise<SessionRecord[]>;
  /** False when the user has no such session. */
  endSession(user_id: string, session_id: string, note: AuditNote): Promise<boolean>;

  /** Rejects with a StoreConflict when an e-mail that is invited to an account of its own has a user already. */
  createLink(link: NewLink, note: AuditNote): Promise<LinkRecord>;
  /** A link that can still be used. */
  findLink(token_hash: string): Promise<LinkRecord | null>;
  /** Invitations that were neither accepted nor withdrawn, expired ones included. */
  listInvitations(): Promise<LinkRecord[]>;
  /** Of those, the invitations to one account, or all: found by e-mail and id. */
  searchInvitations(account_id: string | null, query: ListQuery): Promise<LinkRecord[]>;
  /** One of those. */
  findInvitation(link_id: string): Promise<LinkRecord | null>;
  deleteInvitation(link_id: string, note: AuditNote): Promise<boolean>;
  /** Null when the link is unknown, spent, withdrawn or expired. Of several uses at once one succeeds. */
  spendLink(use: SpendLink, note: AuditNote): Promise<(SignedIn & { readonly purpose: LinkPurpose }) | null>;

  /** Rejects with a StoreConflict when the credential is already known. */
  addPasskey(passkey: NewPasskey, note: AuditNote): Promise<PasskeyRecord>;
  listPasskeys(user_id: string): Promise<PasskeyRecord[]>;
  findPasskey(credential_id: string): Promise<PasskeyRecord | null>;
  /** Stores the passkey's new counter. False when another use was quicker. */
  recordPasskeyUse(
    credential_id: string,
    from_counter: number,
    to_counter: number,
    backed_up: boolean,
  ): Promise<boolean>;
  /** Rejects with a StoreConflict when the passkey is the user's only way to sign in. */
  deletePasskey(user_id: string, passkey_id: string, note: AuditNote): Promise<boolean>;

  signInByIdentity(sign_in: IdentitySignIn, note: AuditNote): Promise<IdentityOutcome>;
  /** False when the identity belongs to another user. */
  addIdentity(user_id: string, identity: ProviderIdentity, note: AuditNote): Promise<boolean>;
  /** Rejects with a StoreConflict when the identity is the user's only way to sign in. */
  deleteIdentity(user_id: string, provider: string, note: AuditNote): Promise<boolean>;

  putChallenge(challenge: { id: string; kind: string; data: string; ttl_ms: number }): Promise<void>;
  /** A challenge's data, which can be taken once; null when the challenge is unknown, taken or expired. */
  takeChallenge(id: string, kind: string): Promise<string | null>;

  /** Counts a try in a window that begins with the bucket's first try, over all nodes. */
  countTry(bucket: string, window_ms: number): Promise<{ readonly count: number; readonly resets_in_ms: number }>;
  /** How many tries a bucket has counted. */
  triesOf(bucket: string): Promise<number>;
  /**
   * Takes a try where no wait runs in the bucket, over all nodes. Each try that is taken begins the wait of its number; a
   * try that comes meanwhile is not taken and changes nothing, however often it comes.
   */
  takeTry(bucket: string, rule: TryRule): Promise<TakenTry>;
  forgetTries(bucket: string): Promise<void>;

  addAuditEntry(change: AuditChange): Promise<void>;
  /** Accepted invitations whose credit belongs to accounts of other cells, and is not noted as booked: some of them. */
  listOwingElsewhere(): Promise<OwingInvitation[]>;
  /** Books it in the cell of the account, once. */
  bookOwing(owing: OwingInvitation, account_id: string, note: AuditNote): Promise<void>;
  noteCreditBooked(link_id: string): Promise<void>;
  /** Gives a project of another cell a row by which members are shown with it, or another name, or takes it away. */
  mirrorProject(project: MirroredProject): Promise<void>;
  /** Newest first. */
  listAuditEntries(query: AuditLogQuery): Promise<AuditRecord[]>;
}
