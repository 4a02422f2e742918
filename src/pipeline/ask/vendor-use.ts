import { upstreamPrices } from "../../catalog/bundled/route-cost.ts";
import { costOf } from "../../core/money/price.ts";
import { servedPrice } from "../../core/money/price-variant.ts";
import { totalInput, type Usage } from "../../core/money/usage.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { PricedCandidate } from "../plan/prospects.ts";

/**
 * Counts what an answer took of the limits of its vendor and credential (docs/rulings.md 178): its tokens, and what the vendor asks for them, or
 * where that is not known what the request is charged.
 */
export function noteVendorUse(
  deps: Pick<PipelineDeps, "configuration" | "vendor_limits" | "clock">,
  { vendor, credential, route, price, asked = {} }: Omit<PricedCandidate, "endpoint">,
  usage: Usage,
): void {
  if (vendor.limits === undefined && credential?.limits === undefined) return;
  const now_ms = deps.clock.now_ms();
  const usual = upstreamPrices(route, deps.configuration).findLast(({ from_ms }) => from_ms <= now_ms);
  const cost = usual === undefined ? price : servedPrice(usual, asked, usage.served ?? {}).price;
  deps.vendor_limits.used(vendor, credential, totalInput(usage) + usage.output_tokens, costOf(usage, cost));
}
