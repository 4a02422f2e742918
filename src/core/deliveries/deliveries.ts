/**
 * What waits to be sent to somebody, and what was sent (docs/rulings.md 185, 225): letters with a link, and what is told to a target. Each is sent
 * at least once, over crashes and several nodes. A letter's row holds no link and no text: both are made when it is sent, so that a stolen table lets
 * nobody in, and it goes when it was sent.
 */

type LetterKind = "invitation" | "password-reset";
export type DeliveryKind = LetterKind | "alert" | "usage";

/** The way on which something goes out; the last two are ways of usage events alone. */
export type Channel = "mail" | "webhook" | "slack" | "s3" | "file";

export interface NewDelivery {
  /** For a letter the id of the link that it brings; that of a password reset is made when the letter is sent. */
  readonly id: string;
  readonly kind: DeliveryKind;
  readonly channel: Channel;
  /** For a letter the e-mail address (for a password reset as it was typed in, whether or not a user has it); else the target's id. */
  readonly recipient: string;
  /** The account that it belongs to; null: the gateway's own. */
  readonly account_id: string | null;
  /** What is told: `balance.low`; null for a letter. */
  readonly type: string | null;
  /** The body, byte for byte as it is sent and signed; for usage events a UsagePortion; null for a letter. */
  readonly body: string | null;
  /** The address of the client who asked for it; null where it is unknown. */
  readonly asked_from: string | null;
  /** How long it is tried to be sent. */
  readonly ttl_ms: number;
}

export type NewLetter = Pick<NewDelivery, "id" | "recipient" | "asked_from" | "ttl_ms"> & {
  readonly kind: LetterKind;
};

/** A delivery that this process is to try, until its lease ends. */
export interface ClaimedDelivery extends Omit<NewDelivery, "ttl_ms"> {
  /** How often it has been claimed, this time included. */
  readonly attempts: number;
  readonly created_ms: number;
  readonly ends_ms: number;
}

export type DeliveryState = "waiting" | "delivered" | "failed";

/** How a try ended: the status of the answer where there was one, and otherwise why not. Neither has anything of the answer itself. */
export interface TryOutcome {
  readonly status: number | null;
  readonly reason: string | null;
}

/** What was told to a target, for the history. */
export interface DeliveryRecord
  extends Pick<ClaimedDelivery, "id" | "channel" | "account_id" | "attempts" | "created_ms">,
    TryOutcome {
  readonly target_id: string;
  readonly type: string;
  readonly body: string;
  readonly state: DeliveryState;
  /** When it is tried next; null once it is over. */
  readonly due_ms: number | null;
  readonly ended_ms: number | null;
}

export interface DeliveryQuery {
  /** Null: the gateway's own. */
  readonly account_id: string | null;
  readonly limit: number;
  /** Only deliveries older than this one. */
  readonly before_id?: string;
  /** When that one was created, where these books need not have it. */
  readonly before_ms?: number;
}

export type Claim = Pick<ClaimedDelivery, "id" | "kind" | "attempts">;

export type ClaimQuery = { readonly lease_ms: number } & (
  | {
      readonly over: "mail" | "http";
      /** The recipients that this process is sending to right now. */
      readonly busy: readonly string[];
    }
  | {
      readonly over: "usage";
      readonly targets: readonly string[];
    }
);

/** A place to which alerts go. Its address may be a secret by itself, and is sealed. */
export interface TargetRecord {
  readonly id: string;
  /** Null: the gateway's. */
  readonly account_id: string | null;
  readonly channel: Channel;
  /** As `encryptCredential` makes it, as JSON. */
  readonly sealed: string;
  /** The types that it hears; null: all. */
  readonly types: readonly string[] | null;
  readonly created_ms: number;
  readonly created_by: string;
  /** When and why it hears no more; null while it does. */
  readonly ended_ms: number | null;
  readonly ended_reason: string | null;
}

export type NewTarget = Omit<TargetRecord, "created_ms" | "ended_ms" | "ended_reason">;
