import type { TargetRecord } from "./deliveries.ts";

/** A target as it is sent to: one of the database, or of the configuration's file. */
export interface DeliveryTarget extends Pick<TargetRecord, "id" | "account_id" | "channel" | "types"> {
  /** An e-mail address or a URL; never shown where nobody may change it, and in no log. */
  readonly address: string;
  /** Whether http and inner networks are allowed. */
  readonly may_be_private: boolean;
  readonly is_of_file: boolean;
  readonly created_ms: number | null;
  readonly ended_ms: number | null;
  readonly ended_reason: string | null;
}
