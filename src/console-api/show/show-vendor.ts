import type { Vendor as ShownVendor, VendorCredential, VendorModel, VendorSummary } from "../../../contract/vendors.ts";
import { timeoutsOf, type VendorStanding } from "../../catalog/vendors/vendor-standing.ts";
import { modelsOf } from "../../catalog/configuration/given-credential.ts";
import type { Model, Route, Vendor, VendorEndpoint } from "../../core/catalog.ts";
import type { StoredCredential } from "../../pipeline/vendors/vendor-credentials.ts";
import type { Administration } from "../administration.ts";
import { measuredBy, showRouteHealth, showVendorHealth } from "./show-health.ts";
import { showTime } from "./show.ts";

/** A model's route to a vendor. */
interface VendorRoute {
  readonly model: Model;
  readonly route: Route;
}

export function showVendorSummary(administration: Administration, standing: VendorStanding): VendorSummary {
  return summaryOf(administration, standing, routesOf(administration, standing));
}

export function showVendor(administration: Administration, standing: VendorStanding): ShownVendor {
  const { vendor, settings } = standing;
  const routes = routesOf(administration, standing);
  return {
    ...summaryOf(administration, standing, routes),
    ...measuredBy(administration),
    endpoints: endpointsOf(standing).map(({ protocol, base_url, credential }) => ({
      protocol: protocolOf(protocol),
      base_url,
      credential,
    })),
    settings: settings.map((setting) => ({ ...setting })),
    header_names: Object.keys(vendor?.headers ?? {}),
    timeouts: { ...timeoutsOf(standing) },
    on_disconnect: vendor?.on_disconnect ?? "auto",
    models: routes.map((each) => showVendorModel(administration, standing, each)),
  };
}

function summaryOf(
  administration: Administration,
  standing: VendorStanding,
  routes: readonly VendorRoute[],
): VendorSummary {
  const { id, name, row, vendor, status, enabled_by, missing } = standing;
  const upstream_models = routes.map(({ route }) => route.upstream_model);
  return {
    ...{ id, name, status, enabled_by },
    known: row !== null,
    local: row?.server_env !== undefined,
    protocols: endpointsOf(standing).map(({ protocol }) => protocolOf(protocol)),
    credential: showCredential(standing, administration.vendors.stored(id)),
    missing: [...missing],
    model_count: new Set(routes.map(({ model }) => model.id)).size,
    health: vendor === null ? null : showVendorHealth(administration, id, upstream_models),
  };
}

/** The vendor's routes; of a vendor that is not enabled, the routes that enabling it would add. */
function routesOf({ vendors }: Administration, { id, vendor }: VendorStanding): VendorRoute[] {
  const models = vendor === null ? modelsOf(id) : [...vendors.current.models.values()];
  return models.flatMap((model) =>
    model.routes.filter((route) => route.vendor === id).map((route) => ({ model, route })),
  );
}

function showVendorModel(
  administration: Administration,
  standing: VendorStanding,
  { model, route }: VendorRoute,
): VendorModel {
  return {
    model: model.id,
    display_name: model.display_name,
    kind: model.kind,
    upstream_model: route.upstream_model,
    weight: route.weight,
    protocols: protocolsOf(route, endpointsOf(standing)),
    health: standing.vendor === null ? null : showRouteHealth(administration, route),
  };
}

function showCredential(standing: VendorStanding, stored: StoredCredential | null): VendorCredential {
  const { source, kind, variable, hint, needed, kinds, variables, otherwise } = standing.credential;
  return {
    ...{ source, kind, variable, hint, needed },
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

function endpointsOf({ vendor, row }: VendorStanding): readonly VendorEndpoint[] {
  return (vendor ?? row)?.endpoints ?? [];
}

/** The protocols in which a vendor serves a route. */
export function protocolsOf(route: Route, endpoints: Vendor["endpoints"]): ShownVendor["protocols"] {
  const spoken = endpoints.map(({ protocol }) => protocol);
  return (route.protocols ? spoken.filter((each) => route.protocols?.includes(each)) : spoken).map(protocolOf);
}

/** An endpoint's protocol as the API names it. `responses-in-chat` never occurs: it only answers clients. */
export function protocolOf(protocol: VendorEndpoint["protocol"]): ShownVendor["protocols"][number] {
  if (protocol === "responses-in-chat") throw new Error("no vendor speaks responses-in-chat");
  return protocol;
}
