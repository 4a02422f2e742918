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

const MAX_COUNT = 2 ** 31;

/** Whether a vendor's count can be believed: a whole number from 0 to 2³¹ (docs/rulings.md 44). */
export function isPlausibleCount(count: unknown): count is number {
  return typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= MAX_COUNT;
}
