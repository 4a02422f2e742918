import Type, { type Static } from "typebox";
import { AccountName, closed, FutureTime, Name, nullable, orNull, pageFields, Timestamp } from "./common.ts";
import { ALL_SCOPES, type Scope } from "./permissions.ts";

/** Keys of programs that administer: `Authorization: Bearer cmm-…` in place of the admin token. */

/** The scopes that a management key may have: all but the playground's, which is for people. */
export const GRANTABLE_SCOPES: readonly Scope[] = ALL_SCOPES.filter((scope) => scope !== "playground:use");

const ScopeName = Type.Enum([...GRANTABLE_SCOPES], { description: `one of ${GRANTABLE_SCOPES.join(", ")}` });

export const CreateManagementKey = closed({
  name: Name,
  scopes: Type.Array(ScopeName, {
    minItems: 1,
    maxItems: 40,
    uniqueItems: true,
    description: "an array of 1 to 40 different scopes",
  }),
  /** The only account that the key may reach. Default: all, which administrators may allow. */
  account: Type.Optional(AccountName),
  /** Default: it does not expire. */
  expires_at: Type.Optional(nullable(FutureTime)),
});
export type CreateManagementKey = Static<typeof CreateManagementKey>;

const fields = {
  id: Type.String(),
  name: Type.String(),
  /** The key's last four characters. */
  hint: Type.String(),
  scopes: Type.Array(Type.String()),
  /** The only account that it may reach; null: all of them. */
  account: orNull(Type.String()),
  status: Type.Enum(["active", "expired", "revoked"]),
  /** A user's id, another management key's, or `admin-token`. */
  created_by: Type.String(),
  created_at: Timestamp,
  expires_at: orNull(Timestamp),
  last_used_at: orNull(Timestamp),
};

export const ManagementKey = Type.Object(fields);
export type ManagementKey = Static<typeof ManagementKey>;

/** The answer to a key's creation: the only time that `key` is shown. */
export const CreatedManagementKey = Type.Object({ ...fields, key: Type.String() });
export type CreatedManagementKey = Static<typeof CreatedManagementKey>;

export const ManagementKeysQuery = closed({ account: Type.Optional(AccountName), ...pageFields });
export type ManagementKeysQuery = Static<typeof ManagementKeysQuery>;

export const ManagementKeyPage = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(ManagementKey),
  has_more: Type.Boolean(),
  /** Asks for the next, older page; null on the last one. */
  next_before: orNull(Type.String()),
});
export type ManagementKeyPage = Static<typeof ManagementKeyPage>;
