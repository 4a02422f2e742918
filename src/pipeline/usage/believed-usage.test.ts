import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Price } from "../../core/money/price.ts";
import { costOf } from "../../core/money/price.ts";
import { NO_USAGE, totalInput, type Usage } from "../../core/money/usage.ts";
import {
  believedPart,
  doubtsOf,
  excessOf,
  highestCharge,
  TEMPLATE_TOKENS,
  type UsageDoubts,
  withinBounds,
} from "./believed-usage.ts";

const CAP = 100;
const REQUEST = {
  ...{ input_bound_tokens: 1000, choices: 1, text: "{}", charged: [] },
  body: {} as Readonly<Record<string, unknown>>,
};
const SEARCH = { place: "tools[0]", what: "a search", calls: { web_search: 10 }, unpriced: "refuse" as const };
const PRICE: Price = {
  ...{ version: "p", from_ms: 0, tiers: [], input_micro_per_mtok: 1_000_000, output_micro_per_mtok: 4_000_000 },
  ...{ cache_read_micro_per_mtok: 100_000, cache_write_micro_per_mtok: 1_250_000 },
};

interface Case {
  readonly what: string;
  readonly usage: Partial<Usage>;
  readonly request?: Partial<typeof REQUEST> & { readonly charged?: readonly (typeof SEARCH)[] };
  readonly output_bytes?: number;
  readonly doubts: Partial<UsageDoubts> | null;
}

const HONEST: readonly Case[] = [
  { what: "a usual answer", usage: { input_tokens: 10, output_tokens: 20 }, doubts: null },
  {
    what: "an answer at its cap, and a token that ends it",
    usage: { input_tokens: 10, output_tokens: 101 },
    doubts: null,
  },
  {
    what: "the sixteen tokens that a vendor makes at least",
    usage: { input_tokens: 10, output_tokens: CAP + 16 },
    doubts: null,
  },
  { what: "an input without an answer", usage: { input_tokens: 10 }, output_bytes: 0, doubts: null },
  {
    what: "a prompt that the vendor adds",
    usage: { input_tokens: 1000 + TEMPLATE_TOKENS, output_tokens: 1 },
    doubts: null,
  },
  {
    what: "an input that was read from a cache",
    usage: { cache_read_tokens: 900, cache_write_tokens: 100, output_tokens: 1 },
    doubts: null,
  },
  {
    what: "a small file of many pages",
    usage: { input_tokens: 19_000, output_tokens: 1 },
    request: { text: '{"type":"input_file"}' },
    doubts: null,
  },
  {
    what: "the findings of searches, and the conversation read again for each",
    usage: { input_tokens: 900_000, output_tokens: 1, extra: { calls: { web_search: 10 } } },
    request: { charged: [SEARCH as never] },
    doubts: null,
  },
  {
    what: "what a remote server's tools return",
    usage: { input_tokens: 500_000, output_tokens: 1 },
    request: { body: { tools: [{ type: "mcp", server_url: "https://tools.example" }] } },
    doubts: null,
  },
  {
    what: "a search that a model makes unasked",
    usage: { input_tokens: 10, output_tokens: 1, extra: { calls: { web_search: 3 } } },
    doubts: null,
  },
  { what: "nothing, where nothing was delivered", usage: {}, output_bytes: 0, doubts: null },
  {
    what: "three answers, each at its cap",
    usage: { input_tokens: 10, output_tokens: 300 },
    request: { choices: 3 },
    doubts: null,
  },
];

const LIES: readonly Case[] = [
  { what: "more output than the cap", usage: { input_tokens: 10, output_tokens: 2e9 }, doubts: { output: true } },
  {
    what: "more reasoning than output",
    usage: { input_tokens: 10, output_tokens: 200, reasoning_tokens: 2e9 },
    doubts: { output: true },
  },
  { what: "more input than bytes", usage: { input_tokens: 2e9, output_tokens: 5 }, doubts: { input: true } },
  {
    what: "more cached input than bytes",
    usage: { cache_write_tokens: 2e9, output_tokens: 5 },
    doubts: { input: true },
  },
  { what: "nothing, beside an answer", usage: {}, doubts: { input: true, output: true } },
  { what: "no input, beside output", usage: { output_tokens: 5 }, doubts: { input: true, output: false } },
  {
    what: "no input, beside output without text",
    usage: { output_tokens: 5 },
    output_bytes: 0,
    doubts: { input: true },
  },
  {
    what: "no input, beside a search",
    usage: { extra: { calls: { web_search: 1 } } },
    output_bytes: 0,
    doubts: { input: true },
  },
  { what: "no output, beside text", usage: { input_tokens: 10 }, doubts: { input: false, output: true } },
  {
    what: "thousands of searches",
    usage: { input_tokens: 10, output_tokens: 1, extra: { calls: { web_search: 5000 } } },
    doubts: { calls: true, output: false },
  },
  {
    what: "the input of a tool that the client runs",
    usage: { input_tokens: 500_000, output_tokens: 1 },
    request: { body: { tools: [{ type: "function", function: { name: "look" } }] } },
    doubts: { input: true },
  },
];

