import { isObject, type JsonRecord } from "../../core/json.ts";
import type { Usage } from "../../core/money/usage.ts";
import { styleAUsage, toldWrites, writeDetails } from "./rare-usage.ts";

/** A vendor's usage of a decision, as far as it can be believed. */
export interface DecisionUsage {
  /** Null where the vendor sent none, or none that can be believed. */
  readonly usage: Usage | null;
  /** The usage that cannot be believed, for the log; null otherwise. */
  readonly rejected_usage: unknown;
}

/**
 * A vendor's usage in disjoint classes, in either shape of decisions (docs/rulings.md 13, 44, 98): `input_tokens` has the
 * tokens that were read from and written to a cache. Counts that nothing prices are named (docs/rulings.md 144). A decision
 * costs its input alone, so what a vendor says of its output is not read.
 */
export function readDecisionUsage(told: unknown): DecisionUsage {
  const usage = isObject(told) ? readCounts(told) : null;
  return { usage, rejected_usage: usage === null && isObject(told) ? told : null };
}

function readCounts(raw: JsonRecord): Usage | null {
  // No request has 0 input tokens.
  if (raw.input_tokens === 0) return null;
  const input_details = detailsOf(raw.input_tokens_details);
  const cache_write = input_details.cache_write_tokens ?? 0;
  const writes = toldWrites(writeDetails(raw, input_details), cache_write, "cache_write_tokens");
  const cache_read = input_details.cached_tokens ?? 0;
  const counts = { input: raw.input_tokens, cache_read, cache_write, output: 0, reasoning: 0, total: null };
  // Parts of the output would exceed a class that is empty, and cost nothing.
  const output_details = withoutMedia(detailsOf(raw.output_tokens_details));
  return styleAUsage(counts, { raw, known: KNOWN, input_details, output_details, writes });
}

const KNOWN: ReadonlySet<string> = new Set([
  ...["input_tokens", "output_tokens", "total_tokens", "input_tokens_details", "output_tokens_details"],
  ...["server_tool_use", "server_side_tool_usage_details"],
]);

function detailsOf(value: unknown): JsonRecord {
  return isObject(value) ? value : {};
}

function withoutMedia(details: JsonRecord): JsonRecord {
  const { audio_tokens: _audio, image_tokens: _image, video_tokens: _video, ...rest } = details;
  return rest;
}
