import type { Circuit, CredentialKey, RouteHealth, VendorHealth, VendorLimit } from "../../../contract/vendors.ts";
import type { CredentialKey as StatusKey } from "../../catalog/configuration/vendor-status.ts";
import type { Route, VendorLimits } from "../../core/catalog/catalog.ts";
import { type Measurements, WINDOW_MS } from "../../routing/route-meters.ts";
import type { Administration } from "../answer/administration.ts";
import { showTime } from "./show.ts";

type HealthSource = Pick<Administration, "breakers" | "meters" | "clock" | "gateway" | "vendors" | "vendor_limits">;

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
  const open = [...new Set(upstream_models)].filter((model) => showCircuit(source, vendor, model).state !== "closed");
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

export function showLimits(
  { vendor_limits }: HealthSource,
  { vendor, credential = "" }: { readonly vendor: string; readonly credential?: string },
  limits: VendorLimits | undefined,
): VendorLimit[] {
  const uses = limits === undefined ? [] : vendor_limits.uses(vendor, credential, limits);
  return uses.map(({ limit, allowed, share, used }) => ({
    limit,
    allowed: Number(allowed),
    share: Number(share),
    used: Number(used),
  }));
}

/** One of a vendor's several credentials, whether it rests, and what is used of its limits. */
export function showKey(source: HealthSource, vendor: string, { limits, ...key }: StatusKey): CredentialKey {
  const { wait_ms, ...rest } = source.breakers.credentials.state(vendor, key.name);
  return {
    ...key,
    ...rest,
    rests_until: wait_ms > 0 ? showTime(source.clock.now_ms() + wait_ms) : null,
    limits: showLimits(source, { vendor, credential: key.name }, limits),
  };
}

/** How long until one of a vendor's credentials may be tried, where all of several rest; else null. */
function allRestMs({ breakers, vendors }: HealthSource, vendor: string): number | null {
  const keys = vendors.current.vendors.get(vendor)?.api_keys ?? [];
  const states = keys.map(({ name }) => breakers.credentials.state(vendor, name));
  if (states.length === 0 || states.some(({ state }) => state === "ready")) return null;
  return Math.min(...states.map(({ wait_ms }) => wait_ms));
}

/** The circuit of a route; where all of its vendor's credentials rest, it is open as well (docs/rulings.md 180). */
function showCircuit(source: HealthSource, vendor: string, upstream_model: string): Circuit {
  const { breakers, clock } = source;
  const rest_ms = allRestMs(source, vendor);
  if (rest_ms !== null && breakers.sharedState(vendor, upstream_model) === "closed")
    return rest_ms > 0
      ? { state: "open", half_opens_at: showTime(clock.now_ms() + rest_ms), accounts_alone: null }
      : { state: "half-open", half_opens_at: null, accounts_alone: null };
  const state = breakers.state(vendor, upstream_model);
  const wait_ms = breakers.waitMs(vendor, upstream_model);
  const is_shared = state === "closed" || breakers.sharedState(vendor, upstream_model) !== "closed";
  return {
    state,
    half_opens_at: state === "open" ? showTime(clock.now_ms() + wait_ms) : null,
    accounts_alone: is_shared ? null : breakers.accountsAlone(vendor, upstream_model),
  };
}
