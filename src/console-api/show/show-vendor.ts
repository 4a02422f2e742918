import type { Vendor as ShownVendor, VendorCredential, VendorModel, VendorSummary } from "../../../contract/vendors.ts";
import { modelsOf } from "../../catalog/configuration/given-credential.ts";
import { timeoutsOf, type VendorStatus } from "../../catalog/configuration/vendor-status.ts";
import type { Model, Route, Vendor, VendorEndpoint } from "../../core/catalog/catalog.ts";
import { PROTOCOLS } from "../../core/endpoints.ts";
import type { Administration } from "../answer/administration.ts";
import { showTime } from "./show.ts";
import { measuredBy, showKey, showLimits, showRouteHealth, showVendorHealth } from "./show-health.ts";

interface VendorRoute {
  readonly model: Model;
  readonly route: Route;
}

export function showVendorSummary(administration: Administration, vendor_status: VendorStatus): VendorSummary {
  return summaryOf(administration, vendor_status, routesOf(administration, vendor_status));
}

export function showVendor(administration: Administration, vendor_status: VendorStatus): ShownVendor {
  const { vendor, settings } = vendor_status;
  const routes = routesOf(administration, vendor_status);
  return {
    ...summaryOf(administration, vendor_status, routes),
    ...measuredBy(administration),
    endpoints: endpointsOf(vendor_status).map(({ protocol, base_url, credential }) => ({
      protocol: protocolOf(protocol),
      base_url,
      credential,
    })),
    settings: settings.map((setting) => ({ ...setting })),
    header_names: Object.keys(vendor?.headers ?? {}),
    timeouts: { ...timeoutsOf(vendor_status) },
    on_disconnect: vendor?.on_disconnect ?? "auto",
    models: routes.map((each) => showVendorModel(administration, vendor_status, each)),
  };
}

function summaryOf(
  administration: Administration,
  vendor_status: VendorStatus,
  routes: readonly VendorRoute[],
): VendorSummary {
  const { id, name, row, vendor, status, enabled_by, missing } = vendor_status;
  const upstream_models = routes.map(({ route }) => route.upstream_model);
  return {
    ...{ id, name, status, enabled_by },
    known: row !== null,
    local: row?.server_env !== undefined,
    protocols: endpointsOf(vendor_status).map(({ protocol }) => protocolOf(protocol)),
    credential: showCredential(administration, vendor_status),
    limits: showLimits(administration, { vendor: id }, vendor?.limits),
    missing: [...missing],
    model_count: new Set(routes.map(({ model }) => model.id)).size,
    health: vendor === null ? null : showVendorHealth(administration, id, upstream_models),
  };
}

/** The vendor's routes; of a vendor that is not enabled, the routes that enabling it would add. */
function routesOf({ vendors }: Administration, { id, vendor }: VendorStatus): VendorRoute[] {
  const models = vendor === null ? modelsOf(id) : [...vendors.current.models.values()];
  return models.flatMap((model) =>
    model.routes.filter((route) => route.vendor === id).map((route) => ({ model, route })),
  );
}

function showVendorModel(
  administration: Administration,
  vendor_status: VendorStatus,
  { model, route }: VendorRoute,
): VendorModel {
  return {
    model: model.id,
    display_name: model.display_name,
    kind: model.kind,
    upstream_model: route.upstream_model,
    weight: route.weight,
    protocols: protocolsOf(route, endpointsOf(vendor_status)),
    health: vendor_status.vendor === null ? null : showRouteHealth(administration, route),
  };
}

function showCredential(administration: Administration, vendor_status: VendorStatus): VendorCredential {
  const stored = administration.vendors.stored(vendor_status.id);
  const { source, kind, variable, hint, keys, needed, kinds, variables, otherwise } = vendor_status.credential;
  return {
    ...{ source, kind, variable, hint, needed },
    keys: keys.map((key) => showKey(administration, vendor_status.id, key)),
    kinds: [...kinds],
    variables: [...variables],
    stored: stored && {
      set_at: showTime(stored.set_ms),
      set_by: stored.set_by,
      problem: stored.problem,
      instead_of: otherwise.source,
    },
  };
}

function endpointsOf({ vendor, row }: VendorStatus): readonly VendorEndpoint[] {
  return (vendor ?? row)?.endpoints ?? [];
}

export function protocolsOf(route: Route, endpoints: Vendor["endpoints"]): ShownVendor["protocols"] {
  const spoken = endpoints.map(({ protocol }) => protocol);
  return (route.protocols ? spoken.filter((each) => route.protocols?.includes(each)) : spoken).map(protocolOf);
}

/** An endpoint's protocol as the API names it. Those that only clients speak never occur. */
export function protocolOf(protocol: VendorEndpoint["protocol"]): ShownVendor["protocols"][number] {
  const spoken = PROTOCOLS.find((each) => each === protocol);
  if (spoken === undefined) throw new Error(`no vendor speaks ${protocol}`);
  return spoken;
}
