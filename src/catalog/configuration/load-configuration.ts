import type { Configuration, Model, Vendor } from "../../core/catalog/catalog.ts";
import type { CellSettings } from "../../core/catalog/cell-settings.ts";
import type { Environment } from "../../core/environment.ts";
import { withoutNulls } from "../../core/given.ts";
import { BUNDLED_CURRENCY, bundledModels } from "../bundled/bundled-models.ts";
import { SIMULATOR_ID, type Simulator, simulatedModels, simulatorRow } from "../bundled/simulated-vendor.ts";
import { isModelId, isVendorId, MODEL_ID_RULE, VENDOR_ID_RULE, vendorOf } from "../names/model-id.ts";
import { openDocument, report, type YamlPlace } from "../reading/place.ts";
import { ConfigurationError, type Problem } from "../reading/problem.ts";
import { readAlerts } from "../reading/read-alerts.ts";
import { readAliases } from "../reading/read-aliases.ts";
import { readCache } from "../reading/read-cache.ts";
import { readCells } from "../reading/read-cells.ts";
import { readConsole } from "../reading/read-console.ts";
import { readContentLog } from "../reading/read-content-log.ts";
import { readEntries, readFields } from "../reading/read-fields.ts";
import { readHooks } from "../reading/read-hooks.ts";
import { readLimits } from "../reading/read-limits.ts";
import { readMail } from "../reading/read-mail.ts";
import { type ModelDraft, readModel } from "../reading/read-model.ts";
import { readResponses } from "../reading/read-responses.ts";
import { readOneOf, readText } from "../reading/read-scalar.ts";
import { readTelemetry } from "../reading/read-telemetry.ts";
import { readUsageEvents } from "../reading/read-usage-events.ts";
import { readVendor, vendorAt, vendorOfEnvironment } from "../reading/read-vendor.ts";
import type { VendorRow } from "../vendors/vendor-row.ts";
import { findVendorRow } from "../vendors/vendors.ts";
import { checkReferences } from "./check-references.ts";
import { completeModel } from "./complete-model.ts";
import { type CredentialOrigin, NOWHERE, originInEnvironment, originInFile } from "./credential-origin.ts";
import type { ElementLayer } from "./element-layer.ts";
import { withFollowedPrices } from "./follow-upstream.ts";
import { originsOf, staysWithin, withLentCredentials } from "./lent-credentials.ts";
import {
  readAnswers,
  readClients,
  readCors,
  readDecisions,
  readMessages,
  readOperations,
  readUpkeep,
} from "./read-sections.ts";
import { VendorDirectory } from "./vendor-directory.ts";

export interface ConfigurationInput {
  /** The configuration file's text; null when there is none. */
  readonly file_text: string | null;
  /** How messages call the file. */
  readonly file_name: string;
  readonly env: Environment;
  /** The built-in simulator, when it runs: a file may then name the vendor `sim` without an address. */
  readonly simulator?: Simulator;
  /** The simulator of a first run, whose models are added to what was read: aliases may lead to them. */
  readonly demo?: Simulator;
  /** The elements of the database, which are laid over the file; absent: there are none. */
  readonly elements?: ElementLayer;
}

/**
 * A configuration, and the origin of its parts, so that the console can apply credentials and show where others come
 * from.
 */
export interface LoadedConfiguration {
  readonly configuration: Configuration;
  /** `none`: only the models that the file names are offered. */
  readonly catalog: "bundled" | "none";
  readonly env: Environment;
  /** The vendors that the file or the database names, each with the origin of its credential. */
  readonly named: ReadonlyMap<string, CredentialOrigin>;
  /** The models whose price is in the file or the database. */
  readonly priced: ReadonlySet<string>;
  /** The vendors of the database, each with the servers to which credentials may go that were not given for its own address. */
  readonly laid: ReadonlyMap<string, readonly string[]>;
  /** Models that nothing may bring back: the database's element counts, and cannot be used. */
  readonly withheld: ReadonlySet<string>;
  /** The input of the configuration, which can be read again with other elements of the database. */
  readonly input: ConfigurationInput;
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
  const { loaded, problems } = tryLoad(input);
  if (loaded === null || problems.length > 0) throw new ConfigurationError(problems);
  return loaded;
}

