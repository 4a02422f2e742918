import type { Model, Route } from "../../core/catalog/catalog.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { type NamedAt, report, type YamlPlace } from "../reading/place.ts";
import type { ModelDraft } from "../reading/read-model.ts";
import { hintFor } from "../reading/suggest.ts";
import { ASKED_IN } from "../vendors/asked-in.ts";
import type { VendorDirectory } from "./vendor-directory.ts";

export interface KnownModels {
  readonly offered: ReadonlyMap<string, Model>;
  readonly retired: ReadonlyMap<string, Model>;
  /** Models that are left out for the time being. */
  readonly withheld: ReadonlySet<string>;
}

/**
 * Checks that everything that a model of the file refers to exists and fits: route vendors, fallbacks, `decide_with`.
 */
export function checkReferences(model: Model, draft: ModelDraft, models: KnownModels, vendors: VendorDirectory): void {
  if (draft.decide_with !== null) checkDecideWith(model, draft, draft.decide_with.model, models);
  for (const [index, route] of model.routes.entries()) {
    checkRoute(model, route, { place: draft.routes?.[index]?.vendor.place ?? draft.place, vendors });
  }
  checkFallbacks(model, draft.fallbacks ?? [], models);
}

function checkRoute(model: Model, route: Route, at: { place: YamlPlace; vendors: VendorDirectory }): void {
  const { place, vendors } = at;
  const vendor = vendors.find(route.vendor);
  const name = JSON.stringify(route.vendor);
  if (vendor === "reported") return;
  if (vendor === null) {
    const ids = vendors.ids();
    const allowed = `a vendor of this file, or a known one that is enabled${ids.length > 0 ? `: ${ids.join(", ")}` : ""}`;
    report(place, allowed, `the unknown vendor ${name}${hintFor(route.vendor, ids)}`);
  } else if ("missing" in vendor) {
    const allowed = `an enabled vendor: set ${vendor.missing} in the environment, or name it under vendors`;
    report(place, allowed, `the vendor ${name}, which is not enabled`);
  } else checkProtocols(model, route, { place, spoken: vendor.endpoints.map(({ protocol }) => protocol) });
}

/** A model needs a vendor that can be asked for what models of its kind do. */
function checkProtocols(model: Model, route: Route, at: { place: YamlPlace; spoken: readonly Protocol[] }): void {
  const { place, spoken } = at;
  const unspoken = route.protocols?.filter((protocol) => !spoken.includes(protocol)) ?? [];
  if (unspoken.length > 0) return void report(place, spoken.join(", "), `the protocol ${unspoken.join(", ")}`);
  const { protocols, allowed } = ASKED_IN[model.kind];
  if ((route.protocols ?? spoken).some((protocol) => protocols.has(protocol))) return;
  report(place, allowed, `the vendor ${JSON.stringify(route.vendor)}, which speaks ${spoken.join(", ")}`);
}

function checkDecideWith(model: Model, draft: ModelDraft, named: NamedAt, models: KnownModels): void {
  if (model.kind !== "decision")
    report(named.place, "decide_with only on models of kind decision", `a model of kind ${model.kind}`);
  if (draft.routes !== null || draft.upstream_model !== null) {
    report(named.place, "decide_with or a route to a vendor, not both", "both");
  }
  const target = models.offered.get(named.name);
  if (target === undefined) {
    const found = `${JSON.stringify(named.name)}, which ${models.retired.has(named.name) ? "is retired" : "is left out"}`;
    if (models.retired.has(named.name) || models.withheld.has(named.name)) report(named.place, "a model in use", found);
    else reportUnknownModel(named, models);
  } else if (target.kind !== "chat")
    report(named.place, "a chat model", `${JSON.stringify(named.name)}, a ${target.kind} model`);
}

/** A fallback that is retired, or left out, is passed over: retiring a model does not make others wrong. */
function checkFallbacks(model: Model, fallbacks: readonly NamedAt[], models: KnownModels): void {
  for (const [index, fallback] of fallbacks.entries()) {
    const { name, place } = fallback;
    const target = models.offered.get(name) ?? models.retired.get(name);
    if (name === model.id) report(place, "another model", "the model itself");
    else if (models.withheld.has(name)) continue;
    else if (target === undefined) reportUnknownModel(fallback, models);
    else if (target.kind !== model.kind)
      report(place, `a ${model.kind} model`, `${JSON.stringify(name)}, a ${target.kind} model`);
    else if (fallbacks.findIndex((other) => other.name === name) < index)
      report(place, "each model once", `${JSON.stringify(name)} a second time`);
  }
}

function reportUnknownModel({ name, place }: NamedAt, { offered }: KnownModels): void {
  const found = `the unknown model ${JSON.stringify(name)}${hintFor(name, [...offered.keys()])}`;
  report(place, "the id of a model in this file or the enabled catalog", found);
}
