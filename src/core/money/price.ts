import { divideRoundingUp, type Micro, micro, timesWithin } from "./money.ts";
import {
  CALL_NAMES,
  type CallClass,
  lifetimeClass,
  lifetimeIn,
  type MainClass,
  PART_NAMES,
  type PricedUnit,
  TOKEN_PARTS,
  type TokenPart,
  UNIT_NAMES,
  UNIT_PRICES,
  type UnitCounts,
  type UnitPrice,
} from "./price-classes.ts";
import { tokensOfPart, totalInput, type Usage } from "./usage.ts";

export type PartPrices = Readonly<Partial<Record<TokenPart, number>>>;
export type UnitPrices = Readonly<Partial<Record<UnitPrice, number>>>;
export type CallPrices = Readonly<Partial<Record<CallClass, number>>>;

/** Prices of the token classes, in whole micro units per million tokens. */
export interface ClassPrices {
  readonly input_micro_per_mtok: number;
  readonly output_micro_per_mtok: number;
  readonly cache_read_micro_per_mtok: number;
  readonly cache_write_micro_per_mtok: number;
  /** Prices of the parts that are priced apart; a part that is not listed is charged as its class. Never empty. */
  readonly parts_micro_per_mtok?: PartPrices;
}

/** Prices that hold for the whole request when its input is strictly above the threshold (docs/rulings.md 44). */
export interface PriceTier extends ClassPrices {
  readonly above_input_tokens: number;
}

/** One version of a model's price. A request keeps the version that it was admitted with; a version never changes. */
export interface Price extends ClassPrices {
  /** Names this version on receipts: stable for equal prices, different for different ones. */
  readonly version: string;
  /** When the price takes effect, milliseconds since the epoch; 0 for always. */
  readonly from_ms: number;
  /** The basis of the charge for our engine's decisions: the input of every call. Absent: the input of the request, once. */
  readonly per?: "call";
  /** Ascending by threshold. */
  readonly tiers: readonly PriceTier[];
  /** Prices of the vendor's own tools, in whole micro units per thousand calls. Never empty. */
  readonly calls_micro_per_kcall?: CallPrices;
  /** Prices of what is charged beside tokens, in whole micro units: for a million characters, a minute of sound, an image. Never empty. */
  readonly units_micro?: UnitPrices;
  /** The parameters that selected this price list: `service_tier=priority`. Absent on the usual list. */
  readonly variant?: string;
  /** The other price lists of this version. A request stores only the list that applies to it, without the others. */
  readonly variants?: PriceVariants;
}

/** Price lists for parameters beside the model, by the parameter's value. */
export interface PriceVariants {
  readonly service_tiers?: Readonly<Record<string, Price>>;
  readonly speeds?: Readonly<Record<string, Price>>;
  /** By `SIZE/QUALITY`, such as `1024x1024/hd`; the price's own list is for all other images. */
  readonly images?: Readonly<Record<string, Price>>;
  /** Factors in millionths on every token class of the list that applies, by the requested place of computation. */
  readonly residency_millionths?: Readonly<Record<string, number>>;
}

const TOKENS_PER_MTOK = 1_000_000n;
/** A thousand calls, in millionths of one. */
const MILLIONTHS_PER_CALL_OF_KCALL = 1000;

/** The class prices that apply to a request with this many input tokens. */
export function pricesAt(price: Price, input_tokens: number): ClassPrices {
  let applicable: ClassPrices = price;
  for (const tier of price.tiers) if (input_tokens > tier.above_input_tokens) applicable = tier;
  return applicable;
}

/** The cost of a usage: exact integer arithmetic, one rounding per request, up (docs/rulings.md 23). */
export function costOf(usage: Usage, price: Price): Micro {
  const prices = pricesAt(price, totalInput(usage));
  if (isPlain(usage, prices)) {
    const sum =
      usage.input_tokens * prices.input_micro_per_mtok +
      usage.cache_read_tokens * prices.cache_read_micro_per_mtok +
      usage.cache_write_tokens * prices.cache_write_micro_per_mtok +
      usage.output_tokens * prices.output_micro_per_mtok;
    const exact = roundUpExact(sum);
    if (exact !== null) return exact;
  }
  return divideRoundingUp(costInMillionths(usage, price), TOKENS_PER_MTOK);
}

/** Whether a usage is charged for the four classes alone. */
function isPlain({ extra }: Usage, { parts_micro_per_mtok: parts }: ClassPrices): boolean {
  return extra === undefined && parts?.output_reasoning === undefined;
}

/**
 * A sum of products of whole numbers in millionths, rounded up to whole units; null where the double may be inexact. No
 * product is negative, so all products are exact where the sum is. Nearly every request's sum is, and then one bigint
 * suffices where a dozen would be needed.
 */
function roundUpExact(sum: number): Micro | null {
  if (!Number.isSafeInteger(sum)) return null;
  const rest = sum % 1_000_000;
  return micro((sum - rest) / 1_000_000 + (rest > 0 ? 1 : 0));
}

