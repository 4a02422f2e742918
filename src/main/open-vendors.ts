import type { SubKeys } from "../access/sub-keys.ts";
import type { LoadedConfiguration } from "../catalog/configuration/load-configuration.ts";
import { startRefreshing } from "../chores/refresh.ts";
import { ShareSpending } from "../chores/share-spending.ts";
import type { Configuration } from "../core/catalog/catalog.ts";
import type { Clock } from "../core/clock.ts";
import type { Store } from "../core/store/ports.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { ConfigurationElements } from "../pipeline/configuration/configuration-elements.ts";
import { WrongRows } from "../pipeline/usage/wrong-rows.ts";
import { VendorCredentials } from "../pipeline/vendors/vendor-credentials.ts";
import type { Breakers } from "../routing/breaker.ts";
import { VendorLimitBook } from "../routing/vendor-limits.ts";
import type { BuiltInSimulator } from "./built-in-simulator.ts";
import { inputWithSimulator, orSimulator } from "./read-configuration.ts";

interface VendorParts {
  readonly loaded: LoadedConfiguration;
  readonly simulator: BuiltInSimulator;
  readonly store: Store;
  readonly keys: SubKeys;
  readonly breakers: Breakers;
  /** Says when a day begins, for what vendors may cost a day. */
  readonly clock: Pick<Clock, "now_ms">;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "gauge">;
  /** How many processes the gateway has that use this database. */
  readonly processes: number;
}

interface OpenedVendors {
  readonly vendor_limits: VendorLimitBook;
  readonly wrong_rows: WrongRows;
  readonly vendors: VendorCredentials;
  readonly elements: ConfigurationElements;
}

/**
 * The current configuration: the loaded one with the database's elements laid over it and the console's credentials, kept in step with
 * other gateways.
 */
export async function openVendors(parts: VendorParts, opened: AsyncDisposableStack): Promise<OpenedVendors> {
  const { loaded, simulator, store, keys, breakers, log, metrics, processes } = parts;
  const vendors: VendorCredentials = new VendorCredentials({
    loaded,
    store: store.vendor_credentials,
    key: keys.vendor_credential,
    log,
    onChange: (vendor) => {
      breakers.forget(vendor);
      elements.credentialChanged();
    },
  });
  const elements = new ConfigurationElements({
    ...{ store: store.configuration, vendors, base: loaded, log },
    inputFor: (base, laid) => inputWithSimulator(base, laid, simulator),
    orFirstRun: (made) => orSimulator(made, simulator),
  });
  await vendors.load();
  await elements.load();
  metrics.gauge(
    "camino_configuration_left_out",
    "Elements of the database that do not fit the configuration and are not in use.",
    () => elements.state.left_out.size,
  );
  const wrong_rows = new WrongRows(store.upkeep, log);
  await wrong_rows.refresh();
  const shared = {
    refresh: async () => {
      await vendors.refresh();
      await elements.refresh();
      await wrong_rows.refresh();
    },
  };
  const refreshing = startRefreshing(shared, store.kind === "sqlite" && processes === 1, log);
  opened.defer(() => refreshing.stop());
  const vendor_limits = new VendorLimitBook(parts.clock.now_ms);
  const spending = new ShareSpending({ book: vendor_limits, vendors, store: store.upkeep, log, processes });
  opened.defer(() => spending.stop());
  addVendorGauges(metrics, { vendors, breakers, vendor_limits });
  await spending.start();
  return { vendors, elements, wrong_rows, vendor_limits };
}

interface MeasuredVendors {
  readonly vendors: { readonly current: Configuration };
  readonly breakers: Pick<Breakers, "credentials">;
  readonly vendor_limits: Pick<VendorLimitBook, "uses">;
}

/** Measures how many credentials of vendors rest, and how many limits of vendors and credentials are reached. */
function addVendorGauges(metrics: Pick<Metrics, "gauge">, measured: MeasuredVendors): void {
  metrics.gauge("camino_vendor_credentials_resting", "Credentials of vendors that are passed over for a while.", () =>
    countResting(measured),
  );
  metrics.gauge("camino_vendor_limits_reached", "Limits of vendors and their credentials that are reached.", () =>
    countReached(measured),
  );
}

function countResting({ vendors, breakers }: MeasuredVendors): number {
  let count = 0;
  for (const { id, api_keys = [] } of vendors.current.vendors.values())
    for (const { name } of api_keys) if (breakers.credentials.state(id, name).state === "resting") count += 1;
  return count;
}

function countReached({ vendors, vendor_limits }: MeasuredVendors): number {
  let count = 0;
  for (const { id, limits, api_keys = [] } of vendors.current.vendors.values()) {
    const all = [{ name: "", limits }, ...api_keys];
    for (const each of all)
      if (each.limits !== undefined)
        count += vendor_limits.uses(id, each.name, each.limits).filter(({ used, share }) => used >= share).length;
  }
  return count;
}
