import type { MailLimits } from "../../access/console/mail-limits.ts";
import type { EntryRecord } from "../../core/ledger/entries.ts";
import type { AccountRecord } from "../../core/store/ports.ts";

/** What the console API has of mail. */
export interface MailDesk {
  readonly limits: MailLimits;
  /** A mail was put down, which is then sent soon. */
  readonly wake: () => void;
  /** Puts down a receipt for each owner of an account whose credit has grown. Of one entry it is put down once. */
  readonly receipt: (of: {
    readonly account: Pick<AccountRecord, "id" | "name" | "email">;
    readonly entry: EntryRecord;
    readonly currency: string;
  }) => Promise<void>;
  /** Sends a test now. Rejects with a MailError. */
  readonly test: (to: string) => Promise<void>;
}
