import type { Vendor, VendorEndpoint, VendorTimeouts } from "../core/catalog.ts";
import { PROTOCOLS, type Protocol } from "../core/endpoints.ts";
import { expandText } from "./expand-environment.ts";
import { type Environment, type Place, report } from "./place.ts";
import { type Fields, isMapping, readEntries, readFields, reportMissing } from "./read-fields.ts";
import { findProtocol, PROTOCOLS_ALLOWED, readProtocols } from "./read-protocols.ts";
import { readBoolean, readDuration, readOneOf, readText } from "./read-scalar.ts";
import { DEFAULT_TIMEOUTS, findCredential, serverUrl } from "./vendor-defaults.ts";
import { usualCredential, type VendorRow } from "./vendor-row.ts";

const KEYS = [
  "name",
  "protocol",
  "base_url",
  "api_key",
  "headers",
  "timeouts",
  "on_disconnect",
  "forwards_safety_identifier",
] as const;

type VendorFields = Fields<(typeof KEYS)[number]>;

/**
 * Reads a vendor of the configuration file. What it does not say is taken from the row of the vendor table, if the id is
 * a known one. Null, with the problems reported, when it cannot be used.
 */
export function readVendor(place: Place, id: string, row: VendorRow | null): Vendor | null {
  const fields = readFields(place, KEYS);
  if (fields === null) return null;
  const endpoints = readEndpoints(fields, row);
  const api_key = readCredential(fields, row);
  const vendor = {
    id,
    name: readText(fields.get("name")) ?? row?.name ?? id,
    api_key,
    headers: readHeaders(fields.get("headers")),
    timeouts: readTimeouts(fields.get("timeouts")),
    on_disconnect: readOneOf(fields.get("on_disconnect"), ["abort", "drain"]) ?? "abort",
    forwards_safety_identifier:
      readBoolean(fields.get("forwards_safety_identifier")) ?? row?.forwards_safety_identifier ?? false,
    quirks: row?.quirks ?? {},
  };
  return endpoints === null ? null : { ...vendor, endpoints };
}

function readEndpoints(fields: VendorFields, row: VendorRow | null): VendorEndpoint[] | null {
  const base_url = fields.get("base_url");
  const by_protocol = base_url !== null && isMapping(base_url) ? readUrlMap(base_url) : null;
  const one = base_url === null || by_protocol !== null ? null : readBaseUrl(base_url);
  const protocols = protocolsOf(fields, row, by_protocol);
  if (protocols === null || (base_url !== null && by_protocol === null && one === null)) return null;
  reportUnused(by_protocol, protocols);
  const endpoints: VendorEndpoint[] = [];
  for (const protocol of protocols) {
    const known = row?.endpoints.find((endpoint) => endpoint.protocol === protocol);
    const credential = known?.credential ?? usualCredential(protocol);
    const given = by_protocol === null ? one : (by_protocol.get(protocol)?.url ?? null);
    // An address that is there but wrong has been reported already.
    if (by_protocol?.has(protocol) && given === null) continue;
    const url = given ?? knownUrl(fields, known, row);
    if (url !== null) endpoints.push({ protocol, base_url: url, credential });
    else if (known === undefined)
      reportMissing(base_url ?? fields.place, base_url ? protocol : "base_url", addressOf(protocol));
  }
  return endpoints.length === protocols.length ? endpoints : null;
}

function addressOf(protocol: Protocol): string {
  return `the address for ${protocol}, such as https://api.acme.example/v1`;
}

function protocolsOf(
  fields: VendorFields,
  row: VendorRow | null,
  by_protocol: ReadonlyMap<Protocol, unknown> | null,
): readonly Protocol[] | null {
  const place = fields.get("protocol");
  if (place !== null) return readProtocols(place);
  if (by_protocol !== null && by_protocol.size > 0) return [...by_protocol.keys()];
  return row?.endpoints.map(({ protocol }) => protocol) ?? reportMissing(fields.place, "protocol", PROTOCOLS_ALLOWED);
}

