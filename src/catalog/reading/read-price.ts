import { type ChargedSides, chargesOutput } from "../../core/catalog/catalog.ts";
import type { Price, PriceVariants } from "../../core/money/price.ts";
import { CALL_NAMES, type CallClass, UNIT_NAMES, type UnitPrice } from "../../core/money/price-classes.ts";
import { imageList, type PriceTerms, withVersion } from "../prices/price-version.ts";
import { report, type YamlPlace } from "./place.ts";
import { CLASSES, readListedPrices } from "./read-class-prices.ts";
import {
  isList,
  isMapping,
  readEach,
  readEntries,
  readFields,
  readList,
  reportMissing,
  type YamlFields,
} from "./read-fields.ts";
import { type FollowingDraft, isFollowing, readFollowing } from "./read-markup.ts";
import { readDate, readFactor, readOneOf, readPriceNumber } from "./read-scalar.ts";

/** The prices of a document: those with figures, and those that follow the vendors' prices. Both ascending by date. */
export interface ReadPrices {
  readonly figures: readonly Price[];
  readonly follows: readonly FollowingDraft[];
}

/**
 * Reads a price, or a list of prices with the dates from which they apply, ascending. Null when any part has a
 * mistake.
 */
export function readPrices(place: YamlPlace, charged: ChargedSides): ReadPrices | null {
  const items = isList(place) ? readList(place, "a list of prices") : [place];
  if (items === null) return null;
  const figures: Price[] = [];
  const follows: FollowingDraft[] = [];
  const seen = new Set<number>();
  for (const item of items) {
    const following = isFollowing(item) ? readFollowing(item) : null;
    const price = following ?? (isFollowing(item) ? null : readPrice(item, charged));
    if (price === null) continue;
    if (seen.has(price.from_ms))
      report(item, "one price for each date, and one without", "a second price from the same date");
    seen.add(price.from_ms);
    if (following === null) figures.push(price as Price);
    else follows.push(following);
  }
  if (figures.length + follows.length < items.length) return null;
  return { figures: figures.toSorted(byDate), follows: follows.length === 0 ? NONE : follows.toSorted(byDate) };
}

const NONE: readonly FollowingDraft[] = [];

function byDate(one: { readonly from_ms: number }, other: { readonly from_ms: number }): number {
  return one.from_ms - other.from_ms;
}

/** Reads a vendor's prices: figures alone, as a cost follows no other price. */
export function readCost(place: YamlPlace | null, charged: ChargedSides): readonly Price[] | null {
  const read = place === null ? null : readPrices(place, charged);
  const [following] = read?.follows ?? [];
  if (following !== undefined)
    return report(following.place, "figures such as { input: 3.00, output: 15.00 }", "follows");
  return read?.figures ?? null;
}

/** The terms that all price lists of one version share. */
type Common = Pick<PriceTerms, "from_ms" | "calls_micro_per_kcall" | "units_micro">;

function readPrice(place: YamlPlace, charged: ChargedSides): Price | null {
  const fields = readFields(place, [
    ...CLASSES,
    ...UNIT_NAMES,
    "tiers",
    "from",
    "per",
    "calls",
    "service_tiers",
    "speeds",
    "residency",
  ]);
  if (fields === null) return null;
  const from = fields.get("from");
  const from_ms = from === null ? 0 : readDate(from);
  const by_unit = readUnits(fields, charged);
  const is_by_unit = by_unit !== null && Object.keys(by_unit.units).length > 0;
  const listed = readListedPrices(fields, is_by_unit ? "units-only" : charged);
  const calls = readCalls(fields.get("calls"), charged);
  const per = readPer(fields.get("per"), charged);
  if (from_ms === null || listed === null || calls === null || by_unit === null || per === null) return null;
  if (per === "call" && listed.tiers.length > 0)
    return report(place, "no tiers together with per: call, because each call is charged separately", "tiers");
  const common: Common = {
    from_ms,
    ...(Object.keys(calls).length > 0 && { calls_micro_per_kcall: calls }),
    ...(is_by_unit && { units_micro: by_unit.units }),
  };
  const service_tiers = readLists(fields.get("service_tiers"), "service_tier", common, charged);
  const speeds = readLists(fields.get("speeds"), "speed", common, charged);
  const residency = readResidency(fields.get("residency"), charged);
  if (service_tiers === null || speeds === null || residency === null) return null;
  const variants: PriceVariants = {
    ...(Object.keys(service_tiers).length > 0 && { service_tiers }),
    ...(Object.keys(speeds).length > 0 && { speeds }),
    ...(Object.keys(residency).length > 0 && { residency_millionths: residency }),
    ...imageVariants(by_unit.images, { ...common, ...listed }),
  };
  const price = withVersion({ ...common, ...listed, ...(per === "call" && { per }) });
  return Object.keys(variants).length === 0 ? price : { ...price, variants };
}

