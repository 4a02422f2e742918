import { priceAt } from "../catalog/prices/price-at.ts";
import { resolveModel } from "../catalog/names/resolve-model.ts";
import type { Configuration } from "../core/catalog.ts";
import type { KeyRecord } from "../core/principal.ts";
import { RetryBudget } from "../routing/retry-budget.ts";
import type { PipelineDeps, BilledModel } from "./deps.ts";

/** The parts that the composition root makes. The vendor table has the configuration in force. */
export interface LiveParts
  extends Omit<PipelineDeps, "configuration" | "retryBudgetOf" | "resolveModel" | "priceAt" | "random"> {
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
    resolveModel: (key: KeyRecord, name: string): BilledModel | null => resolveModel(vendors.current, key, name),
    priceAt,
    random: randomShare,
  };
}

/** A random number in [0, 1) for weighted routes, from 32 bits. */
function randomShare(): number {
  const [bits = 0] = crypto.getRandomValues(new Uint32Array(1));
  return bits / 2 ** 32;
}
