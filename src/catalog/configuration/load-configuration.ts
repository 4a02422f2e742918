import type { Configuration, Model, Vendor } from "../../core/catalog.ts";
import { BUNDLED_CURRENCY, bundledModels } from "../bundled/bundled-models.ts";
import { checkReferences } from "./check-references.ts";
import { completeModel } from "./complete-model.ts";
import { type CredentialOrigin, originInFile } from "./credential-origin.ts";
import { withFollowedPrices } from "./follow-upstream.ts";
import { isModelId, isVendorId, MODEL_ID_RULE, VENDOR_ID_RULE, vendorOf } from "../names/model-id.ts";
import { type Environment, openDocument, type Place, report } from "./place.ts";
import { ConfigurationError } from "./problem.ts";
import { readConsole } from "./read-console.ts";
import { readEntries, readFields } from "./read-fields.ts";
import { readLimits } from "./read-limits.ts";
import { type ModelDraft, readModel } from "./read-model.ts";
import { readOneOf, readText } from "./read-scalar.ts";
import { readOperations } from "./read-operations.ts";
import { readResponses } from "./read-responses.ts";
import { readUpkeep } from "./read-upkeep.ts";
import { readVendor } from "./read-vendor.ts";
import { SIMULATOR_ID, type Simulator, simulatedModels, simulatorRow } from "../vendors/simulated-vendor.ts";
import { VendorDirectory } from "../vendors/vendor-directory.ts";
import { findVendorRow } from "../vendors/vendors.ts";

export interface ConfigurationInput {
  /** The configuration file's text; null when there is none. */
  readonly file_text: string | null;
  /** How messages call the file. */
  readonly file_name: string;
  readonly env: Environment;
  /** The built-in simulator, when it runs: a file may then name the vendor `sim` without an address. */
  readonly simulator?: Simulator;
}

/**
 * A configuration, and the origin of its parts, so that the console can apply credentials and show where others come
 * from.
 */
export interface LoadedConfiguration {
  readonly configuration: Configuration;
  /** `none`: only the models that the file names are offered. */
  readonly catalog: "bundled" | "none";
  /** The environment that the configuration was loaded with. */
  readonly env: Environment;
  /** The vendors that the file names, each with the origin of its credential. */
  readonly named: ReadonlyMap<string, CredentialOrigin>;
  /** The models whose price is in the file. */
  readonly priced: ReadonlySet<string>;
}

/**
 * Reads the configuration file and completes it from the vendor table, the bundled catalogue and the environment.
 * Throws a ConfigurationError that lists every problem of the file at once.
 */
export function loadConfiguration(input: ConfigurationInput): Configuration {
  return loadWithOrigins(input).configuration;
}

/** Like `loadConfiguration`, with the origin of credentials and prices. */
export function loadWithOrigins(input: ConfigurationInput): LoadedConfiguration {
  const { source, root } = openDocument(input.file_text ?? "", input.file_name, input.env);
  const loaded = root === null ? null : readDocument(root, input);
  if (loaded === null || source.problems.length > 0) throw new ConfigurationError(source.problems);
  return loaded;
}

function readDocument(root: Place, input: ConfigurationInput): LoadedConfiguration | null {
  const fields = readFields(root, [
    "currency",
    "catalog",
    "vendors",
    "models",
    "limits",
    "responses",
    "retention",
    "audit",
    "console",
    "operations",
  ]);
  if (fields === null) return null;
  const currency = readCurrency(fields.get("currency"));
  const catalog = readCatalog(fields.get("catalog"), currency);
  const vendors = new VendorDirectory(readVendors(fields.get("vendors"), input), catalog, input.env);
  const drafts = readModels(fields.get("models"), currency);
  const models = new Map(drafts.map(({ model }) => [model.id, model]));
  for (const model of offeredModels(vendors, input.simulator)) if (!models.has(model.id)) models.set(model.id, model);
  for (const { model, draft } of drafts) checkReferences(model, draft, models, vendors);
  const console_settings = readConsole(fields.get("console"));
  const operations = readOperations(fields.get("operations"));
  return {
    configuration: {
      currency,
      vendors: vendors.used(models.values()),
      models,
      limits: readLimits(fields.get("limits")),
      responses: readResponses(fields.get("responses")),
      upkeep: readUpkeep(fields.get("audit"), fields.get("retention")),
      ...(console_settings === null ? {} : { console: console_settings }),
      ...(operations === null ? {} : { operations }),
    },
    catalog,
    env: input.env,
    named: originsOf(fields.get("vendors"), input.env),
    priced: new Set(drafts.flatMap(({ model, draft }) => (draft.prices === null ? [] : [model.id]))),
  };
}

