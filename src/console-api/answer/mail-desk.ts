import type { MailLimits } from "../../access/console/mail-limits.ts";
import type { CreditReceipt } from "../../core/ledger/entries.ts";
import type { AccountRecord } from "../../core/store/ports.ts";

export interface MailDesk {
  readonly limits: MailLimits;
  /** Called after a mail was queued, which is then sent soon. */
  readonly wake: () => void;
  /** To whom the receipt of a credit of an account is mailed. */
  readonly receipt: (account: Pick<AccountRecord, "id" | "name" | "email">) => Promise<CreditReceipt>;
  /** Sends a test now. Rejects with a MailError. */
  readonly test: (to: string) => Promise<void>;
}
