import { HONEST, type Performance } from "./performance.ts";

/** Ways to report usage, true or false. Any model takes a variant by name: `tools@usage=none`. */
const USAGE_VARIANTS = {
  /** Half of the input read from a cache, a quarter written to it. */
  cached: ({ usage, ...performance }) => {
    const cache_read = Math.floor(usage.input / 2);
    const cache_write = Math.floor(usage.input / 4);
    return {
      ...performance,
      usage: { ...usage, input: usage.input - cache_read - cache_write, cache_read, cache_write },
    };
  },
  /** Reports no usage, even when the request asks for it. */
  none: (performance) => ({ ...performance, usage_reporting: { ...HONEST, omitted: true } }),
  /** A preliminary usage before the content, the true one at the end. */
  "early-and-late": (performance) => ({ ...performance, usage_reporting: { ...HONEST, early: true } }),
  /**
   * The input at the beginning, only the output at the end, as older versions of messages do; no change in other
   * protocols.
   */
  split: (performance) => ({ ...performance, usage_reporting: { ...HONEST, split: true } }),
  negative: (performance) => distorted(performance, (count) => -count - 1),
  fraction: (performance) => distorted(performance, (count) => count + 0.5),
  huge: (performance) => distorted(performance, (count) => count + 2 ** 40),
  text: (performance) => distorted(performance, String),
  zero: (performance) => distorted(performance, () => 0),
  null: (performance) => distorted(performance, () => null),
  /** Two billion tokens of output, which a whole number of 32 bits still holds. */
  billions: (performance) => distorted(performance, (count, name) => (OUTPUT.test(name) ? 2_000_000_000 : count)),
  "reasoning-above-output": (performance) =>
    distorted(performance, (count, name) => (REASONING.test(name) ? 2_000_000_000 : count)),
  /** More tokens read from the cache than there was input (messages, whose classes are disjoint: a negative input). */
  "cached-above-input": ({ usage, ...performance }) => ({
    ...performance,
    usage: { ...usage, input: -usage.input, cache_read: usage.input * 2 },
  }),
} as const satisfies Record<string, (performance: Performance) => Performance>;

export type UsageVariant = keyof typeof USAGE_VARIANTS;

/** The protocols' names for the count of output tokens, and for the part of it that was reasoning. */
const OUTPUT = /^(completion_tokens|output_tokens|candidatesTokenCount|outputTokens)$/;
const REASONING = /^(reasoning_tokens|thinking_tokens|thoughtsTokenCount)$/;

function distorted(performance: Performance, distort: (count: number, name: string) => unknown): Performance {
  return { ...performance, usage_reporting: { ...HONEST, distort } };
}

/** The performance with the variant applied to its usage; an unknown variant changes nothing. */
export function withUsage(performance: Performance, variant: string): Performance {
  return variant in USAGE_VARIANTS ? USAGE_VARIANTS[variant as UsageVariant](performance) : performance;
}
