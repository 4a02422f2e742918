import type { ClientRequest, Target } from "../../core/answer/exchange.ts";
import { type ErrorCode, GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import type { ChargedMember, ChargeVerdict } from "../../core/money/charges.ts";
import { judgeCharges } from "../../core/money/charges.ts";
import type { CallClass } from "../../core/money/price-classes.ts";

/** The effect of a member's value on the charge; null where there is no effect. */
export type Rule = (value: unknown, place: string, body: JsonRecord) => ChargedMember | readonly ChargedMember[] | null;

/** One protocol's table: the members that it reads, and the rules for those that change a charge (docs/rulings.md 144). */
export interface ChargeTable {
  readonly code: ErrorCode;
  readonly read: ReadonlySet<string>;
  readonly rules: ReadonlyMap<string, Rule>;
}

const NOTHING: readonly ChargedMember[] = [];

/**
 * The members of a request that change its charge, by its protocol's table. Throws the endpoint's 400 for a member
 * whose name differs from a name in the table only in case or width: a vendor may read it as that member. The cost is
 * one look at each member's name.
 */
export function chargedMembers(body: JsonRecord, { code, read, rules }: ChargeTable): readonly ChargedMember[] {
  let found: ChargedMember[] | null = null;
  for (const name in body) {
    const rule = rules.get(name);
    if (rule !== undefined) {
      const value = body[name];
      if (value === null || value === undefined) continue;
      const charged = rule(value, name, body);
      if (charged === null) continue;
      found ??= [];
      for (const member of [charged].flat()) found.push(member);
    } else if (!read.has(name)) refuseTwin(name, "", code, (folded) => read.has(folded) || rules.has(folded));
  }
  return found ?? NOTHING;
}

function refuseTwin(name: string, within: string, code: ErrorCode, isRead: (folded: string) => boolean): void {
  const folded = name.normalize("NFKC").toLowerCase();
  if (folded === name || !isRead(folded)) return;
  const found = within + name.slice(0, 64);
  const message = `${JSON.stringify(found)} was found; allowed: "${within}${folded}", which some vendors take it for.`;
  throw new GatewayError(code, message, { param: found });
}

/**
 * The effect of a type of tool on the charge: none, calls of a call class, or a sentence that says that no class covers
 * it.
 */
export type ToolCharge = "free" | { readonly calls: CallClass; readonly most: number; readonly once?: boolean } | null;

/**
 * A rule for lists of tools: each tool is judged by its type. A tool of an unknown type is never relayed. Agents offer
 * tools unasked, so a tool without a price is left out, unless the tool choice demands it (docs/rulings.md 190).
 */
export function toolsRule(code: ErrorCode, chargeOf: (tool: JsonRecord, body: JsonRecord) => ToolCharge): Rule {
  return (value, place, body) => {
    if (!Array.isArray(value)) return null;
    let found: ChargedMember[] | null = null;
    for (let index = 0; index < value.length; index++) {
      const tool: unknown = value[index];
      if (!isObject(tool)) continue;
      for (const name in tool) {
        if (name !== "type") refuseTwin(name, `${place}[${index}].`, code, (folded) => folded === "type");
      }
      const charge = chargeOf(tool, body);
      if (charge === "free") continue;
      const what = toolWords(plainText(tool.type));
      const member = { place: `${place}[${index}]`, what, unpriced: "leave-out" as const };
      found ??= [];
      if (charge === null) found.push(member);
      else found.push({ ...member, calls: { [charge.calls]: charge.most }, ...(charge.once && { once: true }) });
    }
    return found;
  };
}

/**
 * A rule for the service tier: the vendor's usual tiers change nothing; any other tier has a price list or is left out.
 */
export function tierRule(usual: readonly string[]): Rule {
  return (value, place) =>
    typeof value !== "string" || usual.includes(value)
      ? null
      : { place, what: `the service tier ${quoted(value)}`, asks: { service_tier: value }, unpriced: "leave-out" };
}

/** A rule for a member that no price class covers. */
export function neverPriced(
  unpriced: ChargedMember["unpriced"],
  changes: (value: unknown) => boolean = () => true,
): Rule {
  return (value, place) => (changes(value) ? { place, what: `'${place}'`, unpriced } : null);
}

export function toolWords(type: string): string {
  return `the tool ${quoted(type)}`;
}

export function quoted(value: string): string {
  return JSON.stringify(value.slice(0, 64));
}

/**
 * Rules for the members of aggregators: models or providers with other prices, and plugins that are charged by the
 * call.
 */
export const AGGREGATOR_RULES: readonly (readonly [string, Rule])[] = [
  ["models", neverPriced("leave-out")],
  ["route", neverPriced("leave-out")],
  ["fallbacks", neverPriced("leave-out")],
  ["provider", neverPriced("refuse")],
  ["preset", neverPriced("refuse")],
  ["plugins", neverPriced("refuse", (value) => !Array.isArray(value) || value.length > 0)],
  ["search_parameters", neverPriced("refuse", (value) => !isObject(value) || value.mode !== "off")],
  ["enable_search", neverPriced("refuse", (value) => value !== false)],
];

/**
 * Judges a request's charged members by its target's price. Throws the endpoint's 400, with the member's name, for a
 * member that has no price and cannot be left out.
 */
export function chargesAt(request: ClientRequest, target: Target, code: ErrorCode): ChargeVerdict | null {
  const members = request.charged;
  if (members === undefined || members.length === 0 || target.price === undefined) return null;
  const judged = judgeCharges(members, target.price);
  if (judged.refused !== null) throw unpricedError(judged.refused, target, code);
  return judged;
}

/** The 400 for a charged member that has no price, and cannot be left out. */
export function unpricedError({ place, what }: ChargedMember, target: Target, code: ErrorCode): GatewayError {
  const message = `'${place}' is ${what}, which has no price for ${target.model.id}: it is not relayed, as it would be charged for by the vendor.`;
  return new GatewayError(code, message, { param: place });
}

/** A body for one target, and the parameters that were left out because the target cannot honour them. */
export interface PreparedBody {
  readonly body: string;
  readonly ignored: readonly string[];
  readonly charged: readonly ChargedMember[];
}
