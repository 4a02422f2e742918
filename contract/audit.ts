import Type, { type Static } from "typebox";
import { closed, DayOrTime, fileField, orNull, pageFields, Timestamp } from "./common.ts";

const Text = Type.String();
const nullableText = orNull(Text);
const Snapshot = orNull(Type.Record(Text, Type.Unknown()));

/** One change, or one attempt to sign in. Entries are never changed or removed. */
export const AuditEntry = Type.Object({
  id: Text,
  created_at: Timestamp,
  actor: Type.Object({
    kind: Type.Enum(["user", "management-key", "admin-token", "anonymous", "gateway"]),
    /** The user's or the management key's id. */
    id: nullableText,
    /** The actor's name at the time: an e-mail, or `admin-token`. */
    name: Text,
  }),
  /** `NOUN.VERB`, such as `key.create`, `account.disable`, `credit.add`, `session.open`, `session.refuse`. */
  action: Text,
  object: Type.Object({ kind: Text, id: nullableText }),
  /** The account that the change concerns. */
  account: nullableText,
  /** The object before and after the change, without any secret. Null before a creation and after a removal. */
  before: Snapshot,
  after: Snapshot,
  /** The IP address that the request came from. */
  address: nullableText,
});
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditQuery = closed({
  /** A user's id, or `admin-token`. */
  actor: Type.Optional(Type.String({ maxLength: 100, description: "a user's or management key's id, or admin-token" })),
  /** A whole action, or a noun for all of its actions: `key.create`, `key`. */
  action: Type.Optional(
    Type.String({ maxLength: 100, description: "an action such as key.create, or key for all of them" }),
  ),
  /** An object's id. */
  object: Type.Optional(Type.String({ maxLength: 300, description: "an object's id" })),
  account: Type.Optional(Type.String({ maxLength: 254, description: "an account id or e-mail" })),
  /** Only what happened at this time or later. */
  from: Type.Optional(DayOrTime),
  /** Only what happened before this time (docs/rulings.md 121). */
  to: Type.Optional(DayOrTime),
  ...pageFields,
  ...fileField,
});
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditPage = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(AuditEntry),
  has_more: Type.Boolean(),
  /** Asks for the next, older page; null on the last one. */
  next_before: nullableText,
});
export type AuditPage = Static<typeof AuditPage>;
