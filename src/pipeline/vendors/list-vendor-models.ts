import type { ListedModel, ListedPage } from "../../catalog/offers/listed-model.ts";
import { readVendorList } from "../../catalog/offers/read-vendor-list.ts";
import type { Vendor, VendorEndpoint } from "../../core/catalog/catalog.ts";
import { GatewayError } from "../../core/errors.ts";
import { readVendorError } from "../../protocols/shared/vendor-error.ts";
import { credentialHeader } from "../../upstream/credentials/credential-header.ts";
import { signerFor } from "../../upstream/credentials/signer-for.ts";
import { type FetchedText, fetchText } from "../../upstream/fetch-text.ts";
import { UpstreamError } from "../../wire/client/upstream-error.ts";
import { withoutCredentials } from "../ask/without-credentials.ts";

export interface VendorModels {
  /** The address that was asked. */
  readonly url: string;
  /** In the order of the list, each name once. */
  readonly models: readonly ListedModel[];
  readonly left_out: readonly string[];
  /** Whether the list goes on beyond the bounds. */
  readonly is_cut: boolean;
}

/** Bounds of one list: a vendor that lies or stalls costs no more than these. */
export interface ListBounds {
  readonly total_ms: number;
  readonly page_bytes: number;
  readonly pages: number;
  readonly models: number;
}

const BOUNDS: ListBounds = { total_ms: 20_000, page_bytes: 8 * 1024 * 1024, pages: 20, models: 5000 };

/**
 * Asks a vendor for its own list of models, which no vendor charges for. Only the vendor's configured addresses are called:
 * no redirect and no link is followed, and of an answer only the cursor of the next page goes into the next call.
 * Throws a GatewayError (`provider_error`) in plain words where there is no list.
 */
export async function listVendorModels(vendor: Vendor, bounds = BOUNDS): Promise<VendorModels> {
  const endpoints = listingEndpoints(vendor);
  const signal = AbortSignal.timeout(bounds.total_ms);
  let missing: GatewayError | null = null;
  for (const endpoint of endpoints) {
    const found = await readPages({ vendor, endpoint, signal }, bounds);
    if (!(found instanceof GatewayError)) return found;
    missing ??= found;
  }
  throw (
    missing ??
    refusal(`${vendor.name} publishes no list of models that Camino could ask for: name its models yourself.`)
  );
}

/** One endpoint for each address, in the vendor's order. The runtime addresses of Bedrock and Vertex AI have no list. */
function listingEndpoints({ endpoints }: Vendor): VendorEndpoint[] {
  const asked = new Map<string, VendorEndpoint>();
  for (const endpoint of endpoints) {
    if (endpoint.protocol === "bedrock-converse" || endpoint.credential === "sigv4" || endpoint.dialect === "vertex")
      continue;
    if (!asked.has(endpoint.base_url)) asked.set(endpoint.base_url, endpoint);
  }
  return [...asked.values()];
}

interface ModelListSource {
  readonly vendor: Vendor;
  readonly endpoint: VendorEndpoint;
  readonly signal: AbortSignal;
}

/** All pages of an endpoint's list; the error where the address has none, so that another address may have one. */
async function readPages(asking: ModelListSource, bounds: ListBounds): Promise<VendorModels | GatewayError> {
  const { endpoint } = asking;
  const url = `${endpoint.base_url}/models`;
  const models = new Map<string, ListedModel>();
  const left_out: string[] = [];
  const asked = new Set<string>();
  let query: Readonly<Record<string, string>> | null = PAGE_SIZES[endpoint.protocol] ?? {};
  const page_size = query;
  while (query !== null && asked.size < bounds.pages && models.size < bounds.models) {
    const address = withQuery(url, query);
    // A vendor that names one cursor again and again has no further page.
    if (asked.has(address)) break;
    asked.add(address);
    const answer = await ask(asking, address, bounds);
    if (asked.size === 1 && (answer.status === 404 || answer.status === 405)) return noList(asking, answer);
    const page = readAnswer(asking, answer);
    for (const model of page.models) {
      if (models.size < bounds.models && !models.has(model.upstream_model)) models.set(model.upstream_model, model);
    }
    left_out.push(...page.left_out.slice(0, MOST_LEFT_OUT - left_out.length));
    query = page.next === null ? null : { ...page_size, ...page.next };
    if (query !== null && page.models.length === 0) break;
  }
  return { url, models: [...models.values()], left_out, is_cut: query !== null };
}

