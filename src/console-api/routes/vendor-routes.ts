import type { Deleted } from "../../../contract/common.ts";
import { ProposeFromList, type VendorOffer as ShownOffer, type VendorOffers } from "../../../contract/offers.ts";
import {
  SetCredential,
  type Vendor as ShownVendor,
  TestVendor,
  type VendorList,
  type VendorTest,
} from "../../../contract/vendors.ts";
import type { GivenCredential, GivenKey } from "../../catalog/configuration/given-credential.ts";
import { type VendorStatus, vendorStatus, vendorStatuses } from "../../catalog/configuration/vendor-status.ts";
import type { GivenList, VendorOffer } from "../../catalog/offers/propose-models.ts";
import { usualKeyName } from "../../catalog/reading/read-keys.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import type { Vendor } from "../../core/catalog/catalog.ts";
import { GatewayError, invalidRequest } from "../../core/errors.ts";
import type { AuditSnapshot } from "../../core/people/audit.ts";
import type { VendorTestResult } from "../../pipeline/vendors/test-vendor.ts";
import { withKey } from "../../routing/candidates.ts";
import { nameOf } from "../answer/actor.ts";
import type { Administration } from "../answer/administration.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound } from "../answer/scope.ts";
import { readCredentialFields } from "../read/read-credential-fields.ts";
import { measuredBy } from "../show/show-health.ts";
import { protocolOf, showVendor, showVendorSummary } from "../show/show-vendor.ts";

/** docs/operations.md "Vendor credentials in the console". */
export const vendorRoutes = [
  route("GET /vendors", "administrator", { show: listVendors }),
  route("GET /vendors/{vendor}", "administrator", { show: (call) => shownVendor(call) }),
  route("PUT /vendors/{vendor}/credential", "administrator", {
    audit: { action: "vendor_credential.set", readBefore: async (call) => snapshotOf(call), describe: toldOf },
    body: SetCredential,
    show: setCredential,
  }),
  route("DELETE /vendors/{vendor}/credential", "administrator", {
    audit: { action: "vendor_credential.delete", readBefore: async (call) => snapshotOf(call), describe: toldOf },
    show: deleteCredential,
  }),
  route("POST /vendors/{vendor}/test", "administrator", {
    audit: { none: "a test call changes nothing" },
    body: TestVendor,
    show: testVendor,
  }),
  // docs/configuration.md "What a vendor offers".
  route("GET /vendors/{vendor}/models", "administrator", { show: (call) => showOffers(call, null) }),
  route("POST /vendors/{vendor}/models", "administrator", {
    audit: { none: "it asks for a list and changes nothing" },
    body: ProposeFromList,
    show: async (call) => showOffers(call, await readGiven(call.body.list, call.params.vendor ?? "")),
  }),
];

function listVendors({ deps: { administration } }: ConsoleCall): VendorList {
  const statuses = vendorStatuses(administration.vendors.sources);
  return {
    object: "list",
    ...measuredBy(administration),
    data: statuses.map((vendor_status) => showVendorSummary(administration, vendor_status)),
  };
}

function shownVendor(call: ConsoleCall): ShownVendor {
  return showVendor(call.deps.administration, reachVendor(call));
}

async function setCredential(call: ConsoleCall<SetCredential>): Promise<ShownVendor> {
  const vendor_status = reachVendor(call);
  const given = usableCredential(call, call.body, vendor_status);
  await call.deps.administration.vendors.set(vendor_status.id, given, nameOf(call.actor));
  return shownVendor(call);
}

/** The credential of a body. Throws a 400 for a credential with which the vendor could not be called. */
function usableCredential({ deps }: ConsoleCall, body: SetCredential, vendor_status: VendorStatus): GivenCredential {
  const given = readCredentialFields(body, vendor_status, keptKeys(deps.administration, vendor_status.id));
  const problem = deps.administration.vendors.problemOf(vendor_status.id, given);
  if (problem !== null) throw new GatewayError("invalid_request", problem);
  return given;
}

/**
 * The keys that the console has for a vendor and that stay where a list names them without their text. None where the stored credential is
 * not in use: it may have been given for another server (docs/adr/0042).
 */
function keptKeys({ vendors }: Administration, id: string): readonly GivenKey[] {
  const given = vendors.sources.given.get(id);
  if (given === undefined || vendors.stored(id)?.problem !== null) return [];
  if (given.api_keys !== undefined) return given.api_keys;
  const only = given.api_key ?? given.google_service_account;
  return only === undefined ? [] : [{ name: usualKeyName(0), api_key: only, weight: 1 }];
}

/** Works also for a vendor that is no longer known: its stored credential must not stay for ever. */
async function deleteCredential(call: ConsoleCall): Promise<ShownVendor | Deleted> {
  const { vendors } = call.deps.administration;
  const id = vendorId(call);
  if (!(await vendors.remove(id)))
    throw new GatewayError("not_found", "The console has no credential for this vendor.");
  return vendorStatus(vendors.sources, id) === null ? { id, deleted: true } : shownVendor(call);
}

async function testVendor(call: ConsoleCall<TestVendor>): Promise<VendorTest> {
  const vendor_status = reachVendor(call);
  const { administration } = call.deps;
  const { credential, model = null, key } = call.body;
  const configuration =
    credential === undefined
      ? administration.vendors.current
      : administration.vendors.trial(vendor_status.id, usableCredential(call, credential, vendor_status));
  const configured = configuration.vendors.get(vendor_status.id);
  const vendor = configured && (key === undefined ? configured : withNamedKey(configured, key));
  if (vendor === undefined) {
    throw new GatewayError("invalid_request", `${vendor_status.name} is not enabled: a test call needs a credential.`);
  }
  const is_trial = credential !== undefined;
  return showTest(
    vendor_status.id,
    await administration.testVendor({
      vendor,
      configuration,
      model,
      is_trial,
      key: key ?? configured?.api_keys?.[0]?.name,
    }),
  );
}

