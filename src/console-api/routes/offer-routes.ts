import { ProposeFromList, type VendorOffer as ShownOffer, type VendorOffers } from "../../../contract/offers.ts";
import { vendorStatus } from "../../catalog/configuration/vendor-status.ts";
import type { GivenList, VendorOffer } from "../../catalog/offers/propose-models.ts";
import type { Vendor } from "../../core/catalog/catalog.ts";
import type { ConsoleAnswer } from "../../core/console-exchange.ts";
import { GatewayError, invalidRequest } from "../../core/errors.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound } from "../answer/scope.ts";

/** docs/configuration.md "What a vendor offers". */
export const offerRoutes = [
  route("GET /vendors/{vendor}/models", "administrator", { handle: async (call) => answerOffers(call, null) }),
  route("POST /vendors/{vendor}/models", "administrator", {
    audit: { none: "it asks for a list and changes nothing" },
    body: ProposeFromList,
    handle: async (call) => answerOffers(call, await readGiven(call.body.list, call.params.vendor ?? "")),
  }),
];

async function answerOffers(call: ConsoleCall, list: GivenList | null): Promise<ConsoleAnswer> {
  const { administration, clock } = call.deps;
  const vendor = requireEnabled(call);
  // Loaded here: a gateway whose administrators never ask keeps neither the readers nor the bundled catalogue's drafts.
  const { listVendorModels } = await import("../../pipeline/vendors/list-vendor-models.ts");
  const { proposeModels } = await import("../../catalog/offers/propose-models.ts");
  const { url, models, left_out, is_cut } = await listVendorModels(vendor);
  const configuration = administration.vendors.current;
  const offers = proposeModels(models, { vendor, configuration, list, now_ms: clock.now_ms() });
  const body: VendorOffers = {
    object: "list",
    vendor: vendor.id,
    url,
    currency: configuration.currency,
    is_cut,
    left_out: [...left_out],
    found_in_list: list === null ? null : offers.filter(isInList).length,
    data: offers.map(showOffer),
  };
  return { status: 200, body };
}

function requireEnabled(call: ConsoleCall): Vendor {
  const id = call.params.vendor ?? "";
  const status = vendorStatus(call.deps.administration.vendors.sources, id);
  if (status === null) throw notFound("vendor", id);
  if (status.vendor !== null) return status.vendor;
  const message = `${status.name} is not enabled: it can be asked for its models once it has a credential and an address.`;
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
