import { RANKING_DIALECTS, type RankingDialect, type VendorEndpoint } from "../../core/catalog/catalog.ts";
import { PROTOCOLS, type Protocol } from "../../core/endpoints.ts";
import { usualCredential, type VendorRow } from "../vendors/vendor-row.ts";
import { addressIn } from "./expand-environment.ts";
import { type Place, report } from "./place.ts";
import { type Fields, isMapping, readEntries, readFields } from "./read-fields.ts";
import { findProtocol, PROTOCOLS_ALLOWED, readProtocols } from "./read-protocols.ts";
import { readOneOf, readText } from "./read-scalar.ts";
import { serverUrl } from "./vendor-defaults.ts";

type VendorFields = Fields<"protocol" | "base_url" | "dialect">;
type UrlFields = Fields<Protocol>;

/**
 * Reads a vendor's addresses and protocols: one address for all its protocols, or one for each protocol. Whatever the
 * file leaves out is taken from the vendor's row. Null, with the problems reported, when a protocol has no address.
 */
export function readEndpoints(fields: VendorFields, row: VendorRow | null): VendorEndpoint[] | null {
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
function readBaseUrl(place: Place): string | null {
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