/** The cost of a usage in millionths of a micro unit, not rounded: for sums over many calls. */
export function costInMillionths(usage: Usage, price: Price): bigint {
  let sum = 0n;
  for (const { cost_millionths } of chargedClasses(usage, price)) sum += cost_millionths;
  return sum;
}

export interface ChargedClass {
  readonly class: MainClass | TokenPart | CallClass | UnitPrice;
  readonly unit: "token" | "call" | PricedUnit;
  readonly count: number;
  /** Micro units per million tokens or characters, per thousand calls, per minute, or per image. */
  readonly price_micro: number;
  /** Count times price in millionths of a micro unit; that of sound is rounded up to one. */
  readonly cost_millionths: bigint;
}

const MAIN = ["input", "cache_read", "cache_write", "output"] as const satisfies readonly MainClass[];

/**
 * The disjoint classes of a usage that have tokens or calls, each with its price: the four classes without the parts
 * that are priced apart, those parts, and calls. Calls without a price are not charged and are left out.
 */
export function chargedClasses(usage: Usage, price: Price): ChargedClass[] {
  const prices = pricesAt(price, totalInput(usage));
  const { parts_micro_per_mtok: parts, cache_read_micro_per_mtok, cache_write_micro_per_mtok } = prices;
  const rest = mainCounts(usage);
  const of_parts: ChargedClass[] = [];
  if (parts !== undefined) {
    for (const name of PART_NAMES) {
      const price_micro = parts[name];
      const count = price_micro === undefined ? 0 : tokensOfPart(usage, name);
      if (price_micro === undefined || count === 0) continue;
      rest[TOKEN_PARTS[name]] -= count;
      of_parts.push(tokens(name, count, price_micro));
    }
  }
  const of_main = {
    input: prices.input_micro_per_mtok,
    cache_read: cache_read_micro_per_mtok,
    cache_write: cache_write_micro_per_mtok,
    output: prices.output_micro_per_mtok,
  };
  const charged = MAIN.flatMap((name) => [
    ...(rest[name] > 0 ? [tokens(name, rest[name], of_main[name])] : []),
    ...of_parts.filter((part) => TOKEN_PARTS[part.class as TokenPart] === name),
  ]);
  if (usage.extra === undefined) return charged;
  return [...charged, ...chargedCalls(usage, price), ...chargedUnits(usage.extra.units, price)];
}

function mainCounts(usage: Usage): Record<MainClass, number> {
  return {
    input: usage.input_tokens,
    cache_read: usage.cache_read_tokens,
    cache_write: usage.cache_write_tokens,
    output: usage.output_tokens,
  };
}

function tokens(name: ChargedClass["class"], count: number, price_micro: number): ChargedClass {
  return { class: name, unit: "token", count, price_micro, cost_millionths: BigInt(count) * BigInt(price_micro) };
}

function chargedCalls({ extra }: Usage, { calls_micro_per_kcall: prices }: Price): ChargedClass[] {
  return CALL_NAMES.flatMap((name) => {
    const count = extra?.calls?.[name] ?? 0;
    const price_micro = prices?.[name];
    if (price_micro === undefined || count === 0) return [];
    const cost_millionths = BigInt(count) * BigInt(price_micro) * BigInt(MILLIONTHS_PER_CALL_OF_KCALL);
    return [{ class: name, unit: "call" as const, count, price_micro, cost_millionths }];
  });
}

/** Rounding each sum up to a millionth and the whole up to a micro unit is the same as rounding up once. */
function chargedUnits(units: UnitCounts | undefined, { units_micro: prices }: Price): ChargedClass[] {
  if (units === undefined || prices === undefined) return [];
  return UNIT_NAMES.flatMap((name) => {
    const { counts, unit, per } = UNIT_PRICES[name];
    const count = units[counts] ?? 0;
    const price_micro = prices[name];
    if (price_micro === undefined || count === 0) return [];
    return [{ class: name, unit, count, price_micro, cost_millionths: unitCost(count, price_micro, per) }];
  });
}

function unitCost(count: number, price_micro: number, per: bigint): bigint {
  return divideRoundingUp(BigInt(count) * BigInt(price_micro) * TOKENS_PER_MTOK, per);
}

/**
 * The names of reported counts that have no price of their own: calls that have none, counts that have no class, and cache writes of a
 * lifetime that has none, which are charged as writes.
 */
export function unpricedOf(
  { extra }: Usage,
  { calls_micro_per_kcall, parts_micro_per_mtok }: Price,
): readonly string[] {
  if (extra === undefined) return NOTHING;
  const calls = CALL_NAMES.filter(
    (name) => extra.calls?.[name] !== undefined && calls_micro_per_kcall?.[name] === undefined,
  );
  const others = (extra.unpriced ?? NOTHING).filter((name) => !isPricedLifetime(name, parts_micro_per_mtok));
  return [...calls, ...others];
}

