import type { MailLimits } from "../../access/console/mail-limits.ts";
import type { CreditReceipt } from "../../core/ledger/entries.ts";
import type { AccountRecord } from "../../core/store/ports.ts";

export interface MailDesk {
  readonly limits: MailLimits;
  /** A mail was put down, which is then sent soon. */
  readonly wake: () => void;
  /** Who is told of a credit of an account. */
  readonly receipt: (account: Pick<AccountRecord, "id" | "name" | "email">) => Promise<CreditReceipt>;
  /** Sends a test now. Rejects with a MailError. */
  readonly test: (to: string) => Promise<void>;
}
