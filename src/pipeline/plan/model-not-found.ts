import { SIMULATOR_ID } from "../../catalog/bundled/simulated-vendor.ts";
import { viewOf } from "../../catalog/names/key-view.ts";
import { suggest } from "../../catalog/reading/suggest.ts";
import { findVendorRow } from "../../catalog/vendors/vendors.ts";
import type { Configuration } from "../../core/catalog/catalog.ts";
import { GatewayError } from "../../core/errors.ts";
import type { KeyRecord } from "../../core/people/principal.ts";

/** The end of the 404 for the first run's demo key, which a user may try with a real model. */
const FOR_SIMULATOR = " This key is for simulated models (sim/…) only: create another key for other models.";

/** Longer names are no misspelled ids, and would take long to compare. */
const LONGEST_MISSPELLED = 64;

/**
 * The 404 for a model: the same whether it does not exist or the key may not use it (docs/rulings.md 17). It suggests only what the key
 * may use, and says which variable to set where nothing but the simulator is configured.
 */
export function modelNotFound(configuration: Configuration, key: KeyRecord, name: string): GatewayError {
  const message = `The model ${JSON.stringify(name.slice(0, 200))} does not exist or you may not use it.`;
  return new GatewayError("model_not_found", `${message}${hintFor(configuration, key, name)}`, { param: "model" });
}

function hintFor(configuration: Configuration, key: KeyRecord, name: string): string {
  const meant = misspelled(configuration, key, name);
  if (meant !== null) return ` Did you mean ${JSON.stringify(meant)}?`;
  if (!name.startsWith(`${SIMULATOR_ID}/`) && isOnlySimulated(configuration))
    return ` Only simulated models (sim/…) are configured: set ${variableFor(name)} and restart the gateway.`;
  return isForSimulator(key) ? FOR_SIMULATOR : "";
}

function misspelled(configuration: Configuration, key: KeyRecord, name: string): string | null {
  if (name.length > LONGEST_MISSPELLED) return null;
  const view = viewOf(key);
  const usable = [...configuration.models.values()].filter(
    (model) => model.unlisted === undefined && view.allows(model),
  );
  return suggest(name, [...usable.map(({ id }) => id), ...view.aliases.keys()].filter(isNearIn(name)));
}

/** Names that differ by more letters in length than a slip of the fingers are not compared. */
function isNearIn({ length }: string): (id: string) => boolean {
  return (id) => Math.abs(id.length - length) <= 2;
}

function isOnlySimulated({ vendors }: Configuration): boolean {
  return [...vendors.keys()].every((id) => id === SIMULATOR_ID);
}

/** The environment variable of the vendor that a model's id begins with. */
function variableFor(name: string): string {
  const [variable] = findVendorRow(name.slice(0, name.indexOf("/")))?.api_key_env ?? [];
  return variable ?? "the API key of a vendor, such as OPENAI_API_KEY,";
}

function isForSimulator({ models }: Pick<KeyRecord, "models">): boolean {
  return models !== null && models.length > 0 && models.every((pattern) => pattern.startsWith("sim/"));
}
