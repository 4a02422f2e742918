import type { Model } from "../core/catalog.ts";
import type { Protocol } from "../core/endpoints.ts";
import { vendorOf } from "./complete-model.ts";
import { report } from "./place.ts";
import type { ModelDraft, NamedAt } from "./read-model.ts";
import { suggest } from "./suggest.ts";
import type { VendorDirectory } from "./vendor-directory.ts";

const DECISION_PROTOCOLS: ReadonlySet<Protocol> = new Set(["decisions", "systemone"]);

/** Checks that what a model of the file names is there and fits: vendors of its routes, fallbacks, `decide_with`. */
export function checkReferences(
  model: Model,
  draft: ModelDraft,
  models: ReadonlyMap<string, Model>,
  vendors: VendorDirectory,
): void {
  if (draft.decide_with !== null) checkDecideWith(model, draft, draft.decide_with, models);
  else if (draft.routes === null) checkVendor(model, { name: vendorOf(model.id), place: draft.place }, vendors);
  else for (const route of draft.routes) checkVendor(model, route.vendor, vendors);
  checkFallbacks(model, draft.fallbacks ?? [], models);
}

function checkVendor(model: Model, { name, place }: NamedAt, vendors: VendorDirectory): void {
  const vendor = vendors.find(name);
  if (vendor === "reported") return;
  if (vendor === null) {
    const meant = suggest(name, vendors.ids());
    const hint = meant === null ? "" : ` (did you mean ${JSON.stringify(meant)}?)`;
    report(
      place,
      `a vendor of this file or a known one that is enabled: ${vendors.ids().join(", ")}`,
      `the unknown vendor ${JSON.stringify(name)}${hint}`,
    );
  } else if ("missing" in vendor) {
    report(
      place,
      `an enabled vendor: set ${vendor.missing} in the environment, or name it under vendors`,
      `the vendor ${JSON.stringify(name)}, which is not enabled`,
    );
  } else if (
    !vendor.endpoints.some(({ protocol }) => DECISION_PROTOCOLS.has(protocol) === (model.kind === "decision"))
  ) {
    const protocols = vendor.endpoints.map(({ protocol }) => protocol).join(", ");
    const allowed =
      model.kind === "decision"
        ? "a vendor with the protocol decisions or systemone, or decide_with to make decisions of a chat model"
        : "a vendor with a generation protocol, or kind: decision";
    report(place, allowed, `the vendor ${JSON.stringify(name)}, which speaks ${protocols}`);
  }
}

function checkDecideWith(model: Model, draft: ModelDraft, named: NamedAt, models: ReadonlyMap<string, Model>): void {
  if (model.kind !== "decision")
    report(named.place, "decide_with only on models of kind decision", "a model of kind chat");
  if (draft.routes !== null || draft.upstream_model !== null) {
    report(named.place, "decide_with or a route to a vendor, not both", "both");
  }
  const target = models.get(named.name);
  if (target === undefined) reportUnknownModel(named, models);
  else if (target.kind !== "chat")
    report(named.place, "a chat model", `${JSON.stringify(named.name)}, a decision model`);
}

function checkFallbacks(model: Model, fallbacks: readonly NamedAt[], models: ReadonlyMap<string, Model>): void {
  for (const [index, fallback] of fallbacks.entries()) {
    const { name, place } = fallback;
    const target = models.get(name);
    if (name === model.id) report(place, "another model", "the model itself");
    else if (target === undefined) reportUnknownModel(fallback, models);
    else if (target.kind !== model.kind)
      report(place, `a ${model.kind} model`, `${JSON.stringify(name)}, a ${target.kind} model`);
    else if (fallbacks.findIndex((other) => other.name === name) < index)
      report(place, "each model once", `${JSON.stringify(name)} a second time`);
  }
}

function reportUnknownModel({ name, place }: NamedAt, models: ReadonlyMap<string, Model>): void {
  const meant = suggest(name, [...models.keys()]);
  const hint = meant === null ? "" : ` (did you mean ${JSON.stringify(meant)}?)`;
  report(
    place,
    "the id of a model in this file or the enabled catalogue",
    `the unknown model ${JSON.stringify(name)}${hint}`,
  );
}
