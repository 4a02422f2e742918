import { isObject, type JsonRecord, plainNumber } from "../../core/json.ts";
import { isPlausibleCount, laterUsage, totalInput, type Usage, withServed } from "../../core/money/usage.ts";
import {
  allWrites,
  type ShownMedia,
  shownMedia,
  shownWrites,
  styleAUsage,
  toldWrites,
  writeDetails,
} from "../shared/rare-usage.ts";
import type { UsageEdit } from "../shared/vendor-costs.ts";

/** A vendor's usage as read: `usage` or `rejected` is null, or both when the vendor sent none. */
export interface UsageReading {
  readonly usage: Usage | null;
  /** The vendor's own object, when it cannot be believed (docs/rulings.md 44). */
  readonly rejected: unknown;
}

const NONE: UsageReading = { usage: null, rejected: null };

/**
 * The usage of a chunk or completion: at its top level, under `x_groq` for Groq, or in a choice for Moonshot. Undefined
 * when it has none.
 */
export function findUsage(answer: Record<string, unknown>): unknown {
  if (isObject(answer.usage)) return answer.usage;
  if (isObject(answer.x_groq) && isObject(answer.x_groq.usage)) return answer.x_groq.usage;
  if (!Array.isArray(answer.choices)) return undefined;
  return answer.choices.find((choice) => isObject(choice) && isObject(choice.usage))?.usage;
}

/**
 * Converts a vendor's usage to disjoint classes (docs/rulings.md 13). Style A counts cached tokens inside
 * `prompt_tokens`; their number is in `prompt_tokens_details`, at DeepSeek in `prompt_cache_hit_tokens`, at Moonshot in
 * `cached_tokens`, and where some gateways write it, under Anthropic's names. A usage with neither input nor output counts is
 * read as absent (docs/rulings.md 14d).
 */
export function readUsage(raw: unknown): UsageReading {
  if (!isObject(raw) || (raw.prompt_tokens === undefined && raw.completion_tokens === undefined)) return NONE;
  const input_details = isObject(raw.prompt_tokens_details) ? raw.prompt_tokens_details : NO_DETAILS;
  const output_details = isObject(raw.completion_tokens_details) ? raw.completion_tokens_details : NO_DETAILS;
  const own_read = input_details.cached_tokens || raw.prompt_cache_hit_tokens || raw.cached_tokens || 0;
  const own_written = input_details.cache_write_tokens || input_details.cache_creation_tokens || 0;
  const cache_read = own_read || raw.cache_read_input_tokens || 0;
  const written = own_written || raw.cache_creation_input_tokens || 0;
  const writes = toldWrites(writeDetails(raw, input_details), written, "cache_write_tokens");
  const names_anthropics = own_read === 0 && own_written === 0;
  const input = names_anthropics ? wholePrompt(raw, cache_read, allWrites(written, writes)) : raw.prompt_tokens;
  const reasoning = output_details.reasoning_tokens ?? raw.reasoning_tokens ?? 0;
  const usage = styleAUsage(
    { input, cache_read, cache_write: written, output: raw.completion_tokens ?? 0, reasoning, total: raw.total_tokens },
    { raw, known: KNOWN, input_details, output_details, writes },
  );
  return usage === null ? { usage: null, rejected: raw } : { usage, rejected: null };
}

/** Notes a usage that an answer has told, if it is one: the last one counts. Whether it was one. */
export function noteUsage(
  answer: { usage: Usage | null; rejected_usage: unknown },
  found: unknown,
  served_tier: string | null = null,
): boolean {
  const { usage, rejected } = readUsage(found);
  if (usage === null && rejected === null) return false;
  answer.usage = usage === null ? null : laterUsage(answer.usage, withServed(usage, served_tier));
  answer.rejected_usage = rejected;
  return true;
}

/**
 * The prompt of a usage that names cached tokens as Anthropic does alone: some gateways then count them beside the prompt, as
 * Anthropic does, which the vendor's total shows, or a prompt that is smaller than what was cached.
 */
