import { type Configuration, type ModelKind, sidesOf, type Vendor } from "../../core/catalog/catalog.ts";
import { BUNDLED_CURRENCY, bundledVendor } from "../bundled/bundled-models.ts";
import { writePrices } from "../elements/write-price.ts";
import { isModelId, vendorOf } from "../names/model-id.ts";
import { priceAt } from "../prices/price-at.ts";
import type { PublishedCatalog, PublishedModel } from "../published/published-catalog.ts";
import type { ModelDraft } from "../reading/read-model.ts";
import { findVendorRow } from "../vendors/vendors.ts";
import type { ListedModel } from "./listed-model.ts";
import {
  type ModelElement,
  type ModelFacts,
  modelElement,
  type PriceElement,
  publishedPriceElement,
} from "./model-element.ts";

/** A published list of models and prices that was given for the proposals. */
export interface GivenList {
  readonly name: string;
  readonly as_of: string | null;
  readonly catalog: PublishedCatalog;
  /** The list's vendor whose models are meant. */
  readonly vendor: string;
}

/**
 * The source of a proposal's figures: a `list` that was given; the vendor's own list (`vendor`); the `bundled` catalogue;
 * or nowhere (`self_hosted`: a server of one's own has no vendor that bills, so its price is 0; `none`: no price is known).
 */
export interface ProposalSource {
  readonly kind: "list" | "vendor" | "bundled" | "self_hosted" | "none";
  readonly name: string;
  /** The day of the figures; null where the source has no date. */
  readonly as_of: string | null;
}

export interface ModelProposal {
  readonly source: ProposalSource;
  /** The proposed element. It has no `price` where none is known: a configuration refuses it until a price is added. */
  readonly element: ModelElement;
}

/** A model that a vendor has, how the configuration offers it, and how it could be offered. */
export interface VendorOffer {
  readonly listed: ListedModel;
  /** The id under which it would be offered. */
  readonly model: string;
  /** The models that are served by this one now. */
  readonly offered_as: readonly string[];
  /** The best source first; never empty. */
  readonly proposals: readonly ModelProposal[];
}

interface ProposalSources {
  readonly vendor: Vendor;
  readonly configuration: Configuration;
  readonly list: GivenList | null;
  readonly now_ms: number;
}

/** The offers of a vendor's own list, in the list's order. Prices are in US dollars: other currencies get none proposed. */
export function proposeModels(models: readonly ListedModel[], sources: ProposalSources): VendorOffer[] {
  const offered = offeredBy(sources);
  const finders = findersOf(sources);
  const known = bundledIds(sources.vendor);
  const ids = new Ids();
  return models.map((listed) => {
    const { upstream_model } = listed;
    const model = ids.free(known.get(upstream_model) ?? `${sources.vendor.id}/${shortName(upstream_model)}`);
    const proposals = finders.flatMap((find) => find(listed, model) ?? []);
    return { listed, model, offered_as: offered.get(upstream_model) ?? [], proposals };
  });
}

/** The ids of the models with a route to each of the vendor's names. */
function offeredBy({ vendor, configuration }: ProposalSources): ReadonlyMap<string, string[]> {
  const offered = new Map<string, string[]>();
  for (const { id, routes } of configuration.models.values()) {
    for (const route of routes) {
      if (route.vendor !== vendor.id) continue;
      const ids = offered.get(route.upstream_model);
      if (ids === undefined) offered.set(route.upstream_model, [id]);
      else if (!ids.includes(id)) ids.push(id);
    }
  }
  return offered;
}

/** The bundled catalogue's ids by the vendor's names. */
function bundledIds({ id: vendor_id }: Vendor): ReadonlyMap<string, string> {
  const drafts = [...(bundledVendor(vendor_id)?.models ?? [])];
  return new Map(drafts.map(([id, draft]) => [draft.upstream_model ?? id.slice(vendor_id.length + 1), id]));
}

const LONGEST_SHORT_NAME = 136;

/** The part of a model id for a vendor's name: a character that an id cannot have becomes a hyphen. */
function shortName(upstream_model: string): string {
  const name = upstream_model.replace(/[^A-Za-z0-9._:/@+~-]+/g, "-").slice(0, LONGEST_SHORT_NAME);
  return isModelId(`v/${name}`) ? name : "model";
}

/** Gives ids, each once: a number follows an id that is taken. */
class Ids {
  readonly #taken = new Set<string>();
  /** The next number for an id: counting from 2 each time would take a square of the list's length. */
  readonly #numbers = new Map<string, number>();

  free(id: string): string {
    let free = id;
    for (let number = this.#numbers.get(id) ?? 2; this.#taken.has(free); number += 1) {
      free = `${id.slice(0, LONGEST_ID)}-${number}`;
      this.#numbers.set(id, number + 1);
    }
    this.#taken.add(free);
    return free;
  }
}

/** The longest id before a number is added. */
const LONGEST_ID = 130;