/** The vendor with one of its several credentials alone. */
function withNamedKey(vendor: Vendor, name: string): Vendor {
  const key = vendor.api_keys?.find((each) => each.name === name);
  if (key === undefined)
    throw invalidRequest(`The vendor ${vendor.id} has no credential named ${JSON.stringify(name)}.`, "key");
  return withKey(vendor, key.api_key);
}

const MAX_TEXT = 200;
const MAX_MESSAGE = 2000;

/** The outcome of a test call, as people see it. */
export function showTest(vendor: string, result: VendorTestResult): VendorTest {
  const { model, upstream_model, protocol, status, first_byte_ms, duration_ms, text, usage, failure } = result;
  return {
    ok: failure === null,
    ...{ vendor, model, upstream_model },
    protocol: protocolOf(protocol),
    ...{ status, first_byte_ms, duration_ms },
    text: text?.slice(0, MAX_TEXT) ?? null,
    usage: usage && { ...usage },
    error: failure && { code: failure.code, message: failure.message.slice(0, MAX_MESSAGE) },
  };
}

function reachVendor(call: ConsoleCall): VendorStatus {
  const id = vendorId(call);
  const vendor_status = vendorStatus(call.deps.administration.vendors.sources, id);
  if (vendor_status === null) throw notFound("vendor", id);
  return vendor_status;
}

function vendorId(call: ConsoleCall): string {
  return call.params.vendor ?? "";
}

/** A vendor's credential as the audit log records it: never the credential itself. */
function snapshotOf(call: ConsoleCall): AuditSnapshot | null {
  const vendor_status = vendorStatus(call.deps.administration.vendors.sources, vendorId(call));
  if (vendor_status === null) return null;
  const { source, kind, hint, keys } = vendor_status.credential;
  const told = { status: vendor_status.status, source, kind, hint };
  return keys.length === 0
    ? told
    : { ...told, keys: keys.map((key) => `${key.name} ${key.hint ?? ""}`.trim()).join(", ") };
}

function toldOf(call: ConsoleCall, _answer: ConsoleAnswer, before: AuditSnapshot | null) {
  return { object: { kind: "vendor", id: vendorId(call) }, before, after: snapshotOf(call) };
}

async function showOffers(call: ConsoleCall, list: GivenList | null): Promise<VendorOffers> {
  const { administration, clock } = call.deps;
  const vendor = requireEnabled(call);
  // Loaded here: a gateway whose administrators never ask keeps neither the readers nor the bundled catalogue's drafts.
  const { listVendorModels } = await import("../../pipeline/vendors/list-vendor-models.ts");
  const { proposeModels } = await import("../../catalog/offers/propose-models.ts");
  const { url, models, left_out, is_cut } = await listVendorModels(vendor);
  const configuration = administration.vendors.current;
  const offers = proposeModels(models, { vendor, configuration, list, now_ms: clock.now_ms() });
  return {
    object: "list",
    vendor: vendor.id,
    url,
    currency: configuration.currency,
    is_cut,
    left_out: [...left_out],
    found_in_list: list === null ? null : offers.filter(isInList).length,
    data: offers.map(showOffer),
  };
}

function requireEnabled(call: ConsoleCall): Vendor {
  const { name, vendor } = reachVendor(call);
  if (vendor !== null) return vendor;
  const message = `${name} is not enabled: it can be asked for its models once it has a credential and an address.`;
  throw new GatewayError("invalid_request", message);
}

function isInList({ proposals }: VendorOffer): boolean {
  return proposals.some(({ source }) => source.kind === "list");
}

function showOffer({ listed, model, offered_as, proposals }: VendorOffer): ShownOffer {
  const { capabilities: _in_elements, price: _in_proposals, input_modalities, output_modalities, ...facts } = listed;
  return {
    ...facts,
    model,
    input_modalities: input_modalities && [...input_modalities],
    output_modalities: output_modalities && [...output_modalities],
    offered_as: [...offered_as],
    proposals: proposals.map(({ source, element }) => ({ source: { ...source }, element: { ...element } })),
  };
}

/** The list of a body; null where it has none. Throws a 400 for a text that is no list, or has not the vendor. */
async function readGiven(list: ProposeFromList["list"], vendor_id: string): Promise<GivenList | null> {
  if (list === undefined) return null;
  const { readPublishedCatalog, PublishedCatalogError } = await import("../../catalog/published/import-catalog.ts");
  const { name, as_of = null, text } = list;
  try {
    const catalog = readPublishedCatalog(text);
    const ids = catalog.vendors.map(({ id }) => id);
    const [first] = ids;
    const vendor = list.vendor ?? (ids.length === 1 && first !== undefined ? first : vendor_id);
    if (ids.includes(vendor)) return { name, as_of, catalog, vendor };
    const has = ids.length === 0 ? "It has no vendor that Camino can call" : `It has ${ids.slice(0, 20).join(", ")}`;
    throw listError(`The list ${name} has no vendor ${JSON.stringify(vendor)}. ${has}.`);
  } catch (thrown) {
    throw thrown instanceof PublishedCatalogError ? listError(thrown.message) : thrown;
  }
}

function listError(message: string): GatewayError {
  return invalidRequest(message, "list");
}