/** The basis of a decision's price: each call, or the request. */
function readPer(place: YamlPlace | null, charged: ChargedSides): "call" | "request" | null {
  if (place === null) return "request";
  if (charged !== "input-only") return report(place, "nothing: only decisions are charged by request or by call");
  return readOneOf(place, ["request", "call"]);
}

const INPUT_ONLY = "nothing: a decision is charged for its input only";

function readCalls(place: YamlPlace | null, charged: ChargedSides): Partial<Record<CallClass, number>> | null {
  if (place === null) return {};
  if (!chargesOutput(charged)) return report(place, INPUT_ONLY);
  const fields = readFields(place, CALL_NAMES);
  if (fields === null) return null;
  return readEach(
    CALL_NAMES.map((name) => [name, fields.get(name)] as const),
    readPriceNumber,
  );
}

/** The prices of what is charged in place of tokens; those of images beside the usual one, by `SIZE/QUALITY`. */
interface ReadUnits {
  readonly units: Partial<Record<UnitPrice, number>>;
  readonly images: Readonly<Record<string, number>>;
}

/** A kind of models has one such unit, or none. */
function readUnits(fields: YamlFields<UnitPrice>, charged: ChargedSides): ReadUnits | null {
  const units: Partial<Record<UnitPrice, number>> = {};
  let images: Record<string, number> = {};
  let is_right = true;
  for (const name of UNIT_NAMES) {
    const place = fields.get(name);
    if (place === null) continue;
    const table = charged === name && name === "images" && isMapping(place) ? readImages(place) : null;
    const price = table === null ? readUnit(place, name, charged) : table.default;
    if (price === null || price === undefined) is_right = false;
    else units[name] = price;
    if (table !== null) images = table.others;
  }
  return is_right ? { units, images } : null;
}

function readUnit(place: YamlPlace, name: UnitPrice, charged: ChargedSides): number | null {
  if (charged === name) return readPriceNumber(place);
  const is_unit = charged !== "input-only" && charged !== "input-and-output";
  return report(place, `nothing: the kind of this model is charged by tokens${is_unit ? ` or ${charged}` : ""}`);
}

/** The prices of images by size and quality, with one for all others. */
function readImages(place: YamlPlace): { readonly default: number | null; readonly others: Record<string, number> } {
  const wrong = { default: null, others: {} };
  const entries = readEntries(place, "a map of prices by SIZE/QUALITY, with a default");
  if (entries === null) return wrong;
  const others: Record<string, number> = {};
  let usual: number | null = null;
  for (const [name, inside] of entries) {
    const price = readPriceNumber(inside);
    if (price === null) return wrong;
    if (name === "default") usual = price;
    else if (IMAGE_NAME.test(name)) others[name] = price;
    else {
      report(inside, "default, or SIZE/QUALITY such as 1024x1024/hd", `the name ${JSON.stringify(name)}`);
      return wrong;
    }
  }
  if (usual === null) reportMissing(place, "default", "the price of an image of any other size and quality");
  return { default: usual, others };
}

const IMAGE_NAME = /^\d{2,5}x\d{2,5}\/[a-z]{1,16}$/;

function imageVariants(images: Readonly<Record<string, number>>, terms: PriceTerms): Pick<PriceVariants, "images"> {
  const lists = Object.entries(images).map(([name, price]) => [name, imageList(terms, name, price)] as const);
  return lists.length === 0 ? {} : { images: Object.fromEntries(lists) };
}

/** Price lists for variants that a request can ask for, such as a speed; their names are the vendor's words. */
function readLists(
  place: YamlPlace | null,
  asked: "service_tier" | "speed",
  common: Common,
  charged: ChargedSides,
): Record<string, Price> | null {
  if (place === null) return {};
  if (!chargesOutput(charged)) return report(place, INPUT_ONLY);
  const entries = readEntries(place, `a map of price lists by the request's '${asked}'`);
  if (entries === null) return null;
  return readEach(entries, (inside, name) => {
    const fields = isVariantName(inside, name) ? readFields(inside, [...CLASSES, "tiers"]) : null;
    const listed = fields === null ? null : readListedPrices(fields, charged);
    return listed === null ? null : withVersion({ ...common, ...listed, variant: `${asked}=${name}` });
  });
}

function readResidency(place: YamlPlace | null, charged: ChargedSides): Record<string, number> | null {
  if (place === null) return {};
  if (!chargesOutput(charged)) return report(place, INPUT_ONLY);
  const entries = readEntries(place, "a map of factors by place, such as { us: 1.1 }");
  if (entries === null) return null;
  return readEach(entries, (inside, name) => (isVariantName(inside, name) ? readFactor(inside) : null));
}

/** Whether a name is allowed for a price variant; receipts contain these names. */
function isVariantName(place: YamlPlace, name: string): boolean {
  if (/^[a-z0-9][a-z0-9_-]{0,31}$/.test(name)) return true;
  report(place, "a name of a-z 0-9 _ -, at most 32 characters", `the name ${JSON.stringify(name)}`);
  return false;
}
