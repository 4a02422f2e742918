import Type, { type Static } from "typebox";
import { ALERT_TYPE_NAMES } from "./alert-types.ts";
import { AccountName, closed, listOf, oneOf, orNull, pageFields, pageMembers, Timestamp } from "./common.ts";

/** Alerts: what is told about an account or the gateway, to whom, and what became of it (docs/rulings.md 185). */

const AlertType = Type.Enum([...ALERT_TYPE_NAMES], {
  description: ALERT_TYPE_NAMES.map((name) => `"${name}"`).join(", "),
});
const Types = Type.Array(AlertType, { minItems: 1, maxItems: 20, description: "a list of types of alerts" });
/** The last two take usage events alone. */
const Channel = oneOf(["mail", "webhook", "slack", "s3", "file"]);

/** Body of `POST /alerts/targets`. */
export const AddTarget = closed({
  /** An account id or e-mail; left out by administrators: the gateway's, which hears of everything. */
  account: Type.Optional(AccountName),
  to: Type.String({
    minLength: 6,
    maxLength: 2000,
    description:
      'a target such as "mail:ops@example.com", "webhook:https://hooks.example.com/camino" or "slack:https://hooks.slack.com/…"',
  }),
  /** Left out: all. */
  types: Type.Optional(Types),
});
export type AddTarget = Static<typeof AddTarget>;

export const AlertTarget = Type.Object({
  id: Type.String(),
  /** Null: the gateway's. */
  account: orNull(Type.String()),
  channel: Channel,
  /** The e-mail address, the URL (of a storage without key and secret) or the folder; for those who may not change it the URL's host alone. */
  to: Type.String(),
  /** Null: all. */
  types: orNull(Type.Array(Type.String())),
  /** Whether the configuration's file names it: it is changed there. */
  of_file: Type.Boolean(),
  created_at: orNull(Timestamp),
  /** When and why it hears no more; null while it does. */
  ended_at: orNull(Timestamp),
  ended_reason: orNull(Type.String()),
  /** The secret with which a webhook is signed, for those who may change it. */
  secret: Type.Optional(Type.String()),
});
export type AlertTarget = Static<typeof AlertTarget>;

export const AlertTargetList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(AlertTarget),
  /** Whether targets may be e-mail addresses: the gateway has a mail server. */
  mail: Type.Boolean(),
});
export type AlertTargetList = Static<typeof AlertTargetList>;

/** Something that is true now. */
export const Alert = Type.Object({
  type: Type.String(),
  account: orNull(Type.String()),
  title: Type.String(),
  data: Type.Record(Type.String(), Type.Unknown()),
  since: Timestamp,
  /** When it was last told; null while it waits to be told. */
  told_at: orNull(Timestamp),
});
export type Alert = Static<typeof Alert>;

export const AlertList = listOf(Alert);
export type AlertList = Static<typeof AlertList>;

/** A test was sent to a target; `reason` says why it did not arrive. */
export const TestedTarget = Type.Object({
  id: Type.String(),
  sent: Type.Boolean(),
  reason: orNull(Type.String()),
});
export type TestedTarget = Static<typeof TestedTarget>;

export const DeliveriesQuery = closed({ account: Type.Optional(AccountName), ...pageFields });
export type DeliveriesQuery = Static<typeof DeliveriesQuery>;

/** What was told to a target. */
export const Delivery = Type.Object({
  id: Type.String(),
  account: orNull(Type.String()),
  target: Type.String(),
  channel: Channel,
  type: Type.String(),
  title: Type.String(),
  created_at: Timestamp,
  state: oneOf(["waiting", "delivered", "failed"]),
  attempts: Type.Integer(),
  /** The status of the receiver's last answer; null where there was none. */
  status: orNull(Type.Integer()),
  /** Why the last try failed. */
  reason: orNull(Type.String()),
  /** When it is tried next. */
  due_at: orNull(Timestamp),
  ended_at: orNull(Timestamp),
});
export type Delivery = Static<typeof Delivery>;

export const DeliveryList = Type.Object({ object: Type.Literal("list"), data: Type.Array(Delivery), ...pageMembers });
export type DeliveryList = Static<typeof DeliveryList>;
