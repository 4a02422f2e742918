import type { Configuration, Vendor, VendorKey, VendorLimits } from "../../core/catalog/catalog.ts";
import { isObject, jsonOrNull } from "../../core/json.ts";
import { SIMULATOR_ID } from "../bundled/simulated-vendor.ts";
import { DEFAULT_TIMEOUTS } from "../reading/vendor-defaults.ts";
import type { VendorRow } from "../vendors/vendor-row.ts";
import { findVendorRow, VENDOR_ROWS } from "../vendors/vendors.ts";
import { type CredentialOrigin, NOWHERE, originInEnvironment } from "./credential-origin.ts";
import { type GivenCredentials, settingNames, vendorGiven } from "./given-credential.ts";
import type { LoadedConfiguration } from "./load-configuration.ts";

export type CredentialKind = "api_key" | "aws" | "google_service_account";

/** One of several credentials, without the secret. */
export interface CredentialKey {
  readonly name: string;
  readonly hint: string | null;
  readonly weight: number;
  readonly limits?: VendorLimits;
}

/** How a vendor stands with this gateway, for administrators: never its credential. */
export interface VendorStatus {
  readonly id: string;
  readonly name: string;
  readonly row: VendorRow | null;
  /** The vendor as requests use it; null when no request can go to it. */
  readonly vendor: Vendor | null;
  readonly status: "enabled" | "not_configured" | "not_offered";
  readonly enabled_by: "environment" | "file" | "console" | "simulator" | null;
  readonly credential: {
    readonly source: "environment" | "file" | "console" | null;
    readonly kind: CredentialKind | null;
    readonly variable: string | null;
    readonly hint: string | null;
    /** Several credentials, in their order, without the secrets; empty where the vendor has one or none. */
    readonly keys: readonly CredentialKey[];
    readonly needed: "yes" | "optional" | "no";
    readonly kinds: readonly CredentialKind[];
    readonly variables: readonly string[];
    /** The origin of the credential if the console gave none. */
    readonly otherwise: CredentialOrigin;
  };
  /** Settings or variables that the vendor lacks, other than its credential. */
  readonly missing: readonly string[];
  readonly settings: readonly { readonly name: string; readonly value: string | null }[];
}

/** The sources of a vendor's status: the loaded configuration, the console's credentials, and the configuration from both. */
export interface VendorSources {
  readonly loaded: LoadedConfiguration;
  readonly given: GivenCredentials;
  /** The vendors for which a credential is stored, even one that cannot be read. */
  readonly stored: ReadonlySet<string>;
  readonly current: Configuration;
}

/**
 * Every vendor that is configured, that Camino knows, or that still has a stored credential; configured vendors first.
 */
export function vendorStatuses(sources: VendorSources): VendorStatus[] {
  const { current, stored } = sources;
  const ids = new Set([...current.vendors.keys(), ...VENDOR_ROWS.map(({ id }) => id), ...stored]);
  return [...ids].flatMap((id) => vendorStatus(sources, id) ?? []);
}

/** The status of one vendor; null when it is neither configured nor known, nor has a stored credential. */
export function vendorStatus(sources: VendorSources, id: string): VendorStatus | null {
  const { loaded, given, current } = sources;
  const row = findVendorRow(id);
  const vendor = current.vendors.get(id) ?? null;
  if (row === null && vendor === null && !sources.stored.has(id)) return null;
  const named = loaded.named.get(id);
  const otherwise = named ?? (row === null ? NOWHERE : originInEnvironment(row, loaded.env));
  const used_given = isUsed(loaded, given, id);
  const origin = used_given ? { source: "console" as const, variable: null } : otherwise;
  const has = vendor !== null && (vendor.api_key !== null || vendor.aws !== undefined);
  return {
    id,
    name: vendor?.name ?? row?.name ?? id,
    row,
    vendor,
    status: vendor !== null ? "enabled" : isOffered(row, loaded) ? "not_configured" : "not_offered",
    enabled_by: vendor === null ? null : enabledBy(id, named !== undefined, loaded, used_given),
    credential: {
      source: has ? origin.source : null,
      variable: has ? origin.variable : null,
      kind: has ? kindOf(vendor) : null,
      hint: has ? hintOf(vendor) : null,
      keys: (vendor?.api_keys ?? []).map((key) => keyOf(vendor, key)),
      needed: neededBy(id, row, named !== undefined),
      kinds: kindsOf(id, vendor, row),
      variables: row === null ? [] : variablesOf(row),
      otherwise,
    },
    missing: vendor !== null || row === null ? [] : missingFor(row, loaded),
    settings: row === null ? [] : settingsOf(row, sources),
  };
}