/** Reads a configuration with its problems: those of the file. The problems of elements are those of their places' sources. */
export function tryLoad(input: ConfigurationInput): {
  readonly loaded: LoadedConfiguration | null;
  readonly problems: readonly Problem[];
} {
  const { source, root } = openDocument(input.file_text ?? "", input.file_name, input.env);
  const loaded = root === null ? null : readDocument(root, input);
  return { loaded, problems: source.problems };
}

/** The section `cells` alone, for commands that open the databases and serve nothing. Throws a ConfigurationError with its problems. */
export function readCellsOf({ file_text, file_name, env }: ConfigurationInput): CellSettings | undefined {
  const { source, root } = openDocument(file_text ?? "", file_name, env);
  const fields = readFields(root, SECTIONS);
  const cells = readCells(fields?.get("cells") ?? null);
  if (source.problems.length > 0) throw new ConfigurationError(source.problems);
  return cells ?? undefined;
}

/** Sections that elements have no part in: an export writes them as the file has them. */
export const KEPT_SECTIONS = [
  ...(["responses", "cache", "answers", "decisions", "cors", "clients", "messages"] as const),
  ...(["retention", "audit", "content_log", "console", "operations", "mail", "telemetry"] as const),
  ...(["alerts", "usage_events", "hooks", "cells"] as const),
] as const;

/** The sections of the file, in the order in which the documentation has them. */
export const SECTIONS = ["currency", "catalog", "vendors", "models", "aliases", "limits", ...KEPT_SECTIONS] as const;

function readDocument(root: YamlPlace, input: ConfigurationInput): LoadedConfiguration | null {
  const fields = readFields(root, SECTIONS);
  if (fields === null) return null;
  const { elements = NO_ELEMENTS } = input;
  const currency = readCurrency(fields.get("currency"));
  const catalog = readCatalog(fields.get("catalog"), currency);
  const read = readVendors(fields.get("vendors"), input);
  const vendors = new VendorDirectory(read.vendors, catalog, input.env, elements.credentialed);
  const drafts = readModels(fields.get("models"), currency, elements);
  const catalogue = catalogueOf(drafts, offeredModels(vendors, input.simulator), elements.withheld);
  const known = { ...catalogue, withheld: elements.withheld };
  for (const { model, draft } of drafts) if (!draft.retired) checkReferences(model, draft, known, vendors);
  const targets = { ...known, offered: withSimulated(catalogue.offered, input.demo) };
  const aliases = readAliases(entriesOf(fields.get("aliases"), elements.aliases), targets);
  const console_settings = readConsole(fields.get("console"));
  const mail = readMail(root, fields.get("mail"), console_settings);
  return {
    configuration: {
      currency,
      vendors: vendors.used(catalogue.offered.values()),
      models: catalogue.offered,
      ...(catalogue.retired.size === 0 ? {} : { retired: catalogue.retired }),
      limits: readLimits(elements.limits ?? fields.get("limits")),
      responses: readResponses(fields.get("responses")),
      upkeep: readUpkeep(fields.get("audit"), fields.get("retention")),
      ...withoutNulls({
        aliases,
        console: console_settings,
        mail,
        operations: readOperations(fields.get("operations")),
        hooks: readHooks(fields.get("hooks")),
        telemetry: readTelemetry(root, fields.get("telemetry")),
        alerts: readAlerts(fields.get("alerts"), mail),
        usage_events: readUsageEvents(fields.get("usage_events")),
        answers: readAnswers(fields.get("answers")),
        cache: readCache(fields.get("cache")),
        content_log: readContentLog(fields.get("content_log")),
        decisions: readDecisions(fields.get("decisions")),
        cors: readCors(fields.get("cors")),
        clients: readClients(fields.get("clients")),
        cells: readCells(fields.get("cells")),
        messages: readMessages(fields.get("messages")),
      }),
    },
    ...{ catalog, env: input.env, input, laid: read.laid, withheld: elements.withheld },
    named: originsIn(fields.get("vendors"), read.own, input.env),
    priced: new Set(drafts.flatMap(({ model, draft }) => (draft.prices === null ? [] : [model.id]))),
  };
}

/** The offered and the retired models: those that the file or the database names, and those of the bundled catalogue and the simulator (`unnamed`). */
function catalogueOf(
  drafts: readonly { readonly model: Model; readonly draft: ModelDraft }[],
  unnamed: Iterable<Model>,
  withheld: ReadonlySet<string>,
) {
  const offered = new Map<string, Model>();
  const retired = new Map<string, Model>();
  for (const { model, draft } of drafts) (draft.retired ? retired : offered).set(model.id, model);
  for (const model of unnamed) {
    if (!offered.has(model.id) && !retired.has(model.id) && !withheld.has(model.id)) offered.set(model.id, model);
  }
  return { offered, retired };
}

