import {
  type Configuration,
  MODEL_KINDS,
  type Model,
  type ModelKind,
  type OnDisconnect,
  type RoutingSettings,
} from "../../core/catalog/catalog.ts";
import type { Environment } from "../../core/environment.ts";
import { vendorOfEnvironment } from "../reading/read-vendor.ts";
import { VENDOR_ROWS } from "../vendors/vendors.ts";

/** Summary of a configuration for `camino check`. It never contains a credential or the value of a header. */
export interface ConfigurationDescription {
  readonly currency: string;
  readonly vendors: readonly VendorDescription[];
  /** Known vendors that are not used, and the variables that would enable them. */
  readonly not_enabled: readonly { readonly id: string; readonly name: string; readonly missing: string }[];
  /** How many models of each kind the gateway lists. */
  readonly models: Readonly<Record<ModelKind, number>>;
  /** Models with other routes than a single one to the vendor in their id. */
  readonly routed: readonly RouteDescription[];
  /** `models`, `tags`: the patterns and the names of those that are limited. */
  readonly limits: Omit<Configuration["limits"], "models" | "tags"> & {
    readonly models?: readonly string[];
    readonly tags?: readonly string[];
  };
  /** Chat models whose rows do not say whether they reason: they are held for as if they did (docs/rulings.md 170). */
  readonly thinking_unsaid: readonly string[];
}

export interface VendorDescription {
  readonly id: string;
  readonly name: string;
  readonly endpoints: readonly { readonly protocol: string; readonly base_url: string }[];
  readonly has_credential: boolean;
  /** How many credentials it has, where they are several. */
  readonly credential_count?: number;
  readonly header_names: readonly string[];
  readonly on_disconnect: OnDisconnect;
  /** How many models have a route to the vendor. */
  readonly model_count: number;
}

export interface RouteDescription {
  readonly model: string;
  readonly routes: readonly { readonly vendor: string; readonly upstream_model: string; readonly weight: number }[];
  /** Absent: by weight, and conversations stay where they are. */
  readonly routing?: RoutingSettings;
  readonly fallbacks: readonly string[];
  readonly decide_with: string | null;
  /** The version of the calibration that the decisions are made with; null without a calibration. */
  readonly calibration: string | null;
}

/** Describes a configuration; `env` is the environment that the configuration was loaded with. */
export function describeConfiguration(configuration: Configuration, env: Environment): ConfigurationDescription {
  // The simulator's fixtures are hidden from every list.
  const models = [...configuration.models.values()].filter(({ unlisted }) => unlisted === undefined);
  return {
    currency: configuration.currency,
    vendors: describeVendors(configuration, models),
    not_enabled: VENDOR_ROWS.flatMap((row) => {
      const found = configuration.vendors.has(row.id) ? null : vendorOfEnvironment(row, env);
      return found !== null && "missing" in found ? [{ id: row.id, name: row.name, missing: found.missing }] : [];
    }),
    models: countKinds(models),
    routed: models.filter(isRouted).map(({ id, routes, routing, fallbacks, decide_with }) => ({
      model: id,
      routes: routes.map(({ vendor, upstream_model, weight }) => ({ vendor, upstream_model, weight })),
      ...(routing !== undefined && { routing }),
      fallbacks,
      decide_with: decide_with?.model ?? null,
      calibration: decide_with?.calibration?.version ?? null,
    })),
    limits: describeLimits(configuration.limits),
    thinking_unsaid: models.filter((model) => model.thinking_unsaid === true).map(({ id }) => id),
  };
}

function describeLimits({ models, tags, ...limits }: Configuration["limits"]): ConfigurationDescription["limits"] {
  return {
    ...limits,
    ...(models !== undefined && { models: models.map((each) => each.models) }),
    ...(tags !== undefined && { tags: tags.map(({ tag }) => tag) }),
  };
}

function describeVendors({ vendors }: Configuration, models: readonly Model[]): VendorDescription[] {
  return [...vendors.values()].map((vendor) => ({
    id: vendor.id,
    name: vendor.name,
    endpoints: vendor.endpoints.map(({ protocol, base_url }) => ({ protocol, base_url })),
    has_credential: vendor.api_key !== null || vendor.aws !== undefined,
    ...(vendor.api_keys !== undefined && { credential_count: vendor.api_keys.length }),
    header_names: Object.keys(vendor.headers),
    on_disconnect: vendor.on_disconnect,
    model_count: models.filter(({ routes }) => routes.some((route) => route.vendor === vendor.id)).length,
  }));
}

function countKinds(models: readonly Model[]): ConfigurationDescription["models"] {
  const counts = Object.fromEntries(MODEL_KINDS.map((kind) => [kind, 0])) as Record<ModelKind, number>;
  for (const { kind } of models) counts[kind] += 1;
  return counts;
}

function isRouted({ id, routes, fallbacks }: Model): boolean {
  const [first, second] = routes;
  return second !== undefined || fallbacks.length > 0 || first === undefined || !id.startsWith(`${first.vendor}/`);
}