function readUrlMap(place: Place): Map<Protocol, { place: Place; url: string | null }> {
  const urls = new Map<Protocol, { place: Place; url: string | null }>();
  for (const [key, value] of readEntries(place, "a map of protocols to addresses") ?? []) {
    const protocol = findProtocol(key);
    if (protocol === undefined) report(value, PROTOCOLS.join(", "), `the unknown protocol ${JSON.stringify(key)}`);
    else urls.set(protocol, { place: value, url: readBaseUrl(value) });
  }
  return urls;
}

function reportUnused(urls: ReadonlyMap<Protocol, { place: Place }> | null, protocols: readonly Protocol[]): void {
  for (const [protocol, { place }] of urls ?? []) {
    if (!protocols.includes(protocol)) {
      report(place, protocols.join(", "), `an address for ${protocol}, which the vendor's protocol does not list`);
    }
  }
}

/** An http(s) address without a trailing slash, so that `/messages` can be appended. */
function readBaseUrl(place: Place): string | null {
  const allowed = "an http or https address that ends in the version segment, such as https://api.acme.example/v1";
  const text = readText(place, allowed);
  if (text === null) return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return report(place, allowed);
  if (url.username !== "" || url.password !== "")
    return report(place, "an address without credentials: they go into api_key");
  if (url.search !== "" || url.hash !== "") return report(place, "an address without ? and #");
  return text.replace(/\/+$/, "");
}

/** The address of the vendor's row, with the environment's variables in it. */
function knownUrl(fields: VendorFields, known: VendorEndpoint | undefined, row: VendorRow | null): string | null {
  if (known === undefined || row === null) return null;
  const { env } = fields.place.source;
  const { text, missing } = expandText(serverUrl(row, known, env), env);
  for (const name of missing) reportMissing(fields.place, "base_url", `an address, or ${name} set in the environment`);
  return missing.length > 0 ? null : text;
}

/**
 * The credential that the file names, else the one in the vendor's usual variable. A known vendor needs one at its own
 * address; elsewhere, as behind a proxy that adds it, there may be none.
 */
function readCredential(fields: VendorFields, row: VendorRow | null): string | null {
  const place = fields.get("api_key");
  if (place !== null) return readText(place, "a credential, such as ${ACME_API_KEY}");
  if (row === null) return null;
  const credential = findCredential(row, fields.place.source.env);
  const optional = row.server_env !== undefined || row.api_key_env.length === 0;
  if (credential !== null || optional || fields.get("base_url") !== null || fields.get("headers") !== null)
    return credential;
  return reportMissing(
    fields.place,
    "api_key",
    `a credential, or ${row.api_key_env.join(" or ")} set in the environment`,
  );
}

function readHeaders(place: Place | null): Record<string, string> {
  const headers: Record<string, string> = {};
  if (place === null) return headers;
  for (const [name, value] of readEntries(place, "a map of header names to texts") ?? []) {
    const text = readText(value, "a header's text");
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) report(value, "a header's name", JSON.stringify(name));
    else if (text !== null && /[\r\n\0]/.test(text)) report(value, "a header's text, in one line", "a line break");
    else if (text !== null) headers[name.toLowerCase()] = text;
  }
  return headers;
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

/** The vendor of a row as the environment alone describes it, or what the environment lacks for it. */
export function vendorOfEnvironment(row: VendorRow, env: Environment): Vendor | { readonly missing: string } {
  const api_key = findCredential(row, env);
  if (row.server_env !== undefined && !env[row.server_env]) return { missing: row.server_env };
  if (row.server_env === undefined && api_key === null) return { missing: row.api_key_env.join(" or ") };
  const endpoints: VendorEndpoint[] = [];
  for (const endpoint of row.endpoints) {
    const { text, missing } = expandText(serverUrl(row, endpoint, env), env);
    if (missing[0] !== undefined) return { missing: missing[0] };
    endpoints.push({ ...endpoint, base_url: text });
  }
  return vendorOfRow(row, endpoints, api_key);
}

/** A vendor that is as its row says. */
export function vendorOfRow(row: VendorRow, endpoints: readonly VendorEndpoint[], api_key: string | null): Vendor {
  const { id, name, forwards_safety_identifier, quirks } = row;
  const rest = { timeouts: DEFAULT_TIMEOUTS, on_disconnect: "abort", forwards_safety_identifier, quirks } as const;
  return { id, name, endpoints, api_key, headers: {}, ...rest };
}
