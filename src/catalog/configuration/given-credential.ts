import type { Configuration, Model, Vendor, VendorKey, VendorLimits } from "../../core/catalog/catalog.ts";
import type { Environment } from "../../core/environment.ts";
import { bundledModels } from "../bundled/bundled-models.ts";
import { forDemo, SIMULATOR_ID } from "../bundled/simulated-vendor.ts";
import { VARIABLE } from "../reading/expand-environment.ts";
import { type Credentials, credentialsOfKeys, withCredentials } from "../reading/read-credentials.ts";
import { materialOf, vendorAt } from "../reading/read-vendor.ts";
import { dailyAmount } from "../reading/read-vendor-limits.ts";
import type { VendorRow } from "../vendors/vendor-row.ts";
import { findVendorRow } from "../vendors/vendors.ts";
import { completeModel } from "./complete-model.ts";
import { originsOf } from "./lent-credentials.ts";
import type { LoadedConfiguration } from "./load-configuration.ts";

/** One of several keys as it is stored: with its limits as they were given, since JSON has no large numbers. */
export interface GivenKey extends Omit<VendorKey, "limits"> {
  readonly limits?: GivenLimits;
}

export interface GivenLimits extends Omit<VendorLimits, "spend_micro"> {
  /** An amount a day: `100/day`. */
  readonly spend?: string;
}

/**
 * A vendor's credential from the console: one of the kinds, and the settings that complete the vendor's address.
 */
export interface GivenCredential {
  readonly api_key?: string;
  /** Several, each under its name (docs/rulings.md 180). */
  readonly api_keys?: readonly GivenKey[];
  readonly aws?: {
    readonly access_key_id: string;
    readonly secret_access_key: string;
    readonly session_token?: string | null;
    readonly region: string;
  };
  /** The JSON of the service account's key. */
  readonly google_service_account?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * The servers that the vendor's requests went to when the credential was given. For a vendor whose address the console has, it is used
   * with these alone: a person who changes the address must not learn the credential by it (docs/adr/0042).
   */
  readonly origins?: readonly string[];
}

export type GivenCredentials = ReadonlyMap<string, GivenCredential>;

/**
 * The configuration with the console's credentials applied: they win over the file's and the environment's, and enable
 * known vendors that had no credential. The simulator of the first run answers the demo key alone as soon as there is another model
 * (docs/configuration.md "Credentials in the console"). Unusable credentials are left out: `vendorGiven` says why
 * (docs/rulings.md 110).
 */
export function withGivenCredentials(loaded: LoadedConfiguration, given: GivenCredentials): Configuration {
  if (given.size === 0) return loaded.configuration;
  const vendors = new Map(loaded.configuration.vendors);
  const models = new Map(loaded.configuration.models);
  for (const [id, credential] of given) {
    const vendor = vendorGiven(loaded, id, credential);
    if ("problem" in vendor) continue;
    if (!vendors.has(id)) for (const model of modelsOf(id)) if (!isKept(loaded, model)) models.set(model.id, model);
    vendors.set(id, vendor);
  }
  if (isFirstRun(loaded) && models.size > loaded.configuration.models.size) {
    for (const [id, model] of forDemo(loaded.configuration.models)) models.set(id, model);
  }
  return { ...loaded.configuration, vendors, models };
}

/** Whether the configuration itself says how a model is offered or retired. */
function isKept({ configuration: { models, retired }, withheld }: LoadedConfiguration, { id }: Model): boolean {
  return models.has(id) || retired?.has(id) === true || withheld.has(id);
}

/** Whether no model is configured, so that the simulator's are the only ones. */
function isFirstRun({ configuration: { vendors, models }, named }: LoadedConfiguration): boolean {
  if (!vendors.has(SIMULATOR_ID) || named.has(SIMULATOR_ID)) return false;
  return models.values().every(({ routes }) => routes.every(({ vendor }) => vendor === SIMULATOR_ID));
}

