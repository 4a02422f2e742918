import type { Channel } from "../deliveries/deliveries.ts";

/** Where the gateway's alerts go, and what accounts' targets may be (docs/configuration.md Alerts). */
export interface AlertSettings {
  /** The file's targets: they hear the gateway's alerts and those of all accounts, and may be http and private. */
  readonly to: readonly { readonly channel: Channel; readonly address: string }[];
  /** Whether targets of accounts may be http and private as well. */
  readonly private_addresses: boolean;
  /** How old the last backup of the embedded database may be; null: nobody is told of it. */
  readonly backup_after_ms: number | null;
}

export const DEFAULT_ALERTS: AlertSettings = { to: [], private_addresses: false, backup_after_ms: null };