const MOST_LEFT_OUT = 100;
/** The largest page that each paged list allows: fewer calls than with the usual 20 or 50. */
const PAGE_SIZES: Partial<Record<VendorEndpoint["protocol"], Readonly<Record<string, string>>>> = {
  messages: { limit: "1000" },
  gemini: { pageSize: "1000" },
};

function withQuery(url: string, query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? url : `${url}?${text}`;
}

const MESSAGES_VERSION = "2023-06-01";

async function ask(
  { vendor, endpoint, signal }: ModelListSource,
  url: string,
  { page_bytes }: ListBounds,
): Promise<FetchedText> {
  const headers = {
    accept: "application/json",
    "user-agent": "camino",
    ...(endpoint.protocol === "messages" && { "anthropic-version": MESSAGES_VERSION }),
    ...credentialHeader(vendor.api_key, endpoint.credential),
    ...vendor.headers,
  };
  try {
    const signature = await signatureFor(vendor, endpoint, url);
    return await fetchText(url, { ...headers, ...signature }, { max_bytes: page_bytes, signal });
  } catch (thrown) {
    throw thrown instanceof UpstreamError ? explained(vendor, endpoint, thrown) : thrown;
  }
}

/** The headers of a credential that is signed for each request. */
async function signatureFor(
  vendor: Vendor,
  endpoint: VendorEndpoint,
  url: string,
): Promise<Readonly<Record<string, string>>> {
  const sign = signerFor(vendor, endpoint);
  return sign === null ? {} : sign({ method: "GET", url, body: "" });
}

function explained({ name }: Vendor, { base_url }: VendorEndpoint, cause: UpstreamError): GatewayError {
  const { fault, message } = cause;
  const why: Partial<Record<UpstreamError["fault"], string>> = {
    unreachable: `${name} cannot be reached at ${base_url} (${message}). Check the address and the network.`,
    credential: `No credential could be made for ${name}: ${message}.`,
    too_large: `The list of models of ${name} is not read: ${message}.`,
    total_timeout: `${name} did not send its list of models in time.`,
  };
  return refusal(why[fault] ?? `The call to ${name} at ${base_url} failed: ${message}.`, cause);
}

function noList({ vendor: { name }, endpoint: { base_url } }: ModelListSource, { status }: FetchedText): GatewayError {
  return refusal(`${name} has no list of models at ${base_url}/models (status ${status}): name its models yourself.`);
}

function readAnswer({ vendor, endpoint }: ModelListSource, answer: FetchedText): ListedPage {
  const { name, api_key } = vendor;
  const { status, text } = answer;
  if (status === 401 || status === 403) {
    const what = api_key === null ? "asks for a credential" : "refuses the credential";
    throw refusal(`${name} ${what} (status ${status}): ${quoted(vendor, answer)} Check the vendor's credential.`);
  }
  if (status >= 300 && status <= 399) {
    const what = `${name} answers with a redirect (status ${status}), which is not followed.`;
    throw refusal(`${what} Correct the vendor's address ${endpoint.base_url}.`);
  }
  if (status < 200 || status > 299) {
    throw refusal(`${name} does not send its list of models (status ${status}): ${quoted(vendor, answer)}`);
  }
  const page = readVendorList(text);
  if (page !== null) return page;
  const what = `What ${name} sends at ${endpoint.base_url}/models is no list of models.`;
  throw refusal(`${what} Check the vendor's address: it must end in the version segment.`);
}

const LONGEST_QUOTE = 300;

/** The vendor's own sentence, without credentials. */
function quoted(vendor: Vendor, { status, text }: FetchedText): string {
  const { message } = withoutCredentials(readVendorError(status, text), vendor);
  return `${message.slice(0, LONGEST_QUOTE).replace(/\.$/, "")}.`;
}

function refusal(message: string, cause?: unknown): GatewayError {
  return new GatewayError("provider_error", message, { cause });
}
