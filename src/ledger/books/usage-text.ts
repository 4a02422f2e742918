import type { Usage, UsageExtra } from "../../core/usage.ts";
import type { BookUsage } from "./book-op.ts";

/** The rare part of a usage (docs/adr/0018) as a request's row and the journal have it: JSON, and null on nearly all requests. */
export function extraText({ extra }: Usage): string | null {
  return extra === undefined ? null : JSON.stringify(extra);
}

export function readExtra(text: string): UsageExtra {
  return JSON.parse(text);
}

/** A usage, as the books take it. */
export function bookUsage(usage: Usage): BookUsage {
  return {
    input_tokens: usage.input_tokens,
    cache_read_tokens: usage.cache_read_tokens,
    cache_write_tokens: usage.cache_write_tokens,
    output_tokens: usage.output_tokens,
    reasoning_tokens: usage.reasoning_tokens,
    usage_extra: extraText(usage),
  };
}