function isPricedLifetime(name: string, prices: PartPrices | undefined): boolean {
  const lifetime = lifetimeIn(name);
  const found = lifetime === null ? null : lifetimeClass(lifetime);
  return found !== null && (found === "usual" || prices?.[found] !== undefined);
}

const NOTHING: readonly string[] = [];

/** The charges beyond the four classes that a request may cause. */
export interface RareCosts {
  /** The parts that the request's tokens may belong to. */
  readonly parts: ReadonlySet<TokenPart>;
  /** The largest number of calls, by tool. */
  readonly calls: CallPrices;
  /** What the request has beside tokens. */
  readonly units?: UnitCounts | undefined;
}

/**
 * An upper bound of the cost of any usage with at most this many input and output tokens: each class is counted at the
 * dearest price that any tier up to the bound could apply (docs/rulings.md 22). `rare` is null for most requests.
 */
export function costBound(
  input_tokens: number,
  output_tokens: number,
  price: Price,
  rare: RareCosts | null = null,
): Micro {
  let input = dearest(price, INPUTS, rare);
  let output = dearest(price, OUTPUTS, rare);
  for (const tier of price.tiers) {
    if (tier.above_input_tokens >= input_tokens) break;
    input = Math.max(input, dearest(tier, INPUTS, rare));
    output = Math.max(output, dearest(tier, OUTPUTS, rare));
  }
  const beside = rare === null ? 0n : callsBound(price, rare) + unitsBound(price, rare);
  const exact = beside === 0n ? roundUpExact(input_tokens * input + output_tokens * output) : null;
  if (exact !== null) return exact;
  return divideRoundingUp(
    BigInt(input_tokens) * BigInt(input) + BigInt(output_tokens) * BigInt(output) + beside,
    TOKENS_PER_MTOK,
  );
}

/** The bound of `costBound` as a line over the output: what the input and the calls cost at most, and each output token. */
interface CostLine {
  readonly base_micro: Micro;
  readonly output_micro_per_mtok: number;
}

/** For every number of output tokens the line is at or above `costBound`, by less than 2 micro. */
export function costLine(input_tokens: number, price: Price, rare: RareCosts | null = null): CostLine {
  let output_micro_per_mtok = dearest(price, OUTPUTS, rare);
  for (const tier of price.tiers) {
    if (tier.above_input_tokens >= input_tokens) break;
    output_micro_per_mtok = Math.max(output_micro_per_mtok, dearest(tier, OUTPUTS, rare));
  }
  return { base_micro: costBound(input_tokens, 0, price, rare), output_micro_per_mtok };
}

/** The highest cost of this many output tokens at a price, rounded up. */
export function outputCost(tokens: number, output_micro_per_mtok: number): Micro {
  return divideRoundingUp(BigInt(tokens) * BigInt(output_micro_per_mtok), TOKENS_PER_MTOK);
}

/** The output tokens that an amount pays for, rounded down; no limit where they are free. */
export function affordableOutput(amount_micro: Micro, output_micro_per_mtok: number): number {
  if (output_micro_per_mtok === 0) return Number.POSITIVE_INFINITY;
  return timesWithin(amount_micro * TOKENS_PER_MTOK, BigInt(output_micro_per_mtok));
}

/** The dearest price of a generated token in any tier: the price at which a hold is extended. */
export function highestOutputPrice(price: Price, rare: RareCosts | null): number {
  return price.tiers.reduce(
    (most, tier) => Math.max(most, dearest(tier, OUTPUTS, rare)),
    dearest(price, OUTPUTS, rare),
  );
}

const INPUTS: readonly MainClass[] = ["input", "cache_read", "cache_write"];
const OUTPUTS: readonly MainClass[] = ["output"];

function dearest(prices: ClassPrices, classes: readonly MainClass[], rare: RareCosts | null): number {
  const { parts_micro_per_mtok: parts } = prices;
  let most =
    classes === OUTPUTS
      ? prices.output_micro_per_mtok
      : Math.max(prices.input_micro_per_mtok, prices.cache_read_micro_per_mtok, prices.cache_write_micro_per_mtok);
  if (parts === undefined) return most;
  for (const name of PART_NAMES) {
    const may_be = name === "output_reasoning" || rare?.parts.has(name) === true;
    if (may_be && classes.includes(TOKEN_PARTS[name])) most = Math.max(most, parts[name] ?? 0);
  }
  return most;
}

function callsBound({ calls_micro_per_kcall: prices }: Price, { calls }: RareCosts): bigint {
  let sum = 0n;
  for (const name of CALL_NAMES) {
    sum += BigInt(calls[name] ?? 0) * BigInt(prices?.[name] ?? 0) * BigInt(MILLIONTHS_PER_CALL_OF_KCALL);
  }
  return sum;
}

function unitsBound(price: Price, { units }: RareCosts): bigint {
  return chargedUnits(units, price).reduce((sum, { cost_millionths }) => sum + cost_millionths, 0n);
}
