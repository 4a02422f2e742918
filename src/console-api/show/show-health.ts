import type { Circuit, RouteHealth, VendorHealth } from "../../../contract/vendors.ts";
import type { Route } from "../../core/catalog/catalog.ts";
import { type Measurements, WINDOW_MS } from "../../routing/route-meters.ts";
import type { Administration } from "../answer/administration.ts";
import { showTime } from "./show.ts";

type HealthSource = Pick<Administration, "breakers" | "meters" | "clock" | "gateway">;

/** The node that made the measurements and the seconds that they cover. */
export function measuredBy({ gateway }: HealthSource): { node: string; window_s: number } {
  return { node: gateway.node_id, window_s: WINDOW_MS / 1000 };
}

export function showRouteHealth(source: HealthSource, { vendor, upstream_model }: Route): RouteHealth {
  const measured = source.meters.ofRoute(vendor, upstream_model);
  return { ...showMeasurements(measured), circuit: showCircuit(source, vendor, upstream_model) };
}

/** The health of a vendor's routes together. `upstream_models`: the vendor's models that a route leads to. */
export function showVendorHealth(
  source: HealthSource,
  vendor: string,
  upstream_models: Iterable<string>,
): VendorHealth {
  const open = [...new Set(upstream_models)].filter((model) => source.breakers.state(vendor, model) !== "closed");
  return { ...showMeasurements(source.meters.ofVendor(vendor)), circuits_open: open.length };
}

function showMeasurements(measured: Measurements): Omit<RouteHealth, "circuit"> {
  const { calls, errors, rate_limited, first_byte_ms, total_ms, in_flight, last_error } = measured;
  return {
    ...{ calls, errors, rate_limited },
    error_rate: calls === 0 ? null : Math.round((errors / calls) * 10_000) / 10_000,
    first_byte_ms: { ...first_byte_ms },
    total_ms: { ...total_ms },
    in_flight,
    last_error: last_error && { at: showTime(last_error.at_ms), code: last_error.code, status: last_error.status },
  };
}

function showCircuit({ breakers, clock }: HealthSource, vendor: string, upstream_model: string): Circuit {
  const state = breakers.state(vendor, upstream_model);
  const wait_ms = breakers.waitMs(vendor, upstream_model);
  const is_shared = state === "closed" || breakers.sharedState(vendor, upstream_model) !== "closed";
  return {
    state,
    half_opens_at: state === "open" ? showTime(clock.now_ms() + wait_ms) : null,
    accounts_alone: is_shared ? null : breakers.accountsAlone(vendor, upstream_model),
  };
}
