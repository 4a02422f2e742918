import type { MailLimits } from "../../access/console/mail-limits.ts";

/** What the console API has of mail. */
export interface MailDesk {
  readonly limits: MailLimits;
  /** A mail was put down, which is then sent soon. */
  readonly wake: () => void;
  /** Sends a test now. Rejects with a MailError. */
  readonly test: (to: string) => Promise<void>;
}