function originsOf(place: Place | null, env: Environment): Map<string, CredentialOrigin> {
  const vendors = place === null ? [] : (readEntries(place, "a map of vendors") ?? []);
  return new Map(vendors.map(([id, inside]) => [id, originInFile(inside, findVendorRow(id), env)]));
}

function readCurrency(place: Place | null): string {
  const allowed = "the code of a currency (ISO 4217), such as USD";
  const text = readText(place, allowed);
  if (place === null || text === null) return BUNDLED_CURRENCY;
  if (!Intl.supportedValuesOf("currency").includes(text)) report(place, allowed);
  return text;
}

/** Prices cannot be converted, so with another currency than the bundled one, the bundled catalogue is not offered. */
function readCatalog(place: Place | null, currency: string): "bundled" | "none" {
  const stated = readOneOf(place, ["bundled", "none"]);
  if (stated === null) return currency === BUNDLED_CURRENCY ? "bundled" : "none";
  if (place !== null && stated === "bundled" && currency !== BUNDLED_CURRENCY) {
    report(
      place,
      "none, with every price in this file",
      `bundled, whose prices are in ${BUNDLED_CURRENCY} and not in ${currency}`,
    );
  }
  return stated;
}

function readVendors(place: Place | null, { simulator }: ConfigurationInput): Map<string, Vendor | null> {
  const vendors = new Map<string, Vendor | null>();
  for (const [id, inside] of place === null ? [] : (readEntries(place, "a map of vendors") ?? [])) {
    if (!isVendorId(id)) report(inside, VENDOR_ID_RULE, JSON.stringify(id));
    const row = id === SIMULATOR_ID && simulator !== undefined ? simulatorRow(simulator.base_url) : findVendorRow(id);
    vendors.set(id, readVendor(inside, id, row));
  }
  return vendors;
}

function readModels(place: Place | null, currency: string): { model: Model; draft: ModelDraft }[] {
  const drafts: { model: Model; draft: ModelDraft }[] = [];
  for (const [id, inside] of place === null ? [] : (readEntries(place, "a map of models") ?? [])) {
    if (!isModelId(id)) report(inside, MODEL_ID_RULE, JSON.stringify(id));
    const bundled = bundledModels(vendorOf(id)).get(id) ?? null;
    const known = bundled === null || currency === BUNDLED_CURRENCY ? bundled : { ...bundled, prices: null };
    const draft = readModel(inside, known);
    if (draft === null || !isModelId(id)) continue;
    drafts.push({ model: withFollowedPrices(completeModel(id, draft, known), draft, { currency }), draft });
  }
  return drafts;
}

/** The models that are offered without being named in the file: the bundled catalogue's and the simulator's. */
function* offeredModels(vendors: VendorDirectory, simulator: Simulator | undefined): Generator<Model> {
  for (const vendor_id of vendors.enabledByCatalog()) {
    for (const [id, draft] of bundledModels(vendor_id)) yield completeModel(id, draft, null);
  }
  if (simulator !== undefined && vendors.isNamed(SIMULATOR_ID)) yield* simulatedModels(simulator.models);
}

/** Whether a configuration file asks for the built-in simulator: it names the vendor `sim` without an address. */
export function asksForSimulator(file_text: string): boolean {
  const { root } = openDocument(file_text, "", {});
  const vendors = root === null ? null : (new Map(readEntries(root, "") ?? []).get("vendors") ?? null);
  const simulator = vendors === null ? undefined : new Map(readEntries(vendors, "") ?? []).get(SIMULATOR_ID);
  return simulator !== undefined && !(readEntries(simulator, "") ?? []).some(([key]) => key === "base_url");
}