function isOffered(row: VendorRow | null, { catalog }: LoadedConfiguration): boolean {
  return row !== null && catalog === "bundled";
}

/** The timeouts of a vendor, or the timeouts that it would have once it is enabled. */
export function timeoutsOf({ vendor }: VendorStatus): Vendor["timeouts"] {
  return vendor?.timeouts ?? DEFAULT_TIMEOUTS;
}

function isUsed(loaded: LoadedConfiguration, given: GivenCredentials, id: string): boolean {
  const credential = given.get(id);
  return credential !== undefined && !("problem" in vendorGiven(loaded, id, credential));
}

function enabledBy(id: string, is_named: boolean, loaded: LoadedConfiguration, used_given: boolean) {
  if (loaded.laid.has(id)) return "console";
  if (is_named) return "file";
  if (id === SIMULATOR_ID) return "simulator";
  return used_given && !loaded.configuration.vendors.has(id) ? "console" : "environment";
}

function neededBy(id: string, row: VendorRow | null, is_named: boolean): "yes" | "optional" | "no" {
  if (id === SIMULATOR_ID) return "no";
  if (row === null || is_named || row.server_env !== undefined) return "optional";
  return "yes";
}

function kindsOf(id: string, vendor: Vendor | null, row: VendorRow | null): CredentialKind[] {
  if (id === SIMULATOR_ID) return [];
  const travels = new Set((vendor ?? row)?.endpoints.map(({ credential }) => credential));
  if (travels.has("google-service-account")) return ["google_service_account"];
  return row?.signs === "aws" || travels.has("sigv4") ? ["aws", "api_key"] : ["api_key"];
}

function kindOf({ api_key, endpoints }: Vendor): CredentialKind {
  if (api_key === null) return "aws";
  return endpoints.some(({ credential }) => credential === "google-service-account")
    ? "google_service_account"
    : "api_key";
}

function variablesOf({ api_key_env, signs }: VendorRow): string[] {
  return signs === "aws" ? [...api_key_env, "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] : [...api_key_env];
}

/**
 * The variables that a vendor lacks besides its credential: a local server's address, parts of a hosted vendor's
 * address.
 */
function missingFor(row: VendorRow, { env }: LoadedConfiguration): string[] {
  const names = row.server_env === undefined ? settingNames(row) : [row.server_env];
  return names.filter((name) => !env[name]);
}

function settingsOf(row: VendorRow, { loaded, given }: VendorSources) {
  const stored = given.get(row.id);
  return settingNames(row).map((name) => {
    const own = stored?.settings?.[name] ?? (name === "AWS_REGION" ? stored?.aws?.region : undefined);
    return { name, value: own ?? loaded.env[name] ?? null };
  });
}

const HINT_LENGTH = 4;
/** Shorter credentials get no hint: four characters would reveal too much of them. */
const SHORTEST_HINTED = 12;

/** The last characters of the key, key id or service account's key id, by which people recognise a credential. */
function hintOf({ api_key, aws, endpoints }: Pick<Vendor, "api_key" | "aws" | "endpoints">): string | null {
  if (aws !== undefined) return lastOf(aws.access_key_id);
  if (api_key === null) return null;
  const is_account = endpoints.some(({ credential }) => credential === "google-service-account");
  return is_account ? lastOf(privateKeyId(api_key)) : lastOf(api_key);
}

function keyOf(vendor: Pick<Vendor, "endpoints"> | null, { name, api_key, weight, limits }: VendorKey): CredentialKey {
  const hint = vendor === null ? null : hintOf({ ...vendor, api_key });
  return limits === undefined ? { name, hint, weight } : { name, hint, weight, limits };
}

function lastOf(text: string): string | null {
  return text.length < SHORTEST_HINTED ? null : text.slice(-HINT_LENGTH);
}

/** The id of a service account's key; empty when the account is a path or not JSON. */
function privateKeyId(json_or_path: string): string {
  const key = jsonOrNull(json_or_path);
  return isObject(key) && typeof key.private_key_id === "string" ? key.private_key_id : "";
}
