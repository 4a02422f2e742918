import {
  CALL_NAMES,
  type CallClass,
  type CallCounts,
  PART_NAMES,
  type PartCounts,
  TOKEN_PARTS,
  type TokenPart,
  type UnitCounts,
} from "./price-classes.ts";

/**
 * Token usage in disjoint classes: every input token is in exactly one of the three input classes, so a cost is a plain
 * sum of class × price. Each wire style's own counting is converted at the edge (docs/rulings.md 13).
 */
export interface Usage {
  /** Input tokens that were neither read from nor written to a cache. */
  readonly input_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  /** All generated tokens, reasoning included. */
  readonly output_tokens: number;
  /** The part of `output_tokens` that was reasoning. */
  readonly reasoning_tokens: number;
  /** Absent on nearly all requests. */
  readonly extra?: UsageExtra;
  /** What the vendor says that it served. It chooses the price list and is no part of what is booked. */
  readonly served?: Served;
}

/** The service tier and the speed that a vendor names in its answer (docs/rulings.md 173). */
export interface Served {
  readonly service_tier?: string | undefined;
  readonly speed?: string | undefined;
  /** The size and quality of its images, as `SIZE/QUALITY`. */
  readonly image?: string | undefined;
}

/**
 * Adds the service tier and speed that a vendor's answer names to a usage. The members are unchecked and count only where they are names.
 */
export function withServed(usage: Usage, service_tier: unknown, speed?: unknown): Usage {
  const tier = typeof service_tier === "string" && service_tier !== "" ? service_tier : undefined;
  const pace = typeof speed === "string" && speed !== "" ? speed : undefined;
  if (tier === undefined && pace === undefined) return usage;
  const before = usage.served;
  return { ...usage, served: { service_tier: tier ?? before?.service_tier, speed: pace ?? before?.speed } };
}

export function withoutServed(usage: Usage): Usage {
  if (usage.served === undefined) return usage;
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, extra } = usage;
  const booked = { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens };
  return extra === undefined ? booked : { ...booked, extra };
}

/** Rare parts of a usage (docs/adr/0018). Counts are above 0; a count of 0 is left out. */
export interface UsageExtra {
  /** Tokens that are already counted in one of the four classes, and may have a price of their own. */
  readonly parts?: PartCounts;
  /** Calls of the vendor's own tools. */
  readonly calls?: CallCounts;
  /** What is charged beside tokens: characters that were sent, seconds of sound, images. */
  readonly units?: UnitCounts;
  /**
   * The vendor's names of counts that have no class, or one that not every price has (lifetimes of cache writes): what has no price is
   * listed on the receipt, and not charged, or charged as the class that it is a part of.
   */
  readonly unpriced?: readonly string[];
}

export const NO_USAGE: Usage = {
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
};

/** All input tokens, cached ones included: what a price tier's threshold and style A's `prompt_tokens` count. */
export function totalInput(usage: Usage): number {
  return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
}

/** Whether two usages have the same counts in the classes that clients are shown. */
export function sameCounts(one: Usage, other: Usage): boolean {
  return (
    one === other ||
    (one.input_tokens === other.input_tokens &&
      one.cache_read_tokens === other.cache_read_tokens &&
      one.cache_write_tokens === other.cache_write_tokens &&
      one.output_tokens === other.output_tokens &&
      one.reasoning_tokens === other.reasoning_tokens)
  );
}

/**
 * Merges two usages that a vendor reports for one answer. A later report replaces an earlier one, as the end of an answer corrects the
 * estimate at its start, but a zero never erases a count (docs/rulings.md 145): output only grows, and where the input has become smaller,
 * classes that are now zero keep their earlier counts as far as the earlier total allows.
 */
export function laterUsage(earlier: Usage | null, later: Usage): Usage {
  if (earlier === null) return later;
  const output_tokens = Math.max(earlier.output_tokens, later.output_tokens);
  const reasoning_tokens = Math.min(Math.max(earlier.reasoning_tokens, later.reasoning_tokens), output_tokens);
  const served = later.served === undefined ? earlier.served : { ...earlier.served, ...later.served };
  const counts = { ...laterInput(earlier, later), output_tokens, reasoning_tokens };
  const merged: Usage = served === undefined ? counts : { ...counts, served };
  if (earlier.extra === undefined && later.extra === undefined) return merged;
  const extra = laterExtra(earlier.extra ?? {}, later.extra ?? {});
  // Parts whose tokens have moved to another class since are dropped.
  return withExtra(merged, extra) ?? withExtra(merged, { ...extra, parts: later.extra?.parts ?? {} }) ?? merged;
}

