import type { Receipt } from "../../../contract/requests.ts";

/** All tokens of a request. The classes of input are disjoint; reasoning is part of the output. */
export function totalTokens(usage: NonNullable<Receipt["usage"]>): number {
  return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens;
}
