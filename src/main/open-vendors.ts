import type { SubKeys } from "../access/sub-keys.ts";
import type { LoadedConfiguration } from "../catalog/configuration/load-configuration.ts";
import type { Store } from "../core/ports.ts";
import type { Log } from "../observe/log.ts";
import { VendorCredentials } from "../pipeline/vendors/vendor-credentials.ts";
import type { Breakers } from "../routing/breaker.ts";
import { startRefreshing } from "./refresh.ts";

interface VendorParts {
  readonly loaded: LoadedConfiguration;
  readonly store: Store;
  readonly keys: SubKeys;
  readonly breakers: Breakers;
  readonly log: Log;
  /** How many processes the gateway has that use this database. */
  readonly processes: number;
}

/** The current configuration: the loaded one with the console's credentials, kept in step with other gateways. */
export async function openVendors(parts: VendorParts, opened: AsyncDisposableStack): Promise<VendorCredentials> {
  const { loaded, store, keys, breakers, log, processes } = parts;
  const vendors = new VendorCredentials({
    loaded,
    store: store.vendor_credentials,
    key: keys.vendor_credential,
    log,
    onChange: (vendor) => breakers.forget(vendor),
  });
  await vendors.load();
  const refreshing = startRefreshing(vendors, store.kind === "sqlite" && processes === 1, log);
  opened.defer(() => refreshing.stop());
  return vendors;
}