const INPUT_CLASSES = ["cache_write_tokens", "input_tokens", "cache_read_tokens"] as const;

function laterInput(earlier: Usage, later: Usage): Pick<Usage, (typeof INPUT_CLASSES)[number]> {
  const { input_tokens, cache_read_tokens, cache_write_tokens } = later;
  const counts = { input_tokens, cache_read_tokens, cache_write_tokens };
  let room = totalInput(earlier) - totalInput(later);
  for (const name of INPUT_CLASSES) {
    if (room <= 0) break;
    if (counts[name] !== 0) continue;
    counts[name] = Math.min(earlier[name], room);
    room -= counts[name];
  }
  return counts;
}

function laterExtra(earlier: UsageExtra, later: UsageExtra): UsageExtra {
  return {
    parts: { ...earlier.parts, ...later.parts },
    calls: most(earlier.calls ?? {}, later.calls ?? {}),
    units: { ...earlier.units, ...later.units },
    unpriced: [...new Set([...(earlier.unpriced ?? []), ...(later.unpriced ?? [])])],
  };
}

function most(earlier: CallCounts, later: CallCounts): CallCounts {
  const counts: Partial<Record<CallClass, number>> = { ...earlier };
  for (const name of CALL_NAMES) {
    const count = later[name];
    if (count !== undefined) counts[name] = Math.max(count, counts[name] ?? 0);
  }
  return counts;
}

/** The billed usage where it is not the vendor's own, so that clients are shown it instead; null where nothing changes. */
export function replacementUsage(billed: Usage | undefined, told: Usage | null): Usage | null {
  if (billed === undefined) return null;
  return told !== null && sameCounts(billed, told) ? null : billed;
}

const MAX_COUNT = 2 ** 31;

/** Whether a vendor's count can be believed: a whole number from 0 to 2³¹ (docs/rulings.md 44). */
export function isPlausibleCount(count: unknown): count is number {
  return typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= MAX_COUNT;
}

/**
 * A usage with its extras, without counts of 0. Null where they cannot be believed: an invalid count, or parts that
 * exceed their class (docs/rulings.md 44).
 */
export function withExtra(usage: Usage, extra: UsageExtra): Usage | null {
  const parts = countedOf(extra.parts);
  const calls = countedOf(extra.calls);
  const units = countedOf(extra.units);
  if (parts === null || calls === null || units === null || !fitsClasses(usage, parts)) return null;
  const unpriced = extra.unpriced ?? [];
  const found: UsageExtra = {
    ...(Object.keys(parts).length > 0 && { parts }),
    ...(Object.keys(calls).length > 0 && { calls }),
    ...(Object.keys(units).length > 0 && { units }),
    ...(unpriced.length > 0 && { unpriced }),
  };
  return Object.keys(found).length === 0 ? usage : { ...usage, extra: found };
}

function countedOf<Name extends string>(counts: Readonly<Partial<Record<Name, number>>> | undefined) {
  const counted: Partial<Record<Name, number>> = {};
  for (const name in counts) {
    const count = counts[name];
    if (!isPlausibleCount(count)) return null;
    if (count > 0) counted[name] = count;
  }
  return counted;
}

function fitsClasses(usage: Usage, parts: PartCounts): boolean {
  const rest = {
    input: usage.input_tokens,
    cache_read: usage.cache_read_tokens,
    cache_write: usage.cache_write_tokens,
    output: usage.output_tokens,
  };
  for (const name of PART_NAMES) {
    rest[TOKEN_PARTS[name]] -= parts[name] ?? 0;
    if (rest[TOKEN_PARTS[name]] < 0) return false;
  }
  return true;
}

/**
 * The tokens of a part. Reasoning is not among the extras, because every usage counts it: its part is the reasoning that no medium's part
 * contains.
 */
export function tokensOfPart(usage: Usage, part: TokenPart): number {
  const parts = usage.extra?.parts;
  if (part !== "output_reasoning") return parts?.[part] ?? 0;
  const media = (parts?.output_audio ?? 0) + (parts?.output_image ?? 0) + (parts?.output_video ?? 0);
  return Math.min(usage.reasoning_tokens, usage.output_tokens - media);
}
