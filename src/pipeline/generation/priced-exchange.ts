import { callsOf, judgeCharges } from "../../core/charges.ts";
import type { Exchange } from "../../core/exchange.ts";
import type { Price } from "../../core/price.ts";
import { type Usage, withExtra } from "../../core/usage.ts";
import type { PricedCandidate } from "../asking/prospects.ts";

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
  const price = priceOf(exchange, candidate.price);
  return once.length === 0 ? { ...candidate, price } : { ...candidate, price, calls_once: callsOf(once) };
}

/** A usage with the calls that are charged where the vendor does not report them, if it has not reported them. */
export function withUncounted(usage: Usage, { calls_once }: Pick<PricedCandidate, "calls_once">): Usage {
  if (calls_once === undefined) return usage;
  return withExtra(usage, { ...usage.extra, calls: { ...calls_once, ...usage.extra?.calls } }) ?? usage;
}
