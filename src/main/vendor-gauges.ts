import type { Configuration } from "../core/catalog/catalog.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Breakers } from "../routing/breaker.ts";
import type { VendorLimitBook } from "../routing/vendor-limits.ts";

interface Measured {
  readonly vendors: { readonly current: Configuration };
  readonly breakers: Pick<Breakers, "credentials">;
  readonly vendor_limits: Pick<VendorLimitBook, "uses">;
}

/** Measures how many credentials of vendors rest, and how many limits of vendors and credentials are reached. */
export function addVendorGauges(metrics: Pick<Metrics, "gauge">, measured: Measured): void {
  metrics.gauge("camino_vendor_credentials_resting", "Credentials of vendors that are passed over for a while.", () =>
    countResting(measured),
  );
  metrics.gauge("camino_vendor_limits_reached", "Limits of vendors and their credentials that are reached.", () =>
    countReached(measured),
  );
}

function countResting({ vendors, breakers }: Measured): number {
  let count = 0;
  for (const { id, api_keys = [] } of vendors.current.vendors.values())
    for (const { name } of api_keys) if (breakers.credentials.state(id, name).state === "resting") count += 1;
  return count;
}

function countReached({ vendors, vendor_limits }: Measured): number {
  let count = 0;
  for (const { id, limits, api_keys = [] } of vendors.current.vendors.values()) {
    const all = [{ name: "", limits }, ...api_keys];
    for (const each of all)
      if (each.limits !== undefined)
        count += vendor_limits.uses(id, each.name, each.limits).filter(({ used, share }) => used >= share).length;
  }
  return count;
}
