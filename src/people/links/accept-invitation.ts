import type { AccountRole } from "../../core/people/memberships.ts";
import type { LinkRecord, Role } from "../../core/people/users.ts";
import { roleOfJoining } from "../members/default-role.ts";

/** What lets a person in who has no user yet: an invitation, or a provider's domain, which says the role alone. */
export type Entry = Pick<LinkRecord, "role" | "account_id"> & Partial<Pick<LinkRecord, "account_role" | "project_id">>;

/** The person, as the link's form or the provider describes them. */
export interface Person {
  readonly id: string;
  readonly email: string;
  /** Whether somebody vouches for the e-mail (users/vouched-email.ts). */
  readonly email_verified: boolean;
  readonly name: string;
  readonly password_hash: string | null;
}

/** What is known of the account that they will belong to. */
export interface EnteredAccount {
  readonly account_id: string;
  readonly has_owner: boolean;
  /** Whether the account still has the project that the entry names. */
  readonly has_project: boolean;
}

/** A user who is about to be made, and their first membership. */
export interface NewUser extends Person {
  readonly role: Role;
  readonly account_id: string;
  readonly account_role: AccountRole;
  /** The project for the keys that they make without a choice. */
  readonly project_id: string | null;
}

/** The user who comes of an entry. A project that is gone is no reason to keep anybody out. */
export function userOfEntry(entry: Entry, person: Person, account: EnteredAccount): NewUser {
  return {
    ...person,
    role: entry.role,
    account_id: account.account_id,
    account_role: roleOfJoining(entry.account_role ?? null, account.has_owner),
    project_id: account.has_project ? (entry.project_id ?? null) : null,
  };
}

/** The id of the account that an entry leads to; null: a new one of the person's own, as no account has their e-mail. */
export function accountOfEntry(
  { account_id }: Pick<Entry, "account_id">,
  of_email: { readonly id: string } | null,
): string | null {
  return account_id ?? of_email?.id ?? null;
}