function withSimulated(offered: ReadonlyMap<string, Model>, demo: Simulator | undefined): ReadonlyMap<string, Model> {
  if (demo === undefined) return offered;
  return new Map([...simulatedModels(demo.models).map((model) => [model.id, model] as const), ...offered]);
}

/** The entries of a section of the file, with those of the database in place of the file's of the same name. */
function entriesOf(place: YamlPlace | null, laid: ReadonlyMap<string, YamlPlace>): Map<string, YamlPlace> {
  const written = readEntries(place, "a map") ?? [];
  return new Map([...written, ...laid]);
}

/** The origin of each named vendor's credential. `own`: the vendors of the database that get none from below. */
function originsIn(place: YamlPlace | null, own: Iterable<readonly [string, "lent" | "none"]>, env: Environment) {
  const vendors = readEntries(place, "a map of vendors") ?? [];
  const origins = new Map(vendors.map(([id, inside]) => [id, originInFile(inside, findVendorRow(id), env)]));
  for (const [id, gets] of own) {
    const row = findVendorRow(id);
    const lent = origins.get(id) ?? (row === null ? NOWHERE : originInEnvironment(row, env));
    origins.set(id, gets === "lent" ? lent : NOWHERE);
  }
  return origins;
}

const NO_ELEMENTS: ElementLayer = {
  vendors: new Map(),
  models: new Map(),
  aliases: new Map(),
  limits: null,
  withheld: new Set(),
  credentialed: new Set(),
};

function readCurrency(place: YamlPlace | null): string {
  const allowed = "the code of a currency (ISO 4217), such as USD";
  const text = readText(place, allowed);
  if (place === null || text === null) return BUNDLED_CURRENCY;
  if (!Intl.supportedValuesOf("currency").includes(text)) report(place, allowed);
  return text;
}

/** Prices cannot be converted, so with another currency than the bundled one, the bundled catalogue is not offered. */
function readCatalog(place: YamlPlace | null, currency: string): "bundled" | "none" {
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

function readVendors(place: YamlPlace | null, { simulator, elements, env }: ConfigurationInput) {
  const vendors = new Map<string, Vendor | null>();
  const laid = new Map<string, readonly string[]>();
  const own = new Map<string, "lent" | "none">();
  const rowOf = (id: string) =>
    id === SIMULATOR_ID && simulator !== undefined ? simulatorRow(simulator.base_url) : findVendorRow(id);
  const entries = readEntries(place, "a map of vendors") ?? [];
  const ids = [...entries.map(([id]) => id), ...(elements?.vendors.keys() ?? [])];
  for (const [id, inside] of entries) {
    if (!isVendorId(id)) report(inside, VENDOR_ID_RULE, JSON.stringify(id));
    vendors.set(id, readVendor(inside, id, rowOf(id), ids));
  }
  for (const [id, inside] of elements?.vendors ?? []) {
    if (!isVendorId(id)) report(inside, VENDOR_ID_RULE, JSON.stringify(id));
    const below = vendors.get(id) ?? ofEnvironment(rowOf(id), env);
    const vendor = readVendor(inside, id, rowOf(id), ids);
    const origins = below === null ? originsOfRow(rowOf(id), env) : originsOf(below);
    laid.set(id, origins);
    own.set(id, vendor !== null && below !== null && staysWithin(vendor, origins) ? "lent" : "none");
    vendors.set(id, vendor === null ? null : withLentCredentials(vendor, below));
  }
  return { vendors, laid, own };
}

/** The servers at which a known vendor is reached where nothing is configured. */
function originsOfRow(row: VendorRow | null, env: Environment): string[] {
  const vendor = row === null ? null : vendorAt(row, { api_key: null }, env);
  return vendor === null || "missing" in vendor ? [] : originsOf(vendor);
}

function ofEnvironment(row: VendorRow | null, env: Environment): Vendor | null {
  const vendor = row === null ? null : vendorOfEnvironment(row, env);
  return vendor === null || "missing" in vendor ? null : vendor;
}

function readModels(place: YamlPlace | null, currency: string, { models, withheld }: ElementLayer) {
  const drafts: { model: Model; draft: ModelDraft }[] = [];
  for (const [id, inside] of entriesOf(place, models)) {
    if (withheld.has(id)) continue;
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
