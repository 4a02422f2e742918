import type { TargetRecord } from "../../core/deliveries/deliveries.ts";
import type { DeliveryTarget } from "../../core/deliveries/targets.ts";

export interface AlertDesk {
  /** All targets, those of the file first. */
  readonly targets: () => Promise<DeliveryTarget[]>;
  /** The address sealed, as it is kept. */
  readonly seal: (target_id: string, address: string) => string;
  readonly open: (record: TargetRecord) => DeliveryTarget | null;
  /** The secret with which what goes to a webhook is signed. */
  readonly secretOf: (target_id: string) => string;
  /** What is wrong with a URL for a target of an account, or of the gateway (null); null where it may be tried. */
  readonly problemOf: (url: string, account_id: string | null) => string | null;
  readonly sends_mail: boolean;
  /** Sends a test now, and says why it did not arrive; null where it did. */
  readonly test: (target: DeliveryTarget) => Promise<string | null>;
  /** Something was put down to be sent, or a target was made. */
  readonly wake: () => void;
}
