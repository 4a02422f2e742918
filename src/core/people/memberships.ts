import type { AuditNote } from "./audit.ts";
import type { ListQuery } from "./list-query.ts";

/**
 * The role of a user in an account. The scopes of each role are in contract/permissions.ts.
 */
export type AccountRole = "owner" | "member" | "viewer" | "billing";

/** One of a user's accounts. */
export interface Membership {
  readonly account_id: string;
  readonly role: AccountRole;
  /** The project that the keys go into which the member makes without a choice. Where it is written: left out to leave it as it is. */
  readonly project_id?: string | null;
}

/** One of an account's members. */
export interface MemberRecord {
  readonly user_id: string;
  readonly account_id: string;
  readonly role: AccountRole;
  readonly email: string;
  readonly name: string;
  readonly status: "active" | "disabled";
  /** The project of `Membership.project_id`; null where there is none, also where it was deleted. */
  readonly project: { readonly id: string; readonly name: string } | null;
  readonly joined_ms: number;
  readonly last_seen_ms: number | null;
}

/** The outcome of an attempt to join an account by an invitation. */
export type JoinOutcome =
  | { readonly outcome: "joined"; readonly membership: Membership }
  /** The invitation is for another e-mail than the user's. */
  | { readonly outcome: "other-email"; readonly email: string }
  | { readonly outcome: "gone" };

/** A page of members, who joined last first; `before_id` is a user's id. */
export interface MemberListQuery extends ListQuery {
  readonly role?: AccountRole;
}

export interface MembershipStore {
  /** In the order in which they joined. */
  listMembers(account_id: string): Promise<MemberRecord[]>;
  /** Found by e-mail, name and id. */
  searchMembers(account_id: string, query: MemberListQuery): Promise<MemberRecord[]>;
  findMember(account_id: string, user_id: string): Promise<MemberRecord | null>;
  /**
   * Makes a user a member, or changes their role or project. Null where the user or the account is not there. Rejects with a
   * StoreConflict where the account would lose its last owner, or does not have the project.
   */
  setMembership(user_id: string, membership: Membership, note: AuditNote): Promise<MemberRecord | null>;
  /**
   * Removes a member, and the member's playground key for the account. The keys that the member made stay the account's. False
   * where there is no such member. Rejects with a StoreConflict for the last owner.
   */
  removeMembership(user_id: string, account_id: string, note: AuditNote): Promise<boolean>;
  /** A user who is signed in joins an account by an invitation for their e-mail, which is spent by it. */
  joinByLink(token_hash: string, user_id: string, note: AuditNote): Promise<JoinOutcome>;
}
