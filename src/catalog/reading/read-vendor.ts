import type { Vendor, VendorEndpoint, VendorTimeouts } from "../../core/catalog/catalog.ts";
import type { VendorRow } from "../vendors/vendor-row.ts";
import { findVendorRow, VENDOR_ROWS } from "../vendors/vendors.ts";
import { addressIn } from "./expand-environment.ts";
import { type Environment, type Place, report } from "./place.ts";
import {
  type Credentials,
  credentialsOfEnvironment,
  readCredentials,
  readNoCredentials,
  variablesOf,
  withCredentials,
} from "./read-credentials.ts";
import { readEndpoints } from "./read-endpoints.ts";
import { readFields } from "./read-fields.ts";
import { readHeaders } from "./read-headers.ts";
import { readBoolean, readDuration, readOneOf, readText } from "./read-scalar.ts";
import { readVendorLimits } from "./read-vendor-limits.ts";
import { suggest } from "./suggest.ts";
import { DEFAULT_TIMEOUTS, serverUrl } from "./vendor-defaults.ts";

const KEYS = [
  "name",
  "protocol",
  "base_url",
  "dialect",
  "api_key",
  "api_keys",
  "aws",
  "google_service_account",
  "headers",
  "timeouts",
  "limits",
  "on_disconnect",
  "forwards_safety_identifier",
  "shared_state",
  "issuer",
] as const;

/**
 * Reads a vendor of the configuration file. Fields that the file leaves out are taken from the vendor table, if the id
 * is known there. Null, with the problems reported, when the vendor cannot be used. `ids`: all vendors that are configured.
 */
export function readVendor(place: Place, id: string, row: VendorRow | null, ids: readonly string[]): Vendor | null {
  const fields = readFields(place, KEYS);
  if (fields === null) return null;
  const endpoints = readEndpoints(fields, row);
  const credentials = place.source.layer === "console" ? readNoCredentials(fields) : readCredentials(fields, row);
  const limits = readVendorLimits(fields.get("limits"));
  const issuer = readIssuer(fields.get("issuer"), ids) ?? row?.issuer;
  const vendor = {
    id,
    name: readText(fields.get("name")) ?? row?.name ?? id,
    ...materialOf(credentials),
    headers: readHeaders(fields.get("headers")),
    timeouts: readTimeouts(fields.get("timeouts")),
    ...(limits !== null && { limits }),
    on_disconnect: readOneOf(fields.get("on_disconnect"), ["auto", "abort", "drain"]) ?? "auto",
    forwards_safety_identifier:
      readBoolean(fields.get("forwards_safety_identifier")) ?? row?.forwards_safety_identifier ?? false,
    ...(readOneOf(fields.get("shared_state"), ["refuse", "allow"]) === "allow" && { shared_state: "allow" as const }),
    quirks: row?.quirks ?? {},
    ...(issuer !== undefined && { issuer }),
  };
  return endpoints === null ? null : { ...vendor, endpoints: withCredentials(endpoints, credentials) };
}

/** The members of a vendor that hold its credential. */
export function materialOf({ api_key, api_keys, aws }: Credentials): Pick<Vendor, "api_key" | "api_keys" | "aws"> {
  return { api_key, ...(api_keys !== undefined && { api_keys }), ...(aws !== undefined && { aws }) };
}

function readTimeouts(place: Place | null): VendorTimeouts {
  const fields = place === null ? null : readFields(place, ["connect", "first_byte", "idle", "total"]);
  if (fields === null) return DEFAULT_TIMEOUTS;
  return {
    connect_ms: readDuration(fields.get("connect")) ?? DEFAULT_TIMEOUTS.connect_ms,
    first_byte_ms: readDuration(fields.get("first_byte")) ?? DEFAULT_TIMEOUTS.first_byte_ms,
    idle_ms: readDuration(fields.get("idle")) ?? DEFAULT_TIMEOUTS.idle_ms,
    total_ms: readDuration(fields.get("total")) ?? DEFAULT_TIMEOUTS.total_ms,
  };
}

/** The vendor of a row with the environment's settings, or the variable that the environment lacks. */
export function vendorOfEnvironment(row: VendorRow, env: Environment): Vendor | { readonly missing: string } {
  const credentials = credentialsOfEnvironment(row, env);
  if (row.server_env !== undefined && !env[row.server_env]) return { missing: row.server_env };
  if (row.server_env === undefined && credentials === null) return { missing: variablesOf(row) };
  return vendorAt(row, credentials ?? { api_key: null }, env);
}

/** The vendor of a row at its address in this environment, or the first variable without which there is no address. */
export function vendorAt(
  row: VendorRow,
  credentials: Credentials,
  env: Environment,
): Vendor | { readonly missing: string } {
  const endpoints: VendorEndpoint[] = [];
  for (const endpoint of row.endpoints) {
    const { text, missing } = addressIn(serverUrl(row, endpoint, env), env);
    if (missing[0] !== undefined) return { missing: missing[0] };
    endpoints.push({ ...endpoint, base_url: text });
  }
  return vendorOfRow(row, endpoints, credentials);
}

/** A vendor with all fields from its row. */
export function vendorOfRow(row: VendorRow, endpoints: readonly VendorEndpoint[], credentials: Credentials): Vendor {
  const { id, name, forwards_safety_identifier, quirks, issuer } = row;
  const own = { forwards_safety_identifier, quirks, ...(issuer !== undefined && { issuer }) };
  const rest = { timeouts: DEFAULT_TIMEOUTS, on_disconnect: "auto", ...own } as const;
  const reached = withCredentials(endpoints, credentials);
  return { id, name, endpoints: reached, ...materialOf(credentials), headers: {}, ...rest };
}

/**
 * Whose signatures and encrypted reasoning a vendor gives (docs/rulings.md 192): the id of a known vendor, or of one of
 * `ids`. The issuer of a known vendor's own row counts in its place. Null where nothing is said, or, with the problem
 * reported, where nobody has that id.
 */
function readIssuer(place: Place | null, ids: readonly string[]): string | null {
  const name = readText(place);
  if (place === null || name === null) return null;
  const known = [...VENDOR_ROWS.map(({ id }) => id), ...ids];
  if (known.includes(name)) return findVendorRow(name)?.issuer ?? name;
  const meant = suggest(name, known);
  const hint = meant === null ? "" : ` (did you mean ${JSON.stringify(meant)}?)`;
  const allowed = "the id of the vendor whose signatures these are, a known one or one of this file";
  return report(place, allowed, `the unknown vendor ${JSON.stringify(name)}${hint}`);
}