/** The bundled catalogue's models of a vendor. */
export function modelsOf(vendor_id: string): Model[] {
  return [...bundledModels(vendor_id)].map(([id, draft]) => completeModel(id, draft, null));
}

/** The vendor with the given credential, or a sentence for people that says why the credential cannot be used. */
export function vendorGiven(
  { configuration, catalog, named, env, laid }: LoadedConfiguration,
  id: string,
  given: GivenCredential,
): Vendor | { readonly problem: string } {
  const row = findVendorRow(id);
  const credentials = credentialsOf(given);
  const known = configuration.vendors.get(id);
  if (known !== undefined && (row === null || named.has(id))) {
    if (id === SIMULATOR_ID) return { problem: "The simulator takes no credential." };
    const foreign = foreignOf(known, given.origins ?? laid.get(id) ?? null);
    if (laid.has(id) && foreign !== null) {
      return { problem: `It was given for another server: the vendor's requests go to ${foreign} now. Set it again.` };
    }
    const endpoints = withCredentials(known.endpoints, credentials);
    const { aws: _replaced, api_keys: _keys, ...rest } = known;
    return { ...rest, ...materialOf(credentials), endpoints };
  }
  if (row === null) return { problem: `There is no vendor '${id}' any more: neither the file nor Camino knows it.` };
  if (known === undefined && catalog === "none") {
    return { problem: "The configuration offers only what its file names (catalog: none); name the vendor there." };
  }
  return vendorOfRowGiven(row, credentials, settingsFrom(row, given, env));
}

/** The first server of a vendor's that is not among these; null where all are. */
function foreignOf(vendor: Vendor, origins: readonly string[] | null): string | null {
  return originsOf(vendor).find((origin) => origins?.includes(origin) !== true) ?? null;
}

function vendorOfRowGiven(
  row: VendorRow,
  credentials: Credentials,
  env: Environment,
): Vendor | { readonly problem: string } {
  if (row.server_env !== undefined && !env[row.server_env]) {
    return {
      problem: `${row.name} is a server of yours: say first where it listens, as the address of the vendor ${row.id}.`,
    };
  }
  const vendor = vendorAt(row, credentials, env);
  return "missing" in vendor ? { problem: `${row.name} also needs ${vendor.missing}.` } : vendor;
}

/** A row's settings: the names of the environment variables in its addresses. */
export function settingNames(row: VendorRow): string[] {
  const names = row.endpoints.flatMap(({ base_url }) => [...base_url.matchAll(VARIABLE)].map(([, name = ""]) => name));
  return [...new Set(names)];
}

/**
 * The environment with the settings that were given with the credential, such as the region of AWS credentials. A
 * setting can fill in only a variable of a known vendor's own address; it cannot send the credential to another host.
 */
function settingsFrom(row: VendorRow, { aws, settings }: GivenCredential, env: Environment): Environment {
  const given = { ...(aws === undefined ? {} : { AWS_REGION: aws.region }), ...settings };
  const names = settingNames(row);
  return { ...env, ...Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name))) };
}

function keyOf({ limits, ...key }: GivenKey): VendorKey {
  if (limits === undefined) return key;
  const { spend, ...counts } = limits;
  const spend_micro = spend === undefined ? null : dailyAmount(spend);
  const known = { ...counts, ...(spend_micro !== null && { spend_micro }) };
  return Object.keys(known).length === 0 ? key : { ...key, limits: known };
}

function credentialsOf({ api_key, api_keys, aws, google_service_account }: GivenCredential): Credentials {
  if (api_keys !== undefined) return credentialsOfKeys(api_keys.map(keyOf));
  if (aws !== undefined) {
    return { api_key: null, aws: { ...aws, session_token: aws.session_token ?? null }, travels: "sigv4" };
  }
  if (google_service_account !== undefined)
    return { api_key: google_service_account, travels: "google-service-account" };
  return { api_key: api_key ?? null };
}
