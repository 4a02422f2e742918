import { type ChargedMember, callsOf, judgeCharges } from "../core/money/charges.ts";
import type { Price, RareCosts } from "../core/money/price.ts";
import { CALL_NAMES, PART_NAMES, type TokenPart, type UnitCounts } from "../core/money/price-classes.ts";
import { imageLists, tierLists } from "../core/money/price-variant.ts";

/** The parts of a request that show which charges beside the four classes it may cause. */
export interface RareRequest {
  /** The body as it was sent; without it nothing rare is possible. */
  readonly text?: string;
  readonly charged?: readonly ChargedMember[];
  /** Its body, parsed; without it nothing is known of what it asks for. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The most of each unit beside tokens that may be charged; absent on most requests. */
  readonly units?: UnitCounts;
}

/** Any word may be written in escapes. */
const ESCAPES = "\\u";
/**
 * Words without which a request has none of a part: a body that lacks them all cannot have it. What has one may have the part
 * and need not. Files and videos may hold sound and images. What models make of themselves is always possible.
 */
const WORDS: Readonly<Record<TokenPart, readonly string[] | null>> = {
  input_audio: ["audio", "video", "file", "document", "media", "inlineData"],
  cache_read_audio: ["audio", "video", "file", "document", "media", "inlineData"],
  input_image: ["image", "file", "document", "media", "inlineData"],
  cache_read_image: ["image", "file", "document", "media", "inlineData"],
  input_video: ["video", "file", "document", "media", "inlineData"],
  cache_read_video: ["video", "file", "document", "media", "inlineData"],
  cache_write_1h: ['1h"', "24h"],
  cache_write_12h: ["12h"],
  output_audio: ["audio"],
  output_image: null,
  output_video: null,
  output_reasoning: null,
};

/** All words of these lists. The words among them that a text has can stand in for the text. */
export const RARE_WORDS: readonly string[] = [
  ...new Set(Object.values(WORDS).flatMap((words) => words ?? [])),
  ESCAPES,
];

/**
 * A bound of the charges beyond the four classes that a request may cause at a price: which parts its words allow, and
 * the calls that its tools may make. Null for all prices of the four classes, and then nothing is looked at.
 */
export function rareCosts(price: Price, { text, charged, units }: RareRequest): RareCosts | null {
  const priced = pricedParts(price);
  const has_calls = charged !== undefined && charged.length > 0 && price.calls_micro_per_kcall !== undefined;
  const has_units = units !== undefined && price.units_micro !== undefined;
  if (priced === null && !has_calls && !has_units) return null;
  const parts = new Set<TokenPart>();
  const is_escaped = text?.includes(ESCAPES) === true;
  for (const part of priced ?? []) {
    const words = WORDS[part];
    if (words === null || is_escaped || words.some((word) => text?.includes(word) === true)) parts.add(part);
  }
  return { parts, calls: has_calls ? callsOf(charged) : {}, units: has_units ? units : undefined };
}

const known = new WeakMap<Price, readonly TokenPart[] | null>();

/** The parts that a price has apart, in any tier; null for none. */
function pricedParts(price: Price): readonly TokenPart[] | null {
  let parts = known.get(price);
  if (parts === undefined) {
    const lists = [price, ...price.tiers].map(({ parts_micro_per_mtok: of_list }) => of_list);
    const found = PART_NAMES.filter((name) => lists.some((list) => list?.[name] !== undefined));
    parts = found.length === 0 ? null : found;
    known.set(price, parts);
  }
  return parts;
}

/**
 * The price lists that a request may be charged by at a model's usual one: those of what it asks for, of the usual, as vendors serve
 * less than was asked for, and of every service tier where the request leaves the tier to the vendor (docs/rulings.md 173). Of images that
 * are priced by size and quality: those of all that the vendor may choose (docs/rulings.md 223).
 */
export function possiblePrices(usual: Price, { charged, body }: RareRequest): readonly Price[] {
  if (usual.variants?.images !== undefined) return imageLists(usual, body ?? {});
  const has_tiers = usual.variants?.service_tiers !== undefined && leavesTier(body);
  if ((charged === undefined || charged.length === 0) && !has_tiers) return [usual];
  const { price, asked } = judgeCharges(charged ?? [], usual);
  const lists = price === usual ? [usual] : [usual, price];
  return has_tiers && asked.service_tier === undefined ? [...lists, ...tierLists(usual, asked)] : lists;
}

function leavesTier(body: RareRequest["body"]): boolean {
  const tier = body?.service_tier;
  return typeof tier !== "string" || tier === "auto";
}

/** The most tokens that one call of a vendor's own tool may bring into the input. */
export const FINDINGS_BOUND_TOKENS = 16_384;

/**
 * An upper bound of the input of a request whose tools the vendor calls: the conversation is read again after each call, with
 * what all of them have found so far, and never more at once than the context holds. A tool without a price is not sent.
 */
export function inputWithFindings(
  bound_tokens: number,
  context_length: number | null,
  { charged }: RareRequest,
  usual: Price,
): number {
  if (charged === undefined || charged.length === 0) return bound_tokens;
  const calls = callsOf(judgeCharges(charged, usual).kept);
  const most = CALL_NAMES.reduce((sum, name) => sum + (calls[name] ?? 0), 0);
  const room = context_length ?? Number.POSITIVE_INFINITY;
  let total = 0;
  for (let call = 0; call <= most; call++) total += Math.min(room, bound_tokens + call * FINDINGS_BOUND_TOKENS);
  return total;
}
