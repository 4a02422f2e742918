/**
 * Mails that wait to be sent. A row holds no link and no text: both are made from it when the mail is sent, so that a stolen table lets nobody in.
 */

export type MailKind = "invitation" | "password-reset";

export interface NewMail {
  /** The id of the link that the mail brings. That of a password reset is made when the mail is sent. */
  readonly id: string;
  readonly kind: MailKind;
  /** The recipient's address; for a password reset what somebody typed in, whether or not a user has it. */
  readonly email: string;
  /** The address of the client who asked for it; null where it is unknown. */
  readonly asked_from: string | null;
  /** How long it is tried to be sent. */
  readonly ttl_ms: number;
}

/** A mail that this process is to send, until its lease ends. */
export interface ClaimedMail extends Omit<NewMail, "ttl_ms"> {
  /** How often it has been claimed, this time included. */
  readonly attempts: number;
  readonly created_ms: number;
  /** When it is given up. */
  readonly ends_ms: number;
}

export interface MailStore {
  /** Puts a mail among those that wait; one with the same id is there once. False where too many of its kind wait. */
  addMail(mail: NewMail): Promise<boolean>;
  /**
   * Takes the mail that is due first, for a while: where its sender dies, it is due again afterwards. Of several nodes one gets it. Mails whose
   * time is over are given up, as many as `given_up` says.
   */
  claimMail(lease_ms: number): Promise<{ readonly mail: ClaimedMail | null; readonly given_up: number }>;
  /** Takes a mail away that was sent, or that is not to be sent. Nothing happens where another has claimed it since. */
  endMail(mail: Pick<ClaimedMail, "id" | "attempts">): Promise<void>;
  /** Lets a mail wait that could not be sent. False where its time will be over by then: it is given up. */
  delayMail(mail: Pick<ClaimedMail, "id" | "attempts">, wait_ms: number): Promise<boolean>;
}