function doubtsIn({ usage, request, output_bytes = 40 }: Case): UsageDoubts | null {
  return doubtsOf({ ...NO_USAGE, ...usage }, { ...REQUEST, ...request }, CAP, { output_bytes });
}

describe("is believed", () => {
  test.each(HONEST)("$what", (each) => {
    expect(doubtsIn(each)).toBeNull();
  });
});

describe("is not believed", () => {
  test.each(LIES)("$what", (each) => {
    expect(doubtsIn(each)).toMatchObject(each.doubts ?? {});
  });
});

test("believed counts of a usage stay, and the estimate replaces the others", () => {
  const usage = { ...NO_USAGE, input_tokens: 10, cache_read_tokens: 5, output_tokens: 2e9, reasoning_tokens: 7 };
  const doubts = { input: false, output: true, calls: false };
  expect(believedPart(usage, doubts)).toEqual({ ...usage, output_tokens: 0, reasoning_tokens: 0 });
  expect(believedPart(usage, { ...doubts, input: true })).toEqual(NO_USAGE);
});

const count = fc.nat(2 ** 31);
const usages = fc
  .record({
    ...{ input_tokens: count, cache_read_tokens: count, cache_write_tokens: count },
    ...{ output_tokens: count, reasoning_tokens: count },
  })
  .map((usage) => ({ ...usage, reasoning_tokens: Math.min(usage.reasoning_tokens, usage.output_tokens) }));

test("whatever a vendor claims, what is believed of it and what a hold may grow to are bounded by what was asked for", () => {
  const asked = fc.record({
    ...{ bound: fc.nat(100_000), cap: fc.nat(100_000) },
    ...{ choices: fc.integer({ min: 1, max: 8 }), bytes: fc.nat(1_000_000) },
  });
  fc.assert(
    fc.property(usages, asked, (usage, { bound, cap, choices, bytes }) => {
      const request = { ...REQUEST, input_bound_tokens: bound, choices };
      const doubts = doubtsOf(usage, request, cap, { output_bytes: bytes });
      const believed = doubts === null ? usage : believedPart(usage, doubts);
      expect(totalInput(believed)).toBeLessThanOrEqual(bound + TEMPLATE_TOKENS);
      expect(believed.output_tokens).toBeLessThanOrEqual((cap + 16) * choices);
      expect(believed.reasoning_tokens).toBeLessThanOrEqual(believed.output_tokens);

      const evidence = { held_output_tokens: cap * choices, choices, output_bytes: bytes };
      const most = { ...NO_USAGE, cache_write_tokens: totalInput(believed) };
      const output_tokens = Math.max(cap * choices, bytes) + 16 * choices;
      expect(highestCharge(believed, PRICE, evidence) <= costOf({ ...most, output_tokens }, PRICE)).toBe(true);
    }),
  );
});

test("an honest usage is believed and may be covered whole, whatever its size", () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(100_000), fc.double({ min: 0, max: 1, noNaN: true }), (bound, cap, share) => {
      const usage = {
        ...NO_USAGE,
        input_tokens: Math.max(1, Math.floor(bound * share)),
        output_tokens: Math.max(1, Math.floor(cap * share)),
      };
      expect(doubtsOf(usage, { ...REQUEST, input_bound_tokens: bound }, cap, { output_bytes: 0 })).toBeNull();
      const evidence = { held_output_tokens: cap, choices: 1, output_bytes: 0 };
      expect(highestCharge(usage, PRICE, evidence)).toBe(costOf(usage, PRICE));
    }),
  );
});

test("a claim in the middle of an answer is judged by what was asked for alone", () => {
  expect(excessOf(NO_USAGE, REQUEST, CAP)).toBeNull();
  expect(excessOf({ ...NO_USAGE, input_tokens: 10, output_tokens: 0 }, REQUEST, CAP)).toBeNull();
  expect(excessOf({ ...NO_USAGE, input_tokens: 2e9 }, REQUEST, CAP)).toEqual({
    input: true,
    output: false,
    calls: false,
  });
});

test("an estimate is cut to the bounds, its input as plain input", () => {
  const usage = { ...NO_USAGE, input_tokens: 50, cache_read_tokens: 60, output_tokens: 70, reasoning_tokens: 65 };
  expect(withinBounds(usage, { input_tokens: 110, output_tokens: 70 })).toBe(usage);
  expect(withinBounds(usage, { input_tokens: 100, output_tokens: 10 })).toEqual({
    ...NO_USAGE,
    ...{ input_tokens: 100, output_tokens: 10, reasoning_tokens: 10 },
  });
});
