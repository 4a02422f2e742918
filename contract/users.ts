import Type, { type Static } from "typebox";
import {
  AccountRole,
  Amount,
  closed,
  fileField,
  listOf,
  Micro,
  oneOf,
  orNull,
  ProjectRef,
  pageMembers,
  searchFields,
  Timestamp,
} from "./common.ts";
import { Email, Role } from "./session.ts";

export const UserStatus = oneOf(["active", "disabled"]);
export type UserStatus = Static<typeof UserStatus>;

/** A person who may sign in, as administrators see them. */
export const User = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: Role,
  status: UserStatus,
  /** The account that the console shows the user first. */
  account: Type.String(),
  /** The accounts that the user belongs to. */
  accounts: Type.Array(Type.Object({ account: Type.String(), role: AccountRole })),
  has_password: Type.Boolean(),
  passkeys: Type.Integer(),
  /** The ids of the OpenID Connect providers that the user can sign in with. */
  identities: Type.Array(Type.String()),
  created_at: Timestamp,
  last_seen_at: orNull(Timestamp),
});
export type User = Static<typeof User>;

export const UsersQuery = closed({
  ...searchFields,
  ...fileField,
  role: Type.Optional(Role),
  status: Type.Optional(UserStatus),
});
export type UsersQuery = Static<typeof UsersQuery>;

export const UserList = Type.Object({ ...listOf(User).properties, ...pageMembers });
export type UserList = Static<typeof UserList>;

export const UpdateUser = closed({ role: Type.Optional(Role), status: Type.Optional(UserStatus) });
export type UpdateUser = Static<typeof UpdateUser>;

export const CreateInvitation = closed({
  email: Email,
  role: Type.Optional(Role),
  /** The user's future account, by id or e-mail. Default: a new account, made when the user accepts. */
  account: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: "an account id or e-mail address" })),
  /** The role in the account. Default: owner of an account that has no owner, else member. */
  account_role: Type.Optional(AccountRole),
  /** Booked to the account once, when the invitation is accepted, by whom the invitation is from. For administrators. */
  credit: Type.Optional(Amount),
  /** The project of `account` that the keys go into which they make without choosing one. */
  project: Type.Optional(ProjectRef),
});
export type CreateInvitation = Static<typeof CreateInvitation>;

const invitation = {
  id: Type.String(),
  email: Type.String(),
  role: Role,
  account: orNull(Type.String()),
  /** Null: owner of an account that has no owner, else member. */
  account_role: orNull(AccountRole),
  /** The credit that it brings to the account when it is accepted; null for none. */
  credit_micro: orNull(Micro),
  /** The project that the member's keys will go into where nothing else is chosen; null for none, also where it was deleted. */
  project: orNull(Type.Object({ id: Type.String(), name: Type.String() })),
  /** A user's id, a management key's id, or `admin-token`. */
  invited_by: Type.String(),
  created_at: Timestamp,
  expires_at: Timestamp,
};

/** An invitation that is neither accepted nor withdrawn. It may have expired. */
export const Invitation = Type.Object(invitation);
export type Invitation = Static<typeof Invitation>;

/** The only answer that shows the link, which is not stored. `mailed`: it goes to the e-mail as well; otherwise the inviting person passes it on. */
export const CreatedInvitation = Type.Object({ ...invitation, link: Type.String(), mailed: Type.Boolean() });
export type CreatedInvitation = Static<typeof CreatedInvitation>;

/** Query of `GET /invitations`: found by e-mail and id. Administrators may leave the account out, and see all of them. */
export const InvitationsQuery = closed({
  account: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: "an account id or e-mail address" })),
  ...searchFields,
});
export type InvitationsQuery = Static<typeof InvitationsQuery>;

export const InvitationList = Type.Object({ ...listOf(Invitation).properties, ...pageMembers });
export type InvitationList = Static<typeof InvitationList>;

/** What becomes of a link that an administrator makes for a user. `mail`: it goes to the user's e-mail as well. Default: it does not. */
export const OfferReset = closed({ mail: Type.Optional(Type.Boolean()) });
export type OfferReset = Static<typeof OfferReset>;

/** A link that signs its holder in once. Only this answer shows it. `mailed`: it goes to the e-mail as well. */
export const SignInLink = Type.Object({
  email: orNull(Type.String()),
  link: Type.String(),
  expires_at: Timestamp,
  mailed: Type.Boolean(),
});
export type SignInLink = Static<typeof SignInLink>;
