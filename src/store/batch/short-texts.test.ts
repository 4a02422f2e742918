import { expect, test } from "bun:test";
import type { Price } from "../../core/price.ts";
import { PRICE } from "../suite/books.ts";
import { readAttempts, readPrice, shortAttemptsText, shortPriceText } from "./short-texts.ts";

const TIERED: Price = {
  ...PRICE,
  version: "p2",
  from_ms: 5,
  input_micro_per_mtok: 1,
  output_micro_per_mtok: 2,
  cache_read_micro_per_mtok: 3,
  cache_write_micro_per_mtok: 4,
  tiers: [
    { ...classes(5), above_input_tokens: 100 },
    { ...classes(9), above_input_tokens: 200 },
  ],
};

function classes(first: number) {
  return {
    input_micro_per_mtok: first,
    output_micro_per_mtok: first + 1,
    cache_read_micro_per_mtok: first + 2,
    cache_write_micro_per_mtok: first + 3,
  };
}

test("a price is read from its short text as it was, tiers included", () => {
  expect(readPrice(shortPriceText(PRICE))).toEqual(PRICE);
  expect(readPrice(shortPriceText(TIERED))).toEqual(TIERED);
});

test("a price with parts, calls and a variant is read as it was, without the other lists of its version", () => {
  const [tier] = TIERED.tiers;
  const rare: Price = {
    ...TIERED,
    tiers: tier === undefined ? [] : [{ ...tier, parts_micro_per_mtok: { output_audio: 77 } }],
    parts_micro_per_mtok: { input_audio: 7, cache_write_1h: 8 },
    calls_micro_per_kcall: { web_search: 10_000_000 },
    variant: "service_tier=flex",
    per: "call",
  };
  const with_lists = { ...rare, variants: { service_tiers: { priority: TIERED } } };
  expect(readPrice(shortPriceText(with_lists))).toEqual(rare);
});

test("a price's short text is less than half of the object's", () => {
  expect(shortPriceText(PRICE).length).toBeLessThan(JSON.stringify(PRICE).length / 2);
});

test("a price is read from the object that a recovery writes", () => {
  expect(readPrice(JSON.stringify(TIERED))).toEqual(TIERED);
});

const TRY = {
  vendor: "acme",
  upstream_model: "swift-1",
  status: null,
  error: "provider_error" as const,
  first_byte_ms: null,
  duration_ms: 9,
};

test("attempts are read from their short text, and from none", () => {
  const calls = { ...TRY, calls: 3, failures: 1 };
  const short = '[["acme","swift-1",null,"provider_error",null,9],["acme","swift-1",null,"provider_error",null,9,3,1]]';
  expect(shortAttemptsText([TRY, calls])).toBe(short);
  expect(readAttempts(short)).toEqual([TRY, calls]);
  expect(readAttempts("[]     ")).toEqual([]);
});

const TOLD = { ...TRY, started_ms: 4, said: 'Try "later", [1],{}' };

test("a vendor's sentence and the start of an attempt are read as they were written, of single attempts and of the engine's calls", () => {
  const attempts = [
    { ...TOLD, said_to_operator: true as const },
    { ...TOLD, calls: 3, failures: 1 },
    { ...TRY, error: null, started_ms: 20 },
  ];
  expect(readAttempts(shortAttemptsText(attempts))).toEqual(attempts);
});

test("an attempt with a ninth value has the two before it", () => {
  const written: (string | number | null)[][] = JSON.parse(
    shortAttemptsText([TOLD, { ...TRY, error: null, started_ms: 20 }]),
  );
  expect(written.map((values) => values.slice(0, 8))).toEqual([
    ["acme", "swift-1", null, "provider_error", null, 9, 1, 1],
    ["acme", "swift-1", null, null, null, 9, 1, 0],
  ]);
});
