import type { Vendor, VendorEndpoint } from "../core/catalog.ts";
import { credentialHeader } from "../upstream/credentials/credential-header.ts";
import { signerFor } from "../upstream/credentials/signer-for.ts";
import { UpstreamError } from "../wire/client/upstream-error.ts";
import type { Fetch } from "./deps.ts";
import { type Finding, failed, note, ok } from "./finding.ts";

const TIMEOUT_MS = 10_000;
const MESSAGES_VERSION = "2023-06-01";

/**
 * Checks that a vendor can be reached and accepts its credential. Asks only for the list of models, which no vendor
 * charges for, and never for an answer of a model.
 */
export async function checkVendor(vendor: Vendor, fetch: Fetch): Promise<Finding> {
  const subject = `vendor ${vendor.id}`;
  const [endpoint] = vendor.endpoints;
  if (!endpoint) return failed(subject, "It has no endpoint. Give it a protocol and a base_url.");
  const url = `${endpoint.base_url}/models`;
  try {
    const signature = await signatureOf(vendor, endpoint, url);
    const init: RequestInit = {
      headers: { ...vendor.headers, ...headersOf(endpoint, vendor.api_key), ...signature },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    };
    const response = await fetch(url, init);
    await response.body?.cancel();
    return judge(subject, vendor, endpoint, response.status);
  } catch (thrown) {
    if (thrown instanceof UpstreamError) return failed(subject, `No credential could be made: ${thrown.message}.`);
    return failed(subject, `${endpoint.base_url} cannot be reached (${reasonOf(thrown)}). Check it and the network.`);
  }
}

/** The headers of a credential that is signed for each request. */
async function signatureOf(vendor: Vendor, endpoint: VendorEndpoint, url: string): Promise<Record<string, string>> {
  const sign = signerFor(vendor, endpoint);
  return sign === null ? {} : sign({ method: "GET", url, body: "" });
}

/** The system's error code, such as ECONNREFUSED, where the error has a code. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return "code" in thrown && typeof thrown.code === "string" ? thrown.code : thrown.message;
}

function headersOf({ protocol, credential }: VendorEndpoint, api_key: string | null): Record<string, string> {
  const version: Record<string, string> = protocol === "messages" ? { "anthropic-version": MESSAGES_VERSION } : {};
  return { ...version, ...credentialHeader(api_key, credential) };
}

function judge(subject: string, vendor: Vendor, { base_url }: VendorEndpoint, status: number): Finding {
  if (status < 300)
    return ok(subject, `${base_url} answers${vendor.api_key === null ? "" : " and takes the credential"}.`);
  if (status === 401 || status === 403) {
    const what = vendor.api_key === null ? "It asks for a credential" : "It refuses the credential";
    return failed(
      subject,
      `${what} (status ${status}). Check the vendor's api_key or the variable that it is taken from.`,
    );
  }
  if (status >= 500)
    return failed(subject, `${base_url} answers with status ${status}. The vendor has a problem; try later.`);
  return note(
    subject,
    `${base_url} can be reached, but its list of models answers with status ${status}, so the credential was not tried.`,
  );
}
