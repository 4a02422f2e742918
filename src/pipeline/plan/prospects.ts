import type { Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import type { Configuration, Model, Vendor, VendorEndpoint } from "../../core/catalog/catalog.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { callsOf, judgeCharges } from "../../core/money/charges.ts";
import type { Price } from "../../core/money/price.ts";
import type { CallCounts } from "../../core/money/price-classes.ts";
import { type PriceParameters, servedPrice } from "../../core/money/price-variant.ts";
import { type Usage, withExtra } from "../../core/money/usage.ts";
import { type Candidate, type RouteGroup, routeGroupsOf } from "../../routing/candidates.ts";
import type { PipelineDeps } from "../call/deps.ts";
import { streamsAll } from "./seen-output.ts";

/** A candidate with its endpoint and with the price that the request keeps (docs/rulings.md 45). */
export interface PricedCandidate extends Candidate {
  readonly endpoint: VendorEndpoint;
  readonly price: Price;
  /** The target that the request is prepared for, with the model's usual price list; absent where nothing is prepared. */
  readonly target?: Target;
  /** The priced parameters that the request sets beside the model; absent where there are none. */
  readonly asked?: PriceParameters;
  /** Calls that are charged where the vendor does not report them; absent on most requests. */
  readonly calls_once?: CallCounts;
}

/** A candidate with the adapter from the client's protocol to it. */
export interface PlannedCandidate extends PricedCandidate {
  readonly adapter: ProtocolAdapter;
  readonly target: Target;
}

/** The candidates of requests in one protocol for one model: equal for all such requests and for every key. */
export interface Prospects {
  readonly groups: readonly RouteGroup<PlannedCandidate>[];
  /** The price of the model itself. */
  readonly price: Price;
  readonly prices: readonly Price[];
  /** Every model among the candidates, once, with its price. */
  readonly routes: readonly { readonly model: Model; readonly price: Price }[];
  /** Whether a model among them has several candidates. */
  readonly has_choice: boolean;
  /** Whether every candidate takes a cap on its output. */
  readonly takes_cap: boolean;
  /** Whether everything that a candidate generates is in its stream, so that a hold can follow it. */
  readonly streams_all: boolean;
}

type ProspectDeps = Pick<PipelineDeps, "configuration" | "adapterBetween" | "priceAt" | "clock" | "wrong_rows">;

/**
 * The prospects of requests, computed once for each model and protocol and valid until the configuration or a price
 * changes. They say only where a request could go: whether it is admitted, and whether it may go there, is decided for
 * each request (docs/rulings.md 136).
 */
class ProspectBook {
  readonly configuration: Configuration;
  readonly wrong_version: number;
  readonly #deps: ProspectDeps;
  readonly #known = new Map<Protocol, Map<Model, Prospects>>();
  /** Between these times all prices in this book are in force. */
  #since_ms = Number.NEGATIVE_INFINITY;
  #until_ms = Number.POSITIVE_INFINITY;

  constructor(deps: ProspectDeps) {
    this.configuration = deps.configuration;
    this.wrong_version = wrongVersion(deps);
    this.#deps = deps;
  }

  of(model: Model, protocol: Protocol): Prospects {
    const now_ms = this.#deps.clock.now_ms();
    if (now_ms < this.#since_ms || now_ms >= this.#until_ms) {
      this.#known.clear();
      this.#since_ms = Number.NEGATIVE_INFINITY;
      this.#until_ms = Number.POSITIVE_INFINITY;
    }
    return this.#known.get(protocol)?.get(model) ?? this.#workOut(model, protocol, now_ms);
  }

  #workOut(model: Model, protocol: Protocol, now_ms: number): Prospects {
    const groups = routeGroupsOf(model, this.configuration).map((each) =>
      each.flatMap((candidate) => plannedCandidate(this.#deps, candidate, protocol, now_ms) ?? []),
    );
    const candidates = groups.flat();
    this.#heed(model.prices, now_ms);
    for (const { model: answering } of candidates) this.#heed(answering.prices, now_ms);
    const prices = candidates.map(({ price }) => price);
    const prospects = {
      groups,
      has_choice: groups.some((each) => each.length > 1),
      price: this.#deps.priceAt(model, now_ms),
      prices,
      routes: [...new Map(candidates.map((candidate) => [candidate.model, candidate])).values()],
      takes_cap: candidates.every(({ vendor }) => takesCap(vendor)),
      streams_all: candidates.every(({ model: answering }) => streamsAll(answering)),
    };
    const known = this.#known.get(protocol) ?? new Map<Model, Prospects>();
    this.#known.set(protocol, known.set(model, prospects));
    return prospects;
  }

  #heed(prices: readonly Price[], now_ms: number): void {
    for (const { from_ms } of prices) {
      if (from_ms > now_ms) this.#until_ms = Math.min(this.#until_ms, from_ms);
      else this.#since_ms = Math.max(this.#since_ms, from_ms);
    }
  }
}

/** The members in which protocols have the cap; a vendor that is configured to refuse them gets none. */
const CAPS: ReadonlySet<string> = new Set(["max_tokens", "max_completion_tokens", "max_output_tokens"]);

function takesCap({ quirks }: Vendor): boolean {
  return quirks.unsupported_fields?.some((field) => CAPS.has(field)) !== true;
}

function plannedCandidate(
  deps: ProspectDeps,
  candidate: Candidate,
  protocol: Protocol,
  now_ms: number,
): PlannedCandidate | null {
  const { route, vendor } = candidate;
  const model = deps.wrong_rows?.asFound(candidate.model) ?? candidate.model;
  // A fallback that takes messages alone is none here.
  if (protocol === "completions" && model.completions !== true) return null;
  for (const endpoint of endpointsFor(protocol === "responses-compact" ? "responses" : protocol, candidate)) {
    const adapter = deps.adapterBetween(protocol, endpoint.protocol);
    if (adapter === null) continue;
    const price = deps.priceAt(model, now_ms);
    const target = { model, vendor, endpoint, upstream_model: route.upstream_model, price };
    return { ...candidate, model, endpoint, adapter, target, price };
  }
  return null;
}

/**
 * The vendor's endpoints that serve the route: the endpoint with the preferred protocol first, then in the vendor's
 * order.
 */
export function endpointsFor(preferred: Protocol | null, { route, vendor }: Candidate): readonly VendorEndpoint[] {
  const { protocols } = route;
  const { endpoints: offered } = vendor;
  const endpoints = protocols === undefined ? offered : offered.filter(({ protocol }) => protocols.includes(protocol));
  const own = endpoints.find(({ protocol }) => protocol === preferred);
  return own === undefined || own === endpoints[0] ? endpoints : [own, ...endpoints];
}

const books = new WeakMap<ProspectDeps, ProspectBook>();

function wrongVersion({ wrong_rows }: ProspectDeps): number {
  return wrong_rows?.version ?? 0;
}

export function prospectsOf(deps: ProspectDeps, model: Model, protocol: Protocol): Prospects {
  let book = books.get(deps);
  if (book === undefined || book.configuration !== deps.configuration || book.wrong_version !== wrongVersion(deps)) {
    book = new ProspectBook(deps);
    books.set(deps, book);
  }
  return book.of(model, protocol);
}

/** The target that a protocol prepares the request for. */
export function targetOf(candidate: PricedCandidate): Target {
  const { model, vendor, endpoint, route, price } = candidate;
  return { model, vendor, endpoint, upstream_model: route.upstream_model, price };
}

/** The price list for what an exchange asks the vendor for: the usual list for nearly all (docs/rulings.md 144). */
export function priceOf({ charged }: Pick<Exchange, "charged">, usual: Price): Price {
  return charged === undefined || charged.length === 0 ? usual : judgeCharges(charged, usual).price;
}

/** A candidate with the price list of its exchange: unchanged, the same object, for nearly all exchanges. */
export function pricedBy<Candidate extends PricedCandidate>(
  candidate: Candidate,
  exchange: Pick<Exchange, "charged">,
): Candidate {
  const { charged } = exchange;
  if (charged === undefined || charged.length === 0) return candidate;
  const once = charged.filter((member) => member.once === true);
  const { price, asked } = judgeCharges(charged, candidate.price);
  const priced = { ...candidate, price, asked };
  return once.length === 0 ? priced : { ...priced, calls_once: callsOf(once) };
}

/** The basis of an answer's charge. */
export interface ServedAnswer<Candidate extends PricedCandidate> {
  readonly candidate: Candidate;
  readonly usage: Usage;
}

/**
 * The candidate with the price list of the tier that its vendor names in the answer, and the usage, which names a served tier without a
 * price list (docs/rulings.md 173). Both are the same objects, unchanged, for nearly all answers.
 */
export function servedBy<Candidate extends PricedCandidate>(
  candidate: Candidate,
  usage: Usage,
): ServedAnswer<Candidate> {
  const { target, asked = NOTHING_ASKED } = candidate;
  if (usage.served === undefined || target?.price === undefined) return { candidate, usage };
  const { price, unpriced } = servedPrice(target.price, asked, usage.served);
  if (unpriced === null)
    return price === candidate.price ? { candidate, usage } : { candidate: { ...candidate, price }, usage };
  const names = [...(usage.extra?.unpriced ?? []), unpriced];
  return { candidate, usage: withExtra(usage, { ...usage.extra, unpriced: names }) ?? usage };
}

const NOTHING_ASKED: PriceParameters = {};
