import Type, { type Static } from "typebox";
import {
  AccountRole,
  closed,
  listOf,
  nullable,
  orNull,
  ProjectRef,
  pageMembers,
  searchFields,
  Timestamp,
} from "./common.ts";
import { Email, Session } from "./session.ts";
import { UserStatus } from "./users.ts";

/** A person who belongs to an account. */
export const Member = Type.Object({
  user: Type.String(),
  account: Type.String(),
  role: AccountRole,
  email: Type.String(),
  name: Type.String(),
  /** Disabled users cannot sign in. */
  status: UserStatus,
  joined_at: Timestamp,
  last_seen_at: orNull(Timestamp),
  /** The project of keys that the member makes without choosing a project; null: none. */
  project: orNull(Type.Object({ id: Type.String(), name: Type.String() })),
});
export type Member = Static<typeof Member>;

/** Members are found by e-mail, name and id. A page begins with who joined last; the whole list with who joined first. */
export const MembersQuery = closed({
  ...searchFields,
  role: Type.Optional(AccountRole),
  status: Type.Optional(UserStatus),
});
export type MembersQuery = Static<typeof MembersQuery>;

export const MemberList = Type.Object({ ...listOf(Member).properties, ...pageMembers });
export type MemberList = Static<typeof MemberList>;

/** Makes an existing user a member at once: for administrators. Owners invite. */
export const AddMember = closed({
  /** A user's e-mail. */
  email: Email,
  role: AccountRole,
  /** For the keys that they make without choosing one. */
  project: Type.Optional(ProjectRef),
});
export type AddMember = Static<typeof AddMember>;

/** At least one of both. A role that makes no keys has no project: a change to it takes the project away. */
export const UpdateMember = closed({
  role: Type.Optional(AccountRole),
  /** The project of keys that the member makes from now on without choosing a project; null: none. Earlier keys stay in theirs. */
  project: Type.Optional(nullable(ProjectRef)),
});
export type UpdateMember = Static<typeof UpdateMember>;

/** The signed-in user joins an account by the token of an invitation for their e-mail. */
export const JoinAccount = closed({
  token: Type.String({ minLength: 1, maxLength: 200, description: "the token of an invitation" }),
});
export type JoinAccount = Static<typeof JoinAccount>;

/** The session with its user's accounts as they are now; `joined`: the account that the user has just joined. */
export const JoinedSession = Type.Object({
  ...Session.properties,
  joined: orNull(Type.String()),
});
export type JoinedSession = Static<typeof JoinedSession>;
