import { isObject, type JsonRecord, plainNumber } from "../../core/json.ts";
import {
  type CallClass,
  type CallCounts,
  lifetimeClass,
  lifetimeIn,
  type PartCounts,
  type TokenPart,
} from "../../core/money/price-classes.ts";
import { isPlausibleCount, type Usage, type UsageExtra, withExtra } from "../../core/money/usage.ts";

/**
 * Usage that few vendors report beyond the four classes (docs/adr/0018), read by one code for all protocols that report
 * it alike.
 */

const NOTHING: JsonRecord = {};

const MEDIA = ["audio", "image", "video"] as const;
type Medium = (typeof MEDIA)[number];
/** Tokens by medium as a vendor reports them: unchecked; a medium that is not reported is absent. */
export type MediaCounts = Readonly<Partial<Record<Medium, unknown>>>;

/** The media counts in a style A object of details: `audio_tokens`, `image_tokens`, `video_tokens`. */
function mediaOf({ audio_tokens: audio, image_tokens: image, video_tokens: video }: JsonRecord): MediaCounts | null {
  return audio || image || video ? { audio, image, video } : null;
}

export interface ReportedMedia {
  /** Counts in the whole input, cached tokens included. */
  readonly input: MediaCounts | null;
  /** Counts in the input that was read from a cache; null where the vendor does not report them. */
  readonly cached: MediaCounts | null;
  readonly output: MediaCounts | null;
}

/**
 * Media tokens as parts of a usage's classes. Where the vendor does not report which of them were cached, as many as
 * possible count as not cached: those are what the vendor would charge the most for. Null where a count cannot be
 * believed.
 */
export function mediaParts(usage: Usage, { input, cached, output }: ReportedMedia): PartCounts | null {
  const parts: Partial<Record<TokenPart, number>> = {};
  let fresh = usage.input_tokens;
  // Media tokens that are neither fresh nor read from a cache were written to a cache: no vendor prices those apart.
  let read_or_written = usage.cache_read_tokens + usage.cache_write_tokens;
  let read = usage.cache_read_tokens;
  for (const medium of MEDIA) {
    const all = input?.[medium] ?? 0;
    const told = cached === null ? undefined : (cached[medium] ?? 0);
    const generated = output?.[medium] ?? 0;
    if (!isPlausibleCount(all) || !isPlausibleCount(generated) || !isPlausibleCount(told ?? 0)) return null;
    const of_cache = told === undefined ? Math.max(0, all - fresh) : Number(told);
    if (of_cache > all || of_cache > read_or_written) return null;
    const of_read = Math.min(of_cache, read);
    fresh -= all - of_cache;
    read_or_written -= of_cache;
    read -= of_read;
    parts[`input_${medium}`] = all - of_cache;
    parts[`cache_read_${medium}`] = of_read;
    parts[`output_${medium}`] = generated;
  }
  return parts;
}

/** The vendor's own tools by the names that vendors count them by. */
const COUNTED_TOOLS: Readonly<Record<string, CallClass>> = {
  web_search_requests: "web_search",
  web_search_calls: "web_search",
  x_search_calls: "x_search",
  file_search_calls: "file_search",
  document_search_calls: "collections_search",
  code_interpreter_calls: "code_interpreter",
};
/** Tools that vendors count but do not charge for, beyond their tokens. */
const FREE_TOOLS: ReadonlySet<string> = new Set(["web_fetch_requests", "tool_search_requests", "mcp_calls"]);

const DETAILS: ReadonlySet<string> = new Set([
  ...["text_tokens", "audio_tokens", "image_tokens", "video_tokens"],
  ...["cached_tokens", "cached_tokens_details", "cache_write_tokens", "cache_creation_tokens"],
  ...["cache_write_tokens_details", "cache_creation_tokens_details", "cache_creation_token_details"],
  ...["reasoning_tokens", "thinking_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens"],
]);

const COUNT_NAME =
  /(_tokens|_units|_requests|_calls|_queries|_searches|_images|_seconds|_characters|_used|Count|Tokens)$/;
const LONGEST_NAME = 64;
const MOST_NAMES = 8;

/** A style A usage, and what is needed to read its members beyond the four classes. */
export interface StyleAUsage {
  readonly raw: JsonRecord;
  /**
   * The members of `raw` that the protocol defines; any other member that looks like a count is reported as unpriced.
   */
  readonly known: ReadonlySet<string>;
  readonly input_details: JsonRecord;
  readonly output_details: JsonRecord;
  readonly writes: ToldWrites | null;
  /** Calls that are counted elsewhere in the answer; the usage's own count wins. */
  readonly calls?: CallCounts | null;
}

