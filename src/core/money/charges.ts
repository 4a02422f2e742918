import type { Price } from "./price.ts";
import type { CallCounts } from "./price-classes.ts";
import { type PriceParameters, priceFor } from "./price-variant.ts";

/** One thing in a request that changes what a vendor charges for it (docs/rulings.md 144). */
export interface ChargedMember {
  /** The field's path in the request: `service_tier`, `tools[2]`. */
  readonly place: string;
  /** A phrase for error messages that names what was found: `the tool "web_search"`. */
  readonly what: string;
  /** The price list that the member asks for. */
  readonly asks?: PriceParameters;
  /** The largest number of tool calls that the member allows. */
  readonly calls?: CallCounts;
  /** True when one call is charged for each request in which the vendor does not report how many calls it made. */
  readonly once?: boolean;
  /** The treatment of a member without a price: `leave-out` where the answer stays what the client asked for, else `refuse`. */
  readonly unpriced: "leave-out" | "refuse";
}

/** The verdict of a price on a request's charged members. */
export interface ChargeVerdict {
  /** The price list that the members with a price ask for, and what they ask for. */
  readonly price: Price;
  readonly asked: PriceParameters;
  readonly left_out: readonly ChargedMember[];
  /** The first member that must not be relayed; null when there is none. */
  readonly refused: ChargedMember | null;
  readonly kept: readonly ChargedMember[];
}

/** Judges charged members by a price: a member has a class or a list in the price, or is left out, or is refused. */
export function judgeCharges(members: readonly ChargedMember[], usual: Price): ChargeVerdict {
  let asked: PriceParameters = {};
  let price = usual;
  const left_out: ChargedMember[] = [];
  const kept: ChargedMember[] = [];
  let refused: ChargedMember | null = null;
  for (const member of members) {
    const with_it = { ...asked, ...member.asks };
    const list = member.asks === undefined ? price : priceFor(usual, with_it);
    if (list !== null && isPriced(member, usual)) {
      asked = with_it;
      price = list;
      kept.push(member);
    } else if (member.unpriced === "leave-out") left_out.push(member);
    else refused ??= member;
  }
  return { price, asked, left_out, refused, kept };
}

function isPriced({ asks, calls }: ChargedMember, { calls_micro_per_kcall: prices }: Price): boolean {
  if (calls === undefined) return asks !== undefined;
  for (const name in calls) if (prices?.[name as keyof CallCounts] === undefined) return false;
  return true;
}

/** The calls that all members together allow. */
export function callsOf(members: readonly ChargedMember[]): CallCounts {
  const calls: Record<string, number> = {};
  for (const member of members) {
    for (const [name, count] of Object.entries(member.calls ?? {})) calls[name] = (calls[name] ?? 0) + count;
  }
  return calls;
}
