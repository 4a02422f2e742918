import {
  type ChargedSides,
  type Configuration,
  type GatewayAliases,
  type Model,
  type Route,
  type RoutingSettings,
  sidesOf,
  type Vendor,
  type VendorLimits,
} from "../../core/catalog/catalog.ts";
import type { ElementName, ElementValue } from "../../core/catalog/configuration-elements.ts";
import { formatAmount, micro } from "../../core/money/money.ts";
import type { GatewayTagLimit, OwnLimits, RuleLimits } from "../../core/people/principal.ts";
import { writePrices, writeTime } from "./write-price.ts";

/**
 * Elements as they are in force, in the shapes of the file and with everything that may be left out: the value that people see, that a
 * difference is made of, and that an export writes. Reading them gives the same elements (the property in export-configuration.test.ts).
 */

/** The element of a name as it is in force, or as it is retired; null where there is none. */
export function effectiveValue(configuration: Configuration, { kind, id }: ElementName): ElementValue | null {
  if (kind === "limits") return writeLimits(configuration.limits);
  if (kind === "alias") return targetOf(configuration.aliases, id);
  if (kind === "vendor") {
    const vendor = configuration.vendors.get(id);
    return vendor === undefined ? null : writeVendor(vendor);
  }
  const model = configuration.models.get(id);
  if (model !== undefined) return writeModel(model);
  const retired = configuration.retired?.get(id);
  return retired === undefined ? null : { ...writeModel(retired), retired: true };
}

export function targetOf(aliases: GatewayAliases | undefined, id: string): string | null {
  if (aliases === undefined) return null;
  if (!id.endsWith("*")) return aliases.names.get(id) ?? null;
  return aliases.prefixes.find(({ prefix }) => `${prefix}*` === id)?.model ?? null;
}

export function writeLimits(limits: Configuration["limits"]): ElementValue {
  const { body_bytes, decision_calls, default_key, models, tags, end_user } = limits;
  return {
    body: `${body_bytes}B`,
    decision_calls,
    default_key: { ...default_key },
    ...(models !== undefined && { models: Object.fromEntries(models.map((each) => [each.models, writeOwn(each)])) }),
    ...(tags !== undefined && { tags: Object.fromEntries(tags.map((each) => [each.tag, writeTagLimit(each)])) }),
    ...(end_user !== undefined && { end_user }),
  };
}

function writeTagLimit({ required, values, ...limits }: GatewayTagLimit): Record<string, unknown> {
  return {
    ...(required && { required }),
    ...writeOwn(limits),
    ...(values.size > 0 && { values: Object.fromEntries([...values].map(([name, own]) => [name, writeOwn(own)])) }),
  };
}

function writeOwn({ rpm, tpm, concurrent, budget }: OwnLimits | RuleLimits): Record<string, unknown> {
  return {
    ...(rpm != null && { rpm }),
    ...(tpm != null && { tpm }),
    ...(concurrent != null && { concurrent }),
    ...(budget != null && { budget: `${formatAmount(budget.amount_micro)}/${budget.window}` }),
  };
}

/** How a vendor of rankings is asked, where that is not by the public shape. */
function dialectOf({ endpoints }: Vendor): { readonly dialect?: string } {
  const dialect = endpoints.find(({ protocol }) => protocol === "rerank")?.dialect;
  return dialect === undefined ? {} : { dialect };
}

/** A vendor without its credential. */
export function writeVendor(vendor: Vendor): Record<string, unknown> {
  const { connect_ms, first_byte_ms, idle_ms, total_ms } = vendor.timeouts;
  const protocols = vendor.endpoints.map(({ protocol }) => protocol);
  return {
    name: vendor.name,
    protocol: protocols,
    base_url: Object.fromEntries(vendor.endpoints.map(({ protocol, base_url }) => [protocol, base_url])),
    ...dialectOf(vendor),
    ...(Object.keys(vendor.headers).length > 0 && { headers: { ...vendor.headers } }),
    timeouts: {
      connect: duration(connect_ms),
      first_byte: duration(first_byte_ms),
      idle: duration(idle_ms),
      total: duration(total_ms),
    },
    ...(vendor.limits !== undefined && { limits: writeVendorLimits(vendor.limits) }),
    on_disconnect: vendor.on_disconnect,
    forwards_safety_identifier: vendor.forwards_safety_identifier,
    shared_state: vendor.shared_state ?? "refuse",
    ...(vendor.issuer !== undefined && { issuer: vendor.issuer }),
  };
}