function wholePrompt(
  { prompt_tokens, completion_tokens, total_tokens }: JsonRecord,
  read: unknown,
  written: unknown,
): unknown {
  const cached = plainNumber(read) + plainNumber(written);
  if (!isPlausibleCount(prompt_tokens) || !(cached > 0)) return prompt_tokens;
  const is_beside =
    cached > prompt_tokens || total_tokens === prompt_tokens + cached + plainNumber(completion_tokens ?? 0);
  return is_beside ? prompt_tokens + cached : prompt_tokens;
}

/** Members of a usage that are read, or do not concern the charge. */
const KNOWN: ReadonlySet<string> = new Set([
  ...["prompt_tokens", "completion_tokens", "total_tokens", "reasoning_tokens"],
  ...["prompt_cache_hit_tokens", "prompt_cache_miss_tokens", "cached_tokens"],
  ...["prompt_tokens_details", "completion_tokens_details", "server_tool_use", "server_side_tool_usage_details"],
  // Times and searches, as Groq and Perplexity report them.
  ...["queue_time", "prompt_time", "completion_time", "total_time"],
  // Anthropic's names, which other gateways add.
  ...["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation"],
]);

/** A usage in the shape that clients receive (docs/api.md 2.4). */
export interface ShownChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: ShownMedia & { readonly cached_tokens: number; readonly cache_write_tokens?: number };
  readonly completion_tokens_details: ShownMedia & { readonly reasoning_tokens: number };
}

export function showUsage(usage: Usage): ShownChatUsage {
  const prompt_tokens = totalInput(usage);
  const cache_write = usage.cache_write_tokens > 0 ? { cache_write_tokens: usage.cache_write_tokens } : {};
  return {
    prompt_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: prompt_tokens + usage.output_tokens,
    prompt_tokens_details: {
      cached_tokens: usage.cache_read_tokens,
      ...cache_write,
      ...shownWrites(usage),
      ...shownMedia(usage, "input"),
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoning_tokens, ...shownMedia(usage, "output") },
  };
}

/**
 * A vendor's usage object as the client must receive it: the numbers shown are the numbers billed, and a vendor's own
 * total is never trusted. The vendor's other fields stay. Null when no change is needed; else the given object, changed
 * in place.
 */
export function correctedUsage(raw: Record<string, unknown>, usage: Usage): Record<string, unknown> | null {
  const input_details = isObject(raw.prompt_tokens_details) ? raw.prompt_tokens_details : NO_DETAILS;
  const output_details = isObject(raw.completion_tokens_details) ? raw.completion_tokens_details : NO_DETAILS;
  const prompt_tokens = totalInput(usage);
  const is_right =
    raw.prompt_tokens === prompt_tokens &&
    raw.completion_tokens === usage.output_tokens &&
    raw.total_tokens === prompt_tokens + usage.output_tokens &&
    input_details.cached_tokens === usage.cache_read_tokens &&
    output_details.reasoning_tokens === usage.reasoning_tokens;
  if (is_right) return null;
  raw.prompt_tokens = prompt_tokens;
  raw.completion_tokens = usage.output_tokens;
  raw.total_tokens = prompt_tokens + usage.output_tokens;
  const shown_input = isObject(raw.prompt_tokens_details) ? raw.prompt_tokens_details : {};
  shown_input.cached_tokens = usage.cache_read_tokens;
  if (usage.cache_write_tokens > 0) shown_input.cache_write_tokens = usage.cache_write_tokens;
  raw.prompt_tokens_details = shown_input;
  const shown_output = isObject(raw.completion_tokens_details) ? raw.completion_tokens_details : {};
  shown_output.reasoning_tokens = usage.reasoning_tokens;
  raw.completion_tokens_details = shown_output;
  return raw;
}

const NO_DETAILS: JsonRecord = {};

/**
 * The usage to show in place of the vendor's, because the usage shown must be the one that is billed; null to remove a usage that is
 * not believed.
 */
export function shownInstead(sent: unknown, usage: Usage | null): UsageEdit {
  if (!isObject(sent)) return undefined;
  return usage === null ? null : (correctedUsage({ ...sent }, usage) ?? undefined);
}