/** The counts of a style A usage, as the vendor sent them: nobody has checked that they are numbers. */
export interface StyleACounts {
  /** All input, with what was read from a cache and written to one. */
  readonly input: unknown;
  readonly cache_read: unknown;
  readonly cache_write: unknown;
  readonly output: unknown;
  readonly reasoning: unknown;
  readonly total: unknown;
}

/** A style A usage in disjoint classes (docs/rulings.md 13); null where it cannot be believed (docs/rulings.md 44). */
export function styleAUsage(counts: StyleACounts, told: StyleAUsage): Usage | null {
  const { input, cache_read, output, reasoning, total } = counts;
  const cache_write = allWrites(counts.cache_write, told.writes);
  if (!isPlausibleCount(input) || !isPlausibleCount(cache_read) || !isPlausibleCount(cache_write)) return null;
  if (!isPlausibleCount(output) || !isPlausibleCount(reasoning) || cache_read + cache_write > input) return null;
  // xAI counts reasoning beside the output, everyone else inside: the vendor's own total shows which of the two applies.
  const is_apart = reasoning > output || (reasoning > 0 && total === input + output + reasoning);
  const usage: Usage = {
    input_tokens: input - cache_read - cache_write,
    cache_read_tokens: cache_read,
    cache_write_tokens: cache_write,
    output_tokens: is_apart ? output + reasoning : output,
    reasoning_tokens: reasoning,
  };
  return styleAExtra(usage, told);
}

/** A usage of style A with its extras: the same object where it has no extras, null where they cannot be believed. */
export function styleAExtra(usage: Usage, told: StyleAUsage): Usage | null {
  const { raw, input_details, output_details } = told;
  const input = mediaOf(input_details);
  const output = mediaOf(output_details);
  const calls = countedCalls(raw.server_tool_use ?? raw.server_side_tool_usage_details) ?? told.calls ?? null;
  const { writes } = told;
  const unpriced = unknownCounts(told, writes?.names ?? null);
  if (input === null && output === null && calls === null && writes === null && unpriced === null) return usage;
  const cached = isObject(input_details.cached_tokens_details) ? input_details.cached_tokens_details : null;
  const of_cache = cached === null ? null : (mediaOf(cached) ?? NOTHING);
  const parts = mediaParts(usage, { input, cached: of_cache, output });
  return parts === null ? null : withExtra(usage, extraOf({ ...parts, ...writes?.parts }, calls, unpriced));
}

/** Cache writes that a vendor counts by their lifetimes. */
export interface ToldWrites {
  readonly parts: PartCounts;
  /** All of them together, which are in the class of cache writes. */
  readonly sum: number;
  /** The vendor's names of those that may have no price: they are charged as writes then, and named (docs/rulings.md 144). */
  readonly names: string[] | null;
}

/** The object in which style A counts cache writes by their lifetimes, as OpenAI and other gateways call it. */
export function writeDetails(raw: JsonRecord, input_details: JsonRecord): unknown {
  return (
    input_details.cache_write_tokens_details ??
    input_details.cache_creation_tokens_details ??
    input_details.cache_creation_token_details ??
    raw.cache_creation
  );
}

/**
 * Reads cache writes by lifetimes: `ephemeral_1h_input_tokens`, `ttl_12h_tokens`, or any other name of a count. Tokens of the
 * vendor's sum (`name_of_sum`) beyond them have an unknown lifetime. Null where all are of a usual lifetime.
 */
export function toldWrites(details: unknown, written: unknown, name_of_sum: string): ToldWrites | null {
  if (!isObject(details)) return null;
  const parts: Partial<Record<TokenPart, number>> = {};
  let names: string[] | null = null;
  let sum = 0;
  for (const name in details) {
    const told = details[name];
    const lifetime = lifetimeIn(name);
    if (told === 0 || told === null || told === undefined) continue;
    if (lifetime === null && !COUNT_NAME.test(name)) continue;
    // A value that is not a count stays in the sum, so that the whole usage is rejected later.
    const count = isPlausibleCount(told) ? told : Number.NaN;
    sum += count;
    const found = lifetime === null ? null : lifetimeClass(lifetime);
    if (found === "usual") continue;
    if (found !== null) parts[found] = (parts[found] ?? 0) + count;
    names = added(names, name, count);
  }
  if (sum > 0 && plainNumber(written) > sum) names = added(names, name_of_sum, written);
  return names === null && sum <= plainNumber(written) ? null : { parts, sum, names };
}

