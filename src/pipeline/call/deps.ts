import { resolveModel } from "../../catalog/names/resolve-model.ts";
import { priceAt } from "../../catalog/prices/price-at.ts";
import type { VendorCodec } from "../../core/answer/codec.ts";
import type { DecisionVendorProtocol } from "../../core/answer/decision.ts";
import type { AnswerConverter, ProtocolAdapter } from "../../core/answer/exchange.ts";
import type { Configuration, Model } from "../../core/catalog/catalog.ts";
import type { Clock } from "../../core/clock.ts";
import type { Protocol } from "../../core/endpoints.ts";
import type { Price } from "../../core/money/price.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Log } from "../../observe/log.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Breakers } from "../../routing/breaker.ts";
import { KeptRoutes } from "../../routing/kept-routes.ts";
import { RetryBudget } from "../../routing/retry-budget.ts";
import type { RouteMeters } from "../../routing/route-meters.ts";
import type { VendorLimitBook } from "../../routing/vendor-limits.ts";
import type { Upstream } from "../../upstream/send.ts";
import type { AnswerCache } from "../cache/answer-cache.ts";
import type { ContentLog } from "../contents/content-log.ts";
import type { Hooks } from "../hooks/hooks.ts";
import type { LargeBodies } from "../large-bodies/large-bodies.ts";
import type { ResponseMemory } from "../memory/response-memory.ts";
import type { UsageEstimator } from "../usage/estimate-usage.ts";
import type { WrongRows } from "../usage/wrong-rows.ts";
import type { OpenRequests } from "./open-requests.ts";

/** Everything that the use cases depend on, made once by the composition root. */
export interface PipelineDeps {
  /** The current configuration; a changed credential replaces it. A request uses one configuration from plan to end. */
  readonly configuration: Configuration;
  readonly ledger: Ledger;
  readonly upstream: Upstream;
  readonly breakers: Breakers;
  readonly meters: RouteMeters;
  /** Where conversations stay that have moved. */
  readonly kept_routes: KeptRoutes;
  /** What vendors and their credentials may be used for, and have been. */
  readonly vendor_limits: VendorLimitBook;
  /** One retry budget per vendor id. */
  readonly retryBudgetOf: (vendor: string) => RetryBudget;
  /** The adapter from a client's protocol to a vendor's; null where none exists. */
  readonly adapterBetween: (client: Protocol, vendor: Protocol) => ProtocolAdapter | null;
  /** The vendor half of a decision protocol; null for other protocols. */
  readonly decisionVendorOf: (protocol: Protocol) => DecisionVendorProtocol | null;
  /** The vendor half of a chat protocol, through which our decision engine asks; null for other protocols. */
  readonly vendorCodecOf: (protocol: Protocol) => VendorCodec | null;
  /** A model by id, alias or prefix alias, if the key may use it; null otherwise (docs/rulings.md 20, 17). */
  readonly resolveModel: (key: KeyRecord, name: string) => Model | null;
  readonly priceAt: (model: Model, now_ms: number) => Price;
  /** Null where the gateway stores no responses (docs/adr/0017). */
  readonly memory: ResponseMemory | null;
  /** Null where no answers are given again (docs/rulings.md 183). */
  readonly cache: AnswerCache | null;
  /** Keeps what was said, where somebody switched that on (docs/rulings.md 184). */
  readonly contents: ContentLog | null;
  /** Makes the other form of a whole or streamed answer; null for protocols with one form. */
  readonly converterOf: (protocol: Protocol) => AnswerConverter | null;
  readonly estimator: UsageEstimator;
  /** Rows of the catalogue that were found wrong; absent where nothing is kept of them. */
  readonly wrong_rows?: WrongRows;
  readonly large_bodies: LargeBodies;
  readonly open_requests: OpenRequests;
  readonly clock: Clock;
  /** Yields numbers in [0, 1), for weighted routes. */
  readonly random: () => number;
  readonly node_id: string;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Absent where the operator has none. */
  readonly hooks?: Hooks;
}

/** The parts that the composition root makes. The vendor table has the configuration in force. */
export interface LiveParts
  extends Omit<
    PipelineDeps,
    "configuration" | "kept_routes" | "retryBudgetOf" | "resolveModel" | "priceAt" | "random"
  > {
  readonly vendors: { readonly current: Configuration };
}

/**
 * The dependencies of the use cases in a running gateway. The configuration is read from the vendor table at each use, since a
 * changed credential replaces it.
 */
export function livePipeline({ vendors, ...parts }: LiveParts): PipelineDeps {
  const budgets = new Map<string, RetryBudget>();
  return {
    ...parts,
    kept_routes: new KeptRoutes(parts.clock.monotonic_ms),
    get configuration() {
      return vendors.current;
    },
    retryBudgetOf(vendor) {
      const known = budgets.get(vendor);
      if (known !== undefined) return known;
      const budget = new RetryBudget(parts.clock.monotonic_ms);
      budgets.set(vendor, budget);
      return budget;
    },
    resolveModel: (key, name) => resolveModel(vendors.current, key, name)?.model ?? null,
    priceAt,
    random: randomShare,
  };
}

/** A random number in [0, 1) for weighted routes, from 32 bits. */
function randomShare(): number {
  const [bits = 0] = crypto.getRandomValues(new Uint32Array(1));
  return bits / 2 ** 32;
}
