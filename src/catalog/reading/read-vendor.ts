import {
  RANKING_DIALECTS,
  type RankingDialect,
  type Vendor,
  type VendorEndpoint,
  type VendorTimeouts,
} from "../../core/catalog/catalog.ts";
import { PROTOCOLS, type Protocol } from "../../core/endpoints.ts";
import type { Environment } from "../../core/environment.ts";
import { usualCredential, type VendorRow } from "../vendors/vendor-row.ts";
import { findVendorRow, VENDOR_ROWS } from "../vendors/vendors.ts";
import { addressIn } from "./expand-environment.ts";
import { report, type YamlPlace } from "./place.ts";
import {
  type Credentials,
  credentialsOfEnvironment,
  readCredentials,
  readNoCredentials,
  variablesOf,
  withCredentials,
} from "./read-credentials.ts";
import { isMapping, readEntries, readFields, type YamlFields } from "./read-fields.ts";
import { readHeaders } from "./read-headers.ts";
import { findProtocol, PROTOCOLS_ALLOWED, readProtocols } from "./read-protocols.ts";
import { readBoolean, readDuration, readOneOf, readText } from "./read-scalar.ts";
import { readVendorLimits } from "./read-vendor-limits.ts";
import { hintFor } from "./suggest.ts";
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
export function readVendor(place: YamlPlace, id: string, row: VendorRow | null, ids: readonly string[]): Vendor | null {
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

function readTimeouts(place: YamlPlace | null): VendorTimeouts {
  const fields = readFields(place, ["connect", "first_byte", "idle", "total"]);
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
 * reported, where no vendor has that id.
 */
function readIssuer(place: YamlPlace | null, ids: readonly string[]): string | null {
  const name = readText(place);
  if (place === null || name === null) return null;
  const known = [...VENDOR_ROWS.map(({ id }) => id), ...ids];
  if (known.includes(name)) return findVendorRow(name)?.issuer ?? name;
  const allowed = "the id of the vendor whose signatures these are, a known one or one of this file";
  return report(place, allowed, `the unknown vendor ${JSON.stringify(name)}${hintFor(name, known)}`);
}

type VendorFields = YamlFields<"protocol" | "base_url" | "dialect">;
type UrlFields = YamlFields<Protocol>;

/**
 * Reads a vendor's addresses and protocols: one address for all its protocols, or one for each protocol. Whatever the
 * file leaves out is taken from the vendor's row. Null, with the problems reported, when a protocol has no address.
 */
function readEndpoints(fields: VendorFields, row: VendorRow | null): VendorEndpoint[] | null {
  const base_url = fields.get("base_url");
  const urls = base_url !== null && isMapping(base_url) ? readFields<Protocol>(base_url, PROTOCOLS) : null;
  const protocols = protocolsOf(fields, row, urls);
  if (protocols === null) return null;
  if (urls !== null) reportUnused(urls, protocols);
  const ranking = readDialect(fields, protocols);
  const endpoints: VendorEndpoint[] = [];
  for (const protocol of protocols) {
    const known = row?.endpoints.find((endpoint) => endpoint.protocol === protocol);
    const place = urls === null ? base_url : urls.get(protocol);
    const url = place === null ? usualUrl(fields, urls, { protocol, known, row }) : readBaseUrl(place);
    const credential = known?.credential ?? usualCredential(protocol);
    const dialect = (protocol === "rerank" ? ranking : null) ?? known?.dialect;
    if (url !== null)
      endpoints.push({ protocol, base_url: url, credential, ...(dialect !== undefined && { dialect }) });
  }
  return endpoints.length === protocols.length ? endpoints : null;
}

/** How a vendor of rankings is asked (docs/rulings.md 214); null where nothing is said, or, with the problem reported, where it does not rank. */
function readDialect(fields: VendorFields, protocols: readonly Protocol[]): RankingDialect | null {
  const place = fields.get("dialect");
  if (place === null || protocols.includes("rerank")) return readOneOf(place, RANKING_DIALECTS);
  return report(place, "nothing: only vendors with the protocol rerank have a dialect");
}

/** The address in the vendor's row, with the environment's variables in it. */
function usualUrl(
  fields: VendorFields,
  urls: UrlFields | null,
  { protocol, known, row }: { protocol: Protocol; known: VendorEndpoint | undefined; row: VendorRow | null },
): string | null {
  const allowed = `the address for ${protocol}, such as https://api.acme.example/v1`;
  if (known === undefined || row === null) {
    return urls === null ? fields.reportMissing("base_url", allowed) : urls.reportMissing(protocol, allowed);
  }
  const { env } = fields.place.source;
  const { text, missing } = addressIn(serverUrl(row, known, env), env);
  for (const name of missing) fields.reportMissing("base_url", `an address, or ${name} set in the environment`);
  return missing.length > 0 ? null : text;
}

function protocolsOf(fields: VendorFields, row: VendorRow | null, urls: UrlFields | null): readonly Protocol[] | null {
  const place = fields.get("protocol");
  if (place !== null) return readProtocols(place);
  const addressed = urls === null ? [] : (readEntries(urls.place, "") ?? []);
  const known = addressed.map(([key]) => findProtocol(key)).filter((protocol) => protocol !== undefined);
  if (known.length > 0) return known;
  return row?.endpoints.map(({ protocol }) => protocol) ?? fields.reportMissing("protocol", PROTOCOLS_ALLOWED);
}

function reportUnused(urls: UrlFields, protocols: readonly Protocol[]): void {
  for (const protocol of PROTOCOLS) {
    const place = protocols.includes(protocol) ? null : urls.get(protocol);
    if (place === null) continue;
    report(place, protocols.join(", "), `an address for ${protocol}, which the vendor's protocol does not list`);
  }
}

/** An http(s) address without a trailing slash, so that `/messages` can be appended. */
function readBaseUrl(place: YamlPlace): string | null {
  const allowed = "an http or https address that ends in the version segment, such as https://api.acme.example/v1";
  const text = readText(place, allowed);
  if (text === null) return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return report(place, allowed);
  if (url.username !== "" || url.password !== "")
    return report(place, "an address without credentials: they go into api_key", "an address with credentials");
  if (url.search !== "" || url.hash !== "") return report(place, "an address without ? and #");
  return text.replace(/\/+$/, "");
}