/** Calls of the vendor's tools as the vendor counts them; null where it reports none. */
export function countedCalls(told: unknown): CallCounts | null {
  if (!isObject(told)) return null;
  let calls: Partial<Record<CallClass, number>> | null = null;
  for (const name in COUNTED_TOOLS) {
    const count = told[name];
    const called = COUNTED_TOOLS[name];
    if (called === undefined || !count) continue;
    calls ??= {};
    // A value that is not a count stays in the sum, so that the whole usage is rejected later.
    calls[called] = (calls[called] ?? 0) + plainNumber(count);
  }
  return calls;
}

export function extraOf(
  parts: PartCounts | undefined,
  calls: CallCounts | null,
  unpriced: readonly string[] | null,
): UsageExtra {
  return { ...(parts && { parts }), ...(calls && { calls }), ...(unpriced && { unpriced }) };
}

/**
 * All tokens that were written: the vendor's sum, or the sum of what it counts by lifetimes where it has no other. What is no count,
 * or more than the vendor's sum, is not believed (docs/rulings.md 145).
 */
export function allWrites(written: unknown, writes: ToldWrites | null): unknown {
  if (writes === null || !isPlausibleCount(written)) return written;
  return written === 0 || Number.isNaN(writes.sum) ? writes.sum : written;
}

/** Writes that are kept for twelve hours, as style A shows them; empty where there are none. */
export function shownWrites({ cache_write_tokens, extra }: Usage): object {
  const ttl_12h_tokens = extra?.parts?.cache_write_12h;
  if (ttl_12h_tokens === undefined) return NOTHING;
  return { cache_write_tokens_details: { ttl_12h_tokens, ttl_30m_tokens: cache_write_tokens - ttl_12h_tokens } };
}

function unknownCounts(
  { raw, known, input_details, output_details }: StyleAUsage,
  named: string[] | null,
): string[] | null {
  let names = unknownIn(raw, known, true, named);
  for (const each of [input_details, output_details]) names = unknownIn(each, DETAILS, false, names);
  const tools = raw.server_tool_use ?? raw.server_side_tool_usage_details;
  return isObject(tools) ? unknownTools(tools, names) : names;
}

/** Adds the names of tools that the vendor counted and no call class covers. */
export function unknownTools(tools: JsonRecord, names: string[] | null): string[] | null {
  for (const name in tools)
    if (!(name in COUNTED_TOOLS) && !FREE_TOOLS.has(name)) names = added(names, name, tools[name]);
  return names;
}

/**
 * Adds the names of unknown members that hold a count; with `by_name` only members that are also named like a count. In an unknown
 * object the counts are its members that are named like one; the others count under the object's own name where that is a count's.
 */
export function unknownIn(
  object: JsonRecord,
  known: ReadonlySet<string>,
  by_name: boolean,
  names: string[] | null,
): string[] | null {
  for (const name in object) {
    if (known.has(name)) continue;
    const value = object[name];
    if (isObject(value)) names = countsWithin(name, value, names);
    else if (!by_name || COUNT_NAME.test(name)) names = added(names, name, value);
  }
  return names;
}

function countsWithin(holder: string, object: JsonRecord, names: string[] | null): string[] | null {
  const is_count = COUNT_NAME.test(holder);
  for (const name in object) {
    if (COUNT_NAME.test(name)) names = added(names, name, object[name]);
    else if (is_count) names = added(names, holder, object[name]);
  }
  return names;
}

function added(names: string[] | null, name: string, count: unknown): string[] | null {
  if (typeof count !== "number" || !(count > 0)) return names;
  const short = name.slice(0, LONGEST_NAME);
  if (names === null) return [short];
  if (names.length < MOST_NAMES && !names.includes(short)) names.push(short);
  return names;
}

/** The media counts among the details of a style A usage; empty where there are no media. */
export interface ShownMedia {
  readonly audio_tokens?: number;
  readonly image_tokens?: number;
  readonly video_tokens?: number;
  readonly cached_tokens_details?: ShownMedia;
}

/** The media counts of a usage's input or output as style A shows them: of the whole side, and of its cached part. */
export function shownMedia({ extra }: Usage, side: "input" | "output"): ShownMedia {
  const parts = extra?.parts;
  if (parts === undefined) return NOTHING;
  if (side === "output") return media((medium) => parts[`output_${medium}`] ?? 0);
  const cached = media((medium) => parts[`cache_read_${medium}`] ?? 0);
  const all = media((medium) => (parts[`input_${medium}`] ?? 0) + (parts[`cache_read_${medium}`] ?? 0));
  return Object.keys(cached).length === 0 ? all : { ...all, cached_tokens_details: cached };
}

function media(countOf: (medium: Medium) => number): ShownMedia {
  return Object.fromEntries(
    MEDIA.flatMap((medium) => (countOf(medium) > 0 ? [[`${medium}_tokens`, countOf(medium)]] : [])),
  );
}