export function writeVendorLimits({ spend_micro, ...counts }: VendorLimits): Record<string, unknown> {
  return { ...(spend_micro !== undefined && { spend: `${formatAmount(micro(spend_micro))}/day` }), ...counts };
}

const UNITS = [
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;

function duration(ms: number): string {
  const unit = UNITS.find(([, size]) => ms % size === 0);
  return unit === undefined ? `${ms}ms` : `${ms / unit[1]}${unit[0]}`;
}

export function writeModel(model: Model): Record<string, unknown> {
  const { kind, input_modalities, capabilities, decide_with, fallbacks, routes } = model;
  const sees = input_modalities.includes("image");
  return {
    display_name: model.display_name,
    owned_by: model.owned_by,
    created: writeTime(model.created * 1000),
    kind,
    ...(model.context_length !== null && { context_length: model.context_length }),
    ...(model.max_completion_tokens !== null && { max_completion_tokens: model.max_completion_tokens }),
    // Where `vision` and the modalities disagree, the modalities are left out: a file that states both is refused.
    ...(sees === capabilities.vision && { input_modalities: [...input_modalities] }),
    output_modalities: [...model.output_modalities],
    ...(model.completions === true && { completions: true }),
    capabilities: writeCapabilities(model),
    price: writePrices(model.prices, sidesOf(kind), model.markups),
    ...(decide_with === undefined
      ? { routes: routes.map((route) => writeRoute(route, sidesOf(kind))) }
      : { decide_with: writeDecideWith(decide_with) }),
    ...(model.routing !== undefined && { routing: writeRouting(model.routing) }),
    ...(fallbacks.length > 0 && { fallbacks: [...fallbacks] }),
  };
}

function writeRoute(
  { vendor, upstream_model, weight, protocols, cost }: Route,
  sides: ChargedSides,
): Record<string, unknown> {
  return {
    vendor,
    upstream_model,
    weight: String(weight),
    ...(protocols !== undefined && { protocol: [...protocols] }),
    ...(cost !== undefined && { cost: writePrices(cost, sides) }),
  };
}

function writeRouting({ pick, sticky }: RoutingSettings): Record<string, string> {
  return { pick: pick ?? "weight", sticky: sticky === false ? "off" : "on" };
}

function writeCapabilities({ capabilities, thinking_unsaid, mid_system, sampling }: Model): Record<string, unknown> {
  const { streaming, tools, json, vision, thinking, reasoning } = capabilities;
  return {
    ...{ streaming, tools, json, vision },
    ...(thinking_unsaid !== true && { thinking }),
    ...(thinking && { reasoning: structuredClone(reasoning ?? {}) }),
    ...(mid_system !== undefined && { mid_system }),
    sampling: sampling ?? "always",
  };
}

function writeDecideWith({ engine, model, debias, min_label_mass, calibration }: NonNullable<Model["decide_with"]>) {
  return {
    ...{ engine, model, debias },
    min_label_mass: String(min_label_mass),
    ...(calibration !== null && { calibration: writeCalibration(calibration) }),
  };
}

function writeCalibration({ version, temperatures }: NonNullable<NonNullable<Model["decide_with"]>["calibration"]>) {
  const known = Object.entries(temperatures).filter(([, value]) => value !== null);
  return { version, temperatures: Object.fromEntries(known.map(([type, value]) => [type, String(value)])) };
}
