import type { SubKeys } from "../access/sub-keys.ts";
import { idOfFileTarget, openAddress } from "../access/target-addresses.ts";
import type { AlertSettings } from "../core/catalog/alert-settings.ts";
import type { UsageEventSettings } from "../core/catalog/usage-event-settings.ts";
import type { TargetRecord } from "../core/deliveries/deliveries.ts";
import type { DeliveryStore } from "../core/deliveries/delivery-store.ts";
import type { DeliveryTarget } from "../core/deliveries/targets.ts";
import { USAGE_TYPE } from "../core/deliveries/usage-events.ts";
import { readStorage } from "../webhooks/put-object.ts";

const OF_FILE = {
  ...{ account_id: null, may_be_private: true, is_of_file: true },
  ...{ created_ms: null, ended_ms: null, ended_reason: null },
} as const;

interface TargetBookParts {
  readonly deliveries: Pick<DeliveryStore, "listTargets">;
  readonly keys: SubKeys;
  readonly settings: AlertSettings;
}

/** While there is no target, the database is asked this often whether another node has made one. */
const ASKS_EVERY_MS = 60_000;

/** All targets: those of the configuration's file, and those that people have made. */
export class TargetBook {
  readonly #parts: TargetBookParts;
  readonly #of_file: readonly DeliveryTarget[];
  #has_any = false;
  #asks_at_ms = 0;

  constructor(parts: TargetBookParts) {
    this.#parts = parts;
    this.#of_file = parts.settings.to.map(({ channel, address }) => ({
      ...{ id: idOfFileTarget(parts.keys, channel, address), channel, address, types: null, ...OF_FILE },
    }));
  }

  /** Whether there is any target: while there is none, the database is asked once a minute. */
  async hasAny(): Promise<boolean> {
    if (this.#of_file.length > 0 || this.#has_any) return true;
    const now_ms = performance.now();
    if (now_ms < this.#asks_at_ms) return false;
    this.#asks_at_ms = now_ms + ASKS_EVERY_MS;
    await this.read();
    return this.#has_any;
  }

  /** A target was made or removed here. */
  changed(): void {
    this.#asks_at_ms = 0;
  }

  async read(): Promise<DeliveryTarget[]> {
    const made = await this.#parts.deliveries.listTargets();
    this.#has_any = made.length > 0;
    return [...this.#of_file, ...made.flatMap((record) => this.open(record) ?? [])];
  }

  /** A target of the database with its address; null where another secret has sealed it. */
  open(record: TargetRecord): DeliveryTarget | null {
    const { keys, settings } = this.#parts;
    const { sealed, created_by: _by, ...same } = record;
    const address = openAddress(keys, record.id, sealed);
    // Administrators may name any address; members may not reach the gateway's inner network.
    const may_be_private = record.account_id === null || settings.private_addresses;
    return address === null ? null : { ...same, address, may_be_private, is_of_file: false };
  }
}

/** The targets of usage events, which the file alone names. Another key of a storage makes no other target of it. */
export function usageTargets(keys: SubKeys, { to }: UsageEventSettings): DeliveryTarget[] {
  return to.map(({ channel, address }) => ({
    id: idOfFileTarget(keys, `usage:${channel}`, channel === "s3" ? readStorage(address).url : address),
    ...{ channel, address, types: [USAGE_TYPE], ...OF_FILE },
  }));
}