type ProposalFinder = (listed: ListedModel, model: string) => ModelProposal | null;

function findersOf(sources: ProposalSources): ProposalFinder[] {
  const { vendor, list, now_ms } = sources;
  const in_usd = sources.configuration.currency === BUNDLED_CURRENCY;
  const kind = kindOf(vendor);
  const today = new Date(now_ms).toISOString().slice(0, 10);
  const own: ProposalSource = { kind: "vendor", name: vendor.name, as_of: today };
  const plain =
    (source: ProposalSource, price: PriceElement | null): ProposalFinder =>
    (listed, model) => ({
      source,
      element: modelElement(factsOf(listed, model, kind), price),
    });
  const is_local = findVendorRow(vendor.id)?.server_env !== undefined;
  const free = kind === "decision" ? { input: "0.00" } : { input: "0.00", output: "0.00" };
  const last = is_local
    ? plain({ kind: "self_hosted", name: vendor.name, as_of: null }, free)
    : plain({ kind: "none", name: vendor.name, as_of: null }, null);
  const priced = [
    ...(list === null ? [] : [fromList(list, kind)]),
    (listed: ListedModel, model: string) =>
      listed.price === null ? null : plain(own, publishedPriceElement(listed.price))(listed, model),
    fromBundled(vendor, kind, now_ms),
  ];
  const first = (listed: ListedModel, model: string) => {
    for (const find of priced) if (find(listed, model) !== null) return null;
    return last(listed, model);
  };
  return in_usd ? [...priced, first] : [last];
}

/** A vendor that speaks decision protocols alone has decision models. */
function kindOf({ endpoints }: Vendor): ModelKind {
  const decides = endpoints.every(({ protocol }) => protocol === "decisions" || protocol === "systemone");
  return decides ? "decision" : "chat";
}

/** The facts in the vendor's own list. The vendor's name for the model is written where the id does not have it. */
function factsOf(listed: ListedModel, model: string, kind: ModelKind): ModelFacts {
  const { upstream_model } = listed;
  const is_in_id = model.slice(vendorOf(model).length + 1) === upstream_model;
  return { ...listed, kind, upstream_model: is_in_id ? null : upstream_model };
}

/** The vendor's facts, completed by the facts of another source. */
function completed(own: ModelFacts, other: ModelFacts): ModelFacts {
  const facts = { ...other, ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null)) };
  return { ...facts, capabilities: { ...other.capabilities, ...own.capabilities, ...reasoningOf(own, other) } };
}

/** A list that knows which controls a reasoning model has says more than one that knows only that it reasons. */
function reasoningOf({ capabilities: own }: ModelFacts, { capabilities: other }: ModelFacts) {
  const known = Object.keys(own?.reasoning ?? {}).length > 0 ? own?.reasoning : (other?.reasoning ?? own?.reasoning);
  return known === undefined ? {} : { reasoning: known };
}

function fromList({ name, as_of, catalog, vendor }: GivenList, kind: ModelKind): ProposalFinder {
  const models = new Map<string, PublishedModel>();
  for (const model of catalog.models) {
    if (vendorOf(model.id) === vendor) models.set(model.id.slice(vendor.length + 1), model);
  }
  const source: ProposalSource = { kind: "list", name, as_of };
  return (listed, id) => {
    const found = models.get(listed.upstream_model);
    if (found === undefined) return null;
    const facts = completed(factsOf(listed, id, kind), found);
    return { source, element: modelElement(facts, publishedPriceElement(found.price)) };
  };
}

function fromBundled({ id: vendor_id }: Vendor, kind: ModelKind, now_ms: number): ProposalFinder {
  const bundled = bundledVendor(vendor_id);
  if (bundled === null) return () => null;
  const drafts = new Map<string, ModelDraft>();
  for (const [id, draft] of bundled.models) drafts.set(draft.upstream_model ?? id.slice(vendor_id.length + 1), draft);
  const source: ProposalSource = { kind: "bundled", name: "Camino", as_of: bundled.origin.as_of };
  return (listed, id) => {
    const draft = drafts.get(listed.upstream_model);
    if (draft === undefined || draft.prices === null || draft.prices.length === 0) return null;
    const now = { ...priceAt({ id, prices: draft.prices }, now_ms), from_ms: 0 };
    const price = writePrices([now], sidesOf(draft.kind)) as PriceElement;
    const facts = completed(factsOf(listed, id, kind), { ...factsOfDraft(draft), kind: draft.kind });
    return { source, element: modelElement({ ...facts, kind: draft.kind }, price) };
  };
}

function factsOfDraft(draft: ModelDraft): ModelFacts {
  const { display_name, context_length, max_completion_tokens, input_modalities, output_modalities, capabilities } =
    draft;
  const created = draft.created === null ? null : new Date(draft.created * 1000).toISOString().slice(0, 10);
  return {
    ...{ display_name, created, context_length, max_completion_tokens },
    ...{ input_modalities, output_modalities, capabilities },
  };
}
