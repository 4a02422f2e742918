import { upstreamPrices } from "../../catalog/bundled/route-cost.ts";
import type { ClientRequest } from "../../core/answer/exchange.ts";
import type { Configuration, Route, RoutingSettings } from "../../core/catalog/catalog.ts";
import type { RouteReason } from "../../core/ledger/ledger.ts";
import { type Candidate, drawByWeight, type RouteGroup } from "../../routing/candidates.ts";
import { candidateId, rankCandidates, shortHash } from "../../routing/rank-candidates.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import { conversationOf } from "../request/conversation.ts";

/** How the candidates of one model were put in order. */
interface Order {
  readonly first: Candidate;
  readonly reason: RouteReason;
  /** The conversation within the model; null where it is not kept together. */
  readonly conversation: number | null;
  /** The candidate that the hash of the conversation leads to; null where the hash does not decide. */
  readonly home: Candidate | null;
}

type OrderDeps = Pick<PipelineDeps, "configuration" | "random" | "meters" | "kept_routes" | "clock">;

/**
 * The order in which a request tries the candidates of its models, where there is a choice, and why (docs/rulings.md 181, 182). A conversation
 * stays with one candidate while that is healthy: a failure moves it once.
 */
export class CandidateOrder {
  readonly #deps: OrderDeps;
  readonly #call: Pick<BilledCall, "headers" | "key">;
  readonly #request: ClientRequest;
  readonly #orders = new Map<string, Order>();
  /** Undefined until it is needed. */
  #conversation: number | null | undefined;

  constructor(deps: OrderDeps, call: Pick<BilledCall, "headers" | "key">, request: ClientRequest) {
    this.#deps = deps;
    this.#call = call;
    this.#request = request;
  }

  /** The candidates of one model in their order. `is_fallback`: another model than the one that was asked for. */
  order<Each extends Candidate>(group: RouteGroup<Each>, is_fallback: boolean): readonly Each[] {
    const [only] = group;
    if (only === undefined) return group;
    const { id, routing = {} } = only.model;
    if (group.length < 2) {
      if (is_fallback) this.#orders.set(id, { first: only, reason: "fallback", conversation: null, home: null });
      return group;
    }
    const conversation = routing.sticky === false ? null : this.#conversationIn(id);
    const { ordered, reason, home } =
      conversation === null ? this.#drawn(group, routing) : this.#kept(group, routing, conversation);
    const first = ordered[0] ?? only;
    this.#orders.set(id, { first, reason: is_fallback ? "fallback" : reason, conversation, home });
    return ordered;
  }

  /** Why a candidate is asked; null where there was no choice. */
  reasonOf(candidate: Candidate): RouteReason | null {
    const order = this.#orders.get(candidate.model.id);
    if (order === undefined) return null;
    if (order.reason === "fallback") return "fallback";
    return candidateId(order.first) === candidateId(candidate) ? order.reason : "next";
  }

  /** The candidate has answered: the conversation stays there. */
  answered(candidate: Candidate): void {
    const order = this.#orders.get(candidate.model.id);
    if (order === undefined || order.conversation === null) return;
    const id = candidateId(candidate);
    const { kept_routes } = this.#deps;
    if (order.home !== null && candidateId(order.home) === id) kept_routes.forget(order.conversation);
    else kept_routes.keep(order.conversation, id);
  }

  #conversationIn(model_id: string): number | null {
    if (this.#conversation === undefined) {
      const name = conversationOf(this.#request, this.#call.headers);
      this.#conversation = name === null ? null : shortHash(`${this.#call.key.account_id}\n${name}`, 0);
    }
    return this.#conversation === null ? null : shortHash(model_id, this.#conversation);
  }

  #drawn<Each extends Candidate>(group: RouteGroup<Each>, routing: RoutingSettings) {
    const drawn = drawByWeight(group, this.#deps.random);
    const ordered = routing.pick === undefined ? drawn : this.#picked(drawn, routing.pick);
    return { ordered, reason: routing.pick ?? ("weight" as const), home: null };
  }

  #kept<Each extends Candidate>(group: RouteGroup<Each>, { pick }: RoutingSettings, conversation: number) {
    const ranked = rankCandidates(group, conversation);
    const home_first = pick === "cost" ? this.#picked(ranked, pick) : ranked;
    const home = pick === "latency" ? null : (home_first[0] ?? null);
    const id = this.#deps.kept_routes.get(conversation);
    const kept = id === null ? undefined : ranked.find((candidate) => candidateId(candidate) === id);
    if (kept !== undefined)
      return { ordered: [kept, ...home_first.filter((each) => each !== kept)], reason: "kept" as const, home };
    if (pick !== "latency") return { ordered: home_first, reason: pick ?? ("conversation" as const), home };
    return { ordered: this.#picked(drawByWeight(group, this.#deps.random), pick), reason: pick, home };
  }

  /** The same candidates, the one that is picked first. */
  #picked<Each extends Candidate>(candidates: readonly Each[], pick: NonNullable<RoutingSettings["pick"]>): Each[] {
    if (pick === "cost") {
      const costs = new Map(candidates.map((each) => [each, costOfRoute(each.route, this.#deps)]));
      return candidates.toSorted((one, other) => (costs.get(one) ?? 0) - (costs.get(other) ?? 0));
    }
    const [first, second, ...rest] = candidates;
    if (first === undefined || second === undefined) return [...candidates];
    const is_slower = this.#latencyOf(second) < this.#latencyOf(first);
    return is_slower ? [second, first, ...rest] : [first, second, ...rest];
  }

  #latencyOf({ route, credential }: Candidate): number {
    return this.#deps.meters.firstByteMs(route.vendor, route.upstream_model, credential?.name ?? "");
  }
}

/** How long a route's cost is remembered: prices have dates. */
const REMEMBERED_MS = 60_000;
/** What requests are like for which routes are compared: three tokens of input for one of output. */
const INPUT_PARTS = 3;

const costs = new WeakMap<Route, { readonly cost: number; readonly until_ms: number }>();

/** What a vendor asks for a route, to be compared; infinite where that is not known. */
function costOfRoute(
  route: Route,
  { configuration, clock }: { readonly configuration: Configuration } & Pick<OrderDeps, "clock">,
) {
  const now_ms = clock.now_ms();
  const known = costs.get(route);
  if (known !== undefined && now_ms < known.until_ms) return known.cost;
  const price = upstreamPrices(route, configuration).findLast(({ from_ms }) => from_ms <= now_ms);
  const cost =
    price === undefined ? Number.MAX_VALUE : INPUT_PARTS * price.input_micro_per_mtok + price.output_micro_per_mtok;
  costs.set(route, { cost, until_ms: now_ms + REMEMBERED_MS });
  return cost;
}
