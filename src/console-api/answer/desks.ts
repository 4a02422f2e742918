import type { MailLimits } from "../../access/console/mail-limits.ts";
import type { TargetRecord } from "../../core/deliveries/deliveries.ts";
import type { DeliveryTarget } from "../../core/deliveries/targets.ts";
import type { CreditReceipt } from "../../core/ledger/entries.ts";
import type { AccountRecord } from "../../core/store/ports.ts";

export interface AlertDesk {
  /** All targets, those of the file first. */
  readonly targets: () => Promise<DeliveryTarget[]>;
  /** Encrypts an address, as it is stored. */
  readonly seal: (target_id: string, address: string) => string;
  readonly open: (record: TargetRecord) => DeliveryTarget | null;
  /** The secret with which deliveries to a webhook are signed. */
  readonly secretOf: (target_id: string) => string;
  /** What is wrong with a URL for a target of an account, or of the gateway (null); null where it may be tried. */
  readonly problemOf: (url: string, account_id: string | null) => string | null;
  readonly sends_mail: boolean;
  /** Sends a test now, and says why it did not arrive; null where it did. */
  readonly test: (target: DeliveryTarget) => Promise<string | null>;
  /** Called after a delivery was queued or a target made, so that it need not wait for the next round. */
  readonly wake: () => void;
}

export interface MailDesk {
  readonly limits: MailLimits;
  /** Called after a mail was queued, which is then sent soon. */
  readonly wake: () => void;
  /** To whom the receipt of a credit of an account is mailed. */
  readonly receipt: (account: Pick<AccountRecord, "id" | "name" | "email">) => Promise<CreditReceipt>;
  /** Sends a test now. Rejects with a MailError. */
  readonly test: (to: string) => Promise<void>;
}
