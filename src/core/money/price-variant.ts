import { divideRoundingUp } from "./money.ts";
import type { ClassPrices, Price } from "./price.ts";
import { PART_NAMES, type TokenPart } from "./price-classes.ts";
import type { Served } from "./usage.ts";

/**
 * Parameters beside the model that have a price list of their own; a field is absent where the request does not set it.
 */
export interface PriceParameters {
  readonly service_tier?: string;
  readonly speed?: string;
  readonly residency?: string;
  /** The size and quality of images, as `SIZE/QUALITY`. */
  readonly image?: string;
}

const known = new WeakMap<Price, Map<string, Price | null>>();

/**
 * The price list for what a request asks for; null where the price has no such list. Equal requests get one object, as
 * lists are written into many requests. A residency's factor applies to every token class, rounded up to whole micro
 * units; prices of calls stay.
 */
export function priceFor(price: Price, asked: PriceParameters | null): Price | null {
  if (asked === null) return price;
  const name = nameOf(asked);
  if (name === "") return price;
  let lists = known.get(price);
  if (lists === undefined) {
    lists = new Map();
    known.set(price, lists);
  }
  let list = lists.get(name);
  if (list === undefined) {
    list = workOut(price, asked, name);
    // Clients choose what they ask for: only combinations that have a list are remembered.
    if (list !== null) lists.set(name, list);
  }
  return list;
}

/** Vendors' names for the service tier that is served by default: the usual list applies to it. */
const USUAL_TIERS: ReadonlySet<string> = new Set([
  ...["default", "standard", "standard_only", "auto", "on_demand", "unspecified"],
]);
const USUAL_SPEEDS: ReadonlySet<string> = new Set(["standard"]);

/** The price list of an answer by what its vendor says that it served. */
interface ServedPrice {
  readonly price: Price;
  /**
   * The served tier or speed that has no price list, which is reported to the operator; the list that was asked for applies. Null for none.
   */
  readonly unpriced: string | null;
}

/** The list for what was served, where the price has one, else the list for what was asked for (docs/rulings.md 173). */
export function servedPrice(usual: Price, asked: PriceParameters, served: Served): ServedPrice {
  if (usual.variants?.images !== undefined && served.image !== undefined)
    return { price: priceFor(usual, { image: served.image }) ?? usual, unpriced: null };
  const { service_tier, speed } = asked;
  const tier = servedName(served.service_tier, service_tier, USUAL_TIERS);
  const pace = servedName(served.speed, speed, USUAL_SPEEDS);
  const list = priceFor(usual, tier === service_tier && pace === speed ? asked : withNames(asked, tier, pace));
  if (list !== null) return { price: list, unpriced: null };
  const named = tier === service_tier ? `speed=${pace}` : `service_tier=${tier}`;
  return { price: priceFor(usual, asked) ?? usual, unpriced: named.slice(0, LONGEST_NAME) };
}

function withNames(
  { service_tier: _tier, speed: _pace, ...rest }: PriceParameters,
  tier: string | undefined,
  pace: string | undefined,
): PriceParameters {
  return { ...rest, ...(tier && { service_tier: tier }), ...(pace && { speed: pace }) };
}

const LONGEST_NAME = 64;

function servedName(
  served: string | undefined,
  asked: string | undefined,
  usual: ReadonlySet<string>,
): string | undefined {
  if (served === undefined) return asked;
  return usual.has(served.toLowerCase()) ? undefined : served;
}

/**
 * Every list by which a vendor may charge a request that leaves the service tier to the vendor: the vendor's account may have another
 * default.
 */
export function tierLists(usual: Price, asked: PriceParameters): Price[] {
  const tiers = Object.keys(usual.variants?.service_tiers ?? {});
  return tiers.flatMap((service_tier) => priceFor(usual, { ...asked, service_tier }) ?? []);
}

/** What a request says of the images that it asks for: a member that is absent or `auto` leaves the choice to the vendor. */
interface ImagePriceParameters {
  readonly size?: unknown;
  readonly quality?: unknown;
}

/** Every list by which a vendor may charge images that were asked for so. */
export function imageLists(usual: Price, { size, quality }: ImagePriceParameters): Price[] {
  const lists = usual.variants?.images ?? {};
  const [of_size, of_quality] = [sayingOf(size), sayingOf(quality)];
  if (of_size !== null && of_quality !== null) return [own(lists, `${of_size}/${of_quality}`) ?? usual];
  const possible = Object.entries(lists).filter(([name]) => {
    const [its_size, its_quality] = name.split("/");
    return (of_size ?? its_size) === its_size && (of_quality ?? its_quality) === its_quality;
  });
  return [usual, ...possible.map(([, list]) => list)];
}

/** A size or quality that is said; null where it is left to the vendor. */
export function sayingOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" && value !== "auto" ? value : null;
}

function nameOf({ service_tier, speed, residency, image }: PriceParameters): string {
  const parts: string[] = [];
  if (image !== undefined) parts.push(`image=${image}`);
  if (service_tier !== undefined) parts.push(`service_tier=${service_tier}`);
  if (speed !== undefined) parts.push(`speed=${speed}`);
  if (residency !== undefined) parts.push(`residency=${residency}`);
  return parts.join(",");
}

function workOut({ variants, ...usual }: Price, asked: PriceParameters, name: string): Price | null {
  const { service_tier, speed, residency, image } = asked;
  if (image !== undefined) return own(variants?.images, image) ?? null;
  // A price has no list for a tier combined with a speed: no vendor serves that.
  if (service_tier !== undefined && speed !== undefined) return null;
  const tier = service_tier === undefined ? usual : own(variants?.service_tiers, service_tier);
  const list = speed === undefined ? tier : own(variants?.speeds, speed);
  if (list === undefined) return null;
  if (residency === undefined) return list;
  const factor = own(variants?.residency_millionths, residency);
  return factor === undefined ? null : multiplied(list, factor, name);
}

function own<Value>(record: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

function multiplied(price: Price, factor_millionths: number, variant: string): Price {
  const { version, tiers, ...rest } = price;
  return {
    ...rest,
    ...classesTimes(price, factor_millionths),
    tiers: tiers.map((tier) => ({ ...tier, ...classesTimes(tier, factor_millionths) })),
    version: `${version}*${factor_millionths / 1_000_000}`,
    variant,
  };
}

function classesTimes(prices: ClassPrices, factor_millionths: number): ClassPrices {
  const times = (price: number) => Number(divideRoundingUp(BigInt(price) * BigInt(factor_millionths), 1_000_000n));
  const { parts_micro_per_mtok: parts } = prices;
  const of_parts: Partial<Record<TokenPart, number>> = {};
  for (const name of PART_NAMES) {
    const price = parts?.[name];
    if (price !== undefined) of_parts[name] = times(price);
  }
  return {
    input_micro_per_mtok: times(prices.input_micro_per_mtok),
    output_micro_per_mtok: times(prices.output_micro_per_mtok),
    cache_read_micro_per_mtok: times(prices.cache_read_micro_per_mtok),
    cache_write_micro_per_mtok: times(prices.cache_write_micro_per_mtok),
    ...(parts !== undefined && { parts_micro_per_mtok: of_parts }),
  };
}
